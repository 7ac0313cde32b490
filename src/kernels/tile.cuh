// SPDX-License-Identifier: Apache-2.0
// What every kernel family needs of a CTA's place in the problem.
#pragma once

#include <cstdint>
#include <cute/tensor.hpp>

#include "kernels/cta_place.cuh"

namespace tileloom::kernels {

// A CTA's output tile and the operands' tiles as tensors.
template <class Tile>
struct CtaTile : CtaPlace<cute::size<0>(Tile{}), cute::size<1>(Tile{})> {
  static constexpr int kM = cute::size<0>(Tile{});
  static constexpr int kN = cute::size<1>(Tile{});
  static constexpr int kK = cute::size<2>(Tile{});
  using Place = CtaPlace<kM, kN>;
  using Place::origin_m, Place::origin_n, Place::Place;

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
