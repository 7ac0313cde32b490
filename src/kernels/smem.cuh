// SPDX-License-Identifier: Apache-2.0
// Family `smem`: global -> swizzled shared memory -> ldmatrix -> mma.sync, one stage, no overlap. The step between
// `simple` and `multistage`.
#pragma once

#include "kernels/operand_copy.cuh"
#include "kernels/shared_tiles.cuh"
#include "kernels/tile.cuh"

namespace tileloom::kernels {

template <class Config, bool kNarrow>
__device__ void smem_gemm(const GemmParams& params, cute::half_t* shared) {
  using namespace cute;
  using Copy = OperandCopy<Config::kTileK, Config::kThreads>;
  const CtaTile<typename Config::Tile> cta(params);
  const SharedStage<Config> stage(shared, 0);

  // clang-format off
  Tensor gA = cta.gmem_a(params);                                   // (TILE_M, TILE_K)
  Tensor gB = cta.gmem_b(params);                                   // (TILE_N, TILE_K)
  Tensor gD = cta.gmem_d(params);                                   // (TILE_M, TILE_N)

  typename Config::TiledMma tiled_mma;
  auto thr_mma = tiled_mma.get_slice(threadIdx.x);
  Tensor tCrA = thr_mma.partition_fragment_A(gA);                   // (MMA, MMA_M, MMA_K)
  Tensor tCrB = thr_mma.partition_fragment_B(gB);                   // (MMA, MMA_N, MMA_K)
  Tensor tCrC = thr_mma.partition_fragment_C(gD);                   // (MMA, MMA_M, MMA_N)
  // clang-format on

  clear(tCrC);
  for (std::int64_t k_left = params.k; k_left > 0; k_left -= cta.kK) {
    const int ks = inside_tile(k_left, cta.kK);
    Copy::template tile<kNarrow>(gA, stage.a(), cta.rows_m, ks, params.copy_bytes_a);
    Copy::template tile<kNarrow>(gB, stage.b(), cta.rows_n, ks, params.copy_bytes_b);
    advance_k(gA);
    advance_k(gB);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();  // everybody's copies have arrived
    CUTE_UNROLL
    for (int ik = 0; ik < size<2>(tCrA); ++ik) {
      load_k_block(stage, ik, tCrA, tCrB);
      cute::gemm(tiled_mma, tCrC, tCrA(_, _, ik), tCrB(_, _, ik), tCrC);
    }
    __syncthreads();  // everybody has read them: the stage may be overwritten
  }
  store_fragment(thr_mma, tCrC, gD, cta.rows_m, cta.rows_n);
}

}  // namespace tileloom::kernels
