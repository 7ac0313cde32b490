// SPDX-License-Identifier: Apache-2.0
// What every kernel family needs of a CTA's place in the problem.
#pragma once

#include <cstdint>
#include <cute/tensor.hpp>

#include "kernels/params.hpp"
#include "kernels/raster.hpp"

namespace tileloom::kernels {

// Elements of a tile that lie inside the matrix, `left` being those from the tile's start on: at most `tile`.
__device__ inline int inside_tile(std::int64_t left, int tile) {
  return left < tile ? static_cast<int>(left) : tile;
}

// A CTA's output tile: where it starts and how much of it lies inside D.
// Tile indices are 32-bit because the grid is; every offset in a matrix is 64-bit.
template <class Tile>
struct CtaTile {
  static constexpr int kM = cute::size<0>(Tile{});
  static constexpr int kN = cute::size<1>(Tile{});
  static constexpr int kK = cute::size<2>(Tile{});

  std::int64_t origin_m, origin_n;
  int rows_m, rows_n;  // inside the matrices: 1 ... kM, 1 ... kN

  __device__ explicit CtaTile(const GemmParams& params) {
    const auto tiles_m = static_cast<std::uint32_t>((params.m + kM - 1) / kM);
    const auto tiles_n = static_cast<std::uint32_t>((params.n + kN - 1) / kN);
    const TileIndex tile = raster_tile(blockIdx.x, tiles_m, tiles_n, params.raster_width);
    origin_m = std::int64_t(tile.m) * kM;
    origin_n = std::int64_t(tile.n) * kN;
    rows_m = inside_tile(params.m - origin_m, kM);
    rows_n = inside_tile(params.n - origin_n, kN);
  }

  // The first K tile of each operand, (TILE_M, TILE_K) and (TILE_N, TILE_K), and the output, (TILE_M, TILE_N).
  __device__ auto gmem_a(const GemmParams& params) const {
    return operand(static_cast<const cute::half_t*>(params.a) + origin_m * params.lda, cute::Int<kM>{}, params.lda);
  }
  __device__ auto gmem_b(const GemmParams& params) const {
    return operand(static_cast<const cute::half_t*>(params.b) + origin_n * params.ldb, cute::Int<kN>{}, params.ldb);
  }
  __device__ auto gmem_d(const GemmParams& params) const {
    auto* d = static_cast<cute::half_t*>(params.d) + origin_m * params.ldd + origin_n;
    return cute::make_tensor(cute::make_gmem_ptr(d), cute::make_shape(cute::Int<kM>{}, cute::Int<kN>{}),
                             cute::make_stride(params.ldd, cute::_1{}));
  }

 private:
  template <class Rows>
  static __device__ auto operand(const cute::half_t* pointer, Rows rows, std::int64_t ld) {
    return cute::make_tensor(cute::make_gmem_ptr(pointer), cute::make_shape(rows, cute::Int<kK>{}),
                             cute::make_stride(ld, cute::_1{}));
  }
};

// Steps an operand's tensor to its next K tile.
template <class Operand>
__device__ void advance_k(Operand& tensor) {
  tensor.data() = tensor.data() + cute::size<1>(tensor);
}

// Rounds the accumulators and stores those that lie inside D, each thread its own elements.
template <class ThrMma, class Accumulators, class GlobalD>
__device__ void store_fragment(const ThrMma& thr_mma, const Accumulators& tCrC, GlobalD& gD, int rows_m, int rows_n) {
  using namespace cute;
  // clang-format off
  Tensor tCgD = thr_mma.partition_C(gD);                                  // (MMA, MMA_M, MMA_N)
  Tensor tCcD = thr_mma.partition_C(make_identity_tensor(shape(gD)));     // (MMA, MMA_M, MMA_N) -> (m, n)
  // clang-format on
  CUTE_UNROLL
  for (int i = 0; i < size(tCrC); ++i) {
    if (get<0>(tCcD(i)) < rows_m && get<1>(tCcD(i)) < rows_n) {
      tCgD(i) = half_t(tCrC(i));
    }
  }
}

}  // namespace tileloom::kernels
