// SPDX-License-Identifier: Apache-2.0
// Accumulators -> shared memory -> global memory, so that a warp's stores are 16 bytes wide and contiguous.
#pragma once

#include <cstdint>
#include <cute/tensor.hpp>

#include "kernels/store_chunk.cuh"

namespace tileloom::kernels {

// Writes the accumulators through `shared`, which nobody else uses any more (precondition: a barrier stands before this
// call). The tile goes in slabs of kStepM rows and kSlabs x kStepN columns; a barrier stands on both sides of each
// read.
template <class Config, class ThrMma, class Accumulators, class GlobalD>
__device__ void store_through_shared(const ThrMma& thr_mma, const Accumulators& tCrC, GlobalD& gD, int rows_m,
                                     int rows_n, bool wide, cute::half_t* shared) {
  using namespace cute;
  constexpr int kStepM = Config::kStepM, kStepN = Config::kStepN;
  constexpr int kMmaM = decltype(size<1>(tCrC))::value, kMmaN = decltype(size<2>(tCrC))::value;
  constexpr int kAtomsN = 2;  // atoms along N that a warp holds in one step
  constexpr int kSteps = kMmaN / kAtomsN;
  constexpr int kSlabs = kSteps % 4 == 0 ? 4 : kSteps % 2 == 0 ? 2 : 1;
  static_assert(2 * kStepM * kStepN * kSlabs <= Config::kStageBytes, "epilogue: a slab must fit into one stage");

  using SlabAtom =
      decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<kStepM>, Int<kStepN>>, Stride<Int<kStepN>, _1>>{}));
  using Slab = decltype(tile_to_shape(SlabAtom{}, Shape<Int<kStepM>, Int<kStepN * kSlabs>>{}));
  // clang-format off
  Tensor sC = make_tensor(make_smem_ptr(shared), Slab{});                // (STEP_M, SLABS * STEP_N)
  Tensor tCsC = thr_mma.partition_C(sC);                                 // (MMA, 1, SLABS * ATOMS_N)
  // clang-format on
  constexpr int kColumnChunks = kStepN * kSlabs / 8;
  constexpr int kRowsPerPass = Config::kThreads / kColumnChunks;
  const int chunk_column = static_cast<int>(threadIdx.x) % kColumnChunks * 8;
  const int chunk_row = static_cast<int>(threadIdx.x) / kColumnChunks;

  CUTE_UNROLL
  for (int im = 0; im < kMmaM; ++im) {
    CUTE_UNROLL
    for (int in = 0; in < kSteps / kSlabs; ++in) {
      CUTE_UNROLL
      for (int j = 0; j < kSlabs * kAtomsN; ++j) {
        CUTE_UNROLL
        for (int v = 0; v < size<0>(tCrC); v += 2) {  // two neighbours along N in one 32-bit store
          half_t pair[2] = {half_t(tCrC(v, im, in * kSlabs * kAtomsN + j)),
                            half_t(tCrC(v + 1, im, in * kSlabs * kAtomsN + j))};
          *reinterpret_cast<std::uint32_t*>(raw_pointer_cast(&tCsC(v, 0, j))) =
              *reinterpret_cast<const std::uint32_t*>(pair);
        }
      }
      __syncthreads();
      CUTE_UNROLL
      for (int row = 0; row < kStepM; row += kRowsPerPass) {
        const uint4 chunk = *reinterpret_cast<const uint4*>(raw_pointer_cast(&sC(chunk_row + row, chunk_column)));
        const int d_row = im * kStepM + chunk_row + row;
        const int d_column = in * kSlabs * kStepN + chunk_column;
        if (d_row < rows_m && d_column < rows_n) {
          auto* d = reinterpret_cast<std::uint16_t*>(raw_pointer_cast(&gD(d_row, d_column)));
          store_chunk(d, d_column, chunk, rows_n, wide);
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace tileloom::kernels
