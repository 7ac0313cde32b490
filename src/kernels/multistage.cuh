// SPDX-License-Identifier: Apache-2.0
// Family `multistage`: cp.async through 2 ... 5 shared-memory stages, ldmatrix and mma.sync overlapped over the
// k-blocks of a tile, output through shared memory.
//
// Ordering. Each thread commits one group of copies a tile, empty past the last, so "all but `stages - 2` groups have
// arrived" always means "the tile to be read next has". A wait makes a thread's own copies visible to itself; the
// barrier after it makes everybody's visible to all, and says that everybody has finished reading the tile before,
// whose stage the next copy overwrites.
#pragma once

#include "kernels/epilogue.cuh"
#include "kernels/operand_copy.cuh"
#include "kernels/shared_tiles.cuh"
#include "kernels/tile.cuh"

namespace tileloom::kernels {

// cp.async.wait_group takes a constant; `stages` is the same for all threads.
__device__ inline void wait_for_next_tile(int stages) {
  switch (stages) {
    case 2:
      return cute::cp_async_wait<0>();
    case 3:
      return cute::cp_async_wait<1>();
    case 4:
      return cute::cp_async_wait<2>();
    default:
      return cute::cp_async_wait<3>();
  }
}

template <class Config, bool kNarrow>
__device__ void multistage_gemm(const GemmParams& params, cute::half_t* shared) {
  using namespace cute;
  using Copy = OperandCopy<Config::kTileK, Config::kThreads>;
  const CtaTile<typename Config::Tile> cta(params);
  const int stages = params.stages;

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

  std::int64_t k_to_copy = params.k;
  int stage_to_copy = 0;
  auto copy_next_tile = [&] {
    if (k_to_copy > 0) {
      const SharedStage<Config> stage(shared, stage_to_copy);
      const int ks = inside_tile(k_to_copy, cta.kK);
      Copy::template tile<kNarrow>(gA, stage.a(), cta.rows_m, ks, params.copy_bytes_a);
      Copy::template tile<kNarrow>(gB, stage.b(), cta.rows_n, ks, params.copy_bytes_b);
      advance_k(gA);
      advance_k(gB);
      k_to_copy -= cta.kK;
      stage_to_copy = stage_to_copy + 1 == stages ? 0 : stage_to_copy + 1;
    }
    cp_async_fence();
  };

  clear(tCrC);
  CUTE_NO_UNROLL
  for (int i = 0; i < stages - 1; ++i) {
    copy_next_tile();
  }

  constexpr int k_blocks = decltype(size<2>(tCrA))::value;
  static_assert(k_blocks >= 2, "multistage: the K tile must hold at least two k-blocks, to overlap them");
  int stage_to_read = 0;
  if (params.k > 0) {
    wait_for_next_tile(stages);
    __syncthreads();
    load_k_block(SharedStage<Config>(shared, 0), 0, tCrA, tCrB);
  }
  CUTE_NO_UNROLL
  for (std::int64_t k_left = params.k; k_left > 0; k_left -= cta.kK) {
    CUTE_UNROLL
    for (int ik = 0; ik < k_blocks; ++ik) {
      if (ik < k_blocks - 1) {
        load_k_block(SharedStage<Config>(shared, stage_to_read), ik + 1, tCrA, tCrB);
      } else if (k_left > cta.kK) {
        wait_for_next_tile(stages);
        __syncthreads();
        stage_to_read = stage_to_read + 1 == stages ? 0 : stage_to_read + 1;
        load_k_block(SharedStage<Config>(shared, stage_to_read), 0, tCrA, tCrB);
      }
      if (ik == 0) {
        copy_next_tile();
      }
      cute::gemm(tiled_mma, tCrC, tCrA(_, _, ik), tCrB(_, _, ik), tCrC);
    }
  }

  cp_async_wait<0>();
  __syncthreads();  // no copy is under way and nobody reads operands any more: the epilogue may reuse their memory
  const bool wide = params.ldd % 8 == 0 && reinterpret_cast<std::uintptr_t>(params.d) % 16 == 0;
  store_through_shared<Config>(thr_mma, tCrC, gD, cta.rows_m, cta.rows_n, wide, shared);
}

}  // namespace tileloom::kernels
