// SPDX-License-Identifier: Apache-2.0
// Family `simple`: global memory -> registers -> mma.sync, no shared memory. The kernel to read first.
//
// Every thread loads the A and B elements that its fragments hold straight from global memory, one K tile at a time.
// It is right for every m, n, k >= 0 and every leading dimension: elements outside the matrices are never read or
// written, and enter the product as zero.
#pragma once

#include <cstdint>
#include <cute/tensor.hpp>

#include "kernels/params.hpp"

namespace tileloom::kernels {

// Compile-time constants of one instance.
template <class MmaOp_, int kTileM_, int kTileN_, int kTileK_, int kThreads_>
struct SimpleConfig {
  using MmaOp = MmaOp_;
  using Tile = cute::Shape<cute::Int<kTileM_>, cute::Int<kTileN_>, cute::Int<kTileK_>>;
  // 2 x 2 x 1 atoms, one a warp; each warp works on two atoms along N for one load of A.
  using TiledMma = decltype(cute::make_tiled_mma(cute::MMA_Atom<MmaOp>{},
                                                 cute::Layout<cute::Shape<cute::_2, cute::_2, cute::_1>>{},
                                                 cute::Tile<cute::_32, cute::_32, cute::_16>{}));
  static constexpr int kThreads = kThreads_;

  static_assert(decltype(cute::size(TiledMma{}))::value == kThreads,
                "simple: the instance's thread count differs from that of its tiled MMA");
  static_assert(kTileM_ % 32 == 0 && kTileN_ % 32 == 0 && kTileK_ % 16 == 0,
                "simple: the tile must be a multiple of 32 x 32 x 16");
};

// Copies a K tile of one operand into registers. `coords` names each element's (row, k) in the tile; elements at or
// beyond (rows, ks) become zero and are not read.
template <class Source, class Coords, class Fragment>
__device__ void load_or_zero(const Source& source, const Coords& coords, int rows, int ks, Fragment& fragment) {
  using Element = typename Fragment::value_type;
  CUTE_UNROLL
  for (int i = 0; i < cute::size(fragment); ++i) {
    const bool inside = cute::get<0>(coords(i)) < rows && cute::get<1>(coords(i)) < ks;
    fragment(i) = inside ? source(i) : Element{};
  }
}

// Elements of a tile that lie inside the matrix, from `origin` on: at most `tile`.
__device__ inline int inside_tile(std::int64_t extent, std::int64_t origin, int tile) {
  const std::int64_t left = extent - origin;
  return left < tile ? static_cast<int>(left) : tile;
}

template <class Config>
__device__ void simple_gemm(const GemmParams& params) {
  using namespace cute;
  constexpr auto tile = typename Config::Tile{};
  constexpr int tile_m = get<0>(tile), tile_n = get<1>(tile), tile_k = get<2>(tile);

  // Tile indices are 32-bit (the grid is), offsets in the matrices 64-bit.
  const auto tiles_m = static_cast<unsigned>((params.m + tile_m - 1) / tile_m);
  const std::int64_t origin_m = std::int64_t(blockIdx.x % tiles_m) * tile_m;
  const std::int64_t origin_n = std::int64_t(blockIdx.x / tiles_m) * tile_n;
  const std::int64_t k_tiles = (params.k + tile_k - 1) / tile_k;
  const int rows_m = inside_tile(params.m, origin_m, tile_m);
  const int rows_n = inside_tile(params.n, origin_n, tile_n);

  const auto* a = static_cast<const half_t*>(params.a) + origin_m * params.lda;
  const auto* b = static_cast<const half_t*>(params.b) + origin_n * params.ldb;
  auto* d = static_cast<half_t*>(params.d) + origin_m * params.ldd + origin_n;

  // clang-format off
  Tensor gA = make_tensor(make_gmem_ptr(a), make_shape(get<0>(tile), get<2>(tile), k_tiles),
                          make_stride(params.lda, _1{}, get<2>(tile)));                       // (TILE_M, TILE_K, k)
  Tensor gB = make_tensor(make_gmem_ptr(b), make_shape(get<1>(tile), get<2>(tile), k_tiles),
                          make_stride(params.ldb, _1{}, get<2>(tile)));                       // (TILE_N, TILE_K, k)
  Tensor gD = make_tensor(make_gmem_ptr(d), make_shape(get<0>(tile), get<1>(tile)),
                          make_stride(params.ldd, _1{}));                                     // (TILE_M, TILE_N)
  Tensor cA = make_identity_tensor(make_shape(get<0>(tile), get<2>(tile)));                   // (TILE_M, TILE_K)
  Tensor cB = make_identity_tensor(make_shape(get<1>(tile), get<2>(tile)));                   // (TILE_N, TILE_K)
  Tensor cD = make_identity_tensor(make_shape(get<0>(tile), get<1>(tile)));                   // (TILE_M, TILE_N)

  typename Config::TiledMma tiled_mma;
  auto thr_mma = tiled_mma.get_slice(threadIdx.x);
  Tensor tCgA = thr_mma.partition_A(gA);                                                      // (MMA, MMA_M, MMA_K, k)
  Tensor tCgB = thr_mma.partition_B(gB);                                                      // (MMA, MMA_N, MMA_K, k)
  Tensor tCgD = thr_mma.partition_C(gD);                                                      // (MMA, MMA_M, MMA_N)
  Tensor tCcA = thr_mma.partition_A(cA);                                                      // (MMA, MMA_M, MMA_K)
  Tensor tCcB = thr_mma.partition_B(cB);                                                      // (MMA, MMA_N, MMA_K)
  Tensor tCcD = thr_mma.partition_C(cD);                                                      // (MMA, MMA_M, MMA_N)
  Tensor tCrA = thr_mma.partition_fragment_A(gA(_, _, 0));                                    // (MMA, MMA_M, MMA_K)
  Tensor tCrB = thr_mma.partition_fragment_B(gB(_, _, 0));                                    // (MMA, MMA_N, MMA_K)
  Tensor tCrC = thr_mma.partition_fragment_C(gD);                                             // (MMA, MMA_M, MMA_N)
  // clang-format on

  clear(tCrC);
  for (std::int64_t ik = 0; ik < k_tiles; ++ik) {
    const int ks = inside_tile(params.k, ik * tile_k, tile_k);
    load_or_zero(tCgA(_, _, _, ik), tCcA, rows_m, ks, tCrA);
    load_or_zero(tCgB(_, _, _, ik), tCcB, rows_n, ks, tCrB);
    cute::gemm(tiled_mma, tCrC, tCrA, tCrB, tCrC);
  }

  CUTE_UNROLL
  for (int i = 0; i < size(tCrC); ++i) {
    if (get<0>(tCcD(i)) < rows_m && get<1>(tCcD(i)) < rows_n) {
      tCgD(i) = half_t(tCrC(i));
    }
  }
}

}  // namespace tileloom::kernels
