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

// Adds the products of `tiles` K tiles to tCrC. copy_tile(stage, is_last) starts the copies of the next tile of both
// operands into a stage. With constant stages the loop has no branch but its own, so that ptxas can spread copies and
// loads among the mma.sync; the last tile stands behind the loop because it has no next one.
// kCopyFirst: copies that take many registers go before the loads, where fewer are in use.
// Config::kLoadAhead: k-blocks that are loaded before they are used, 1 or (for comparison) 0.
template <class Config, int kStages, bool kCopyFirst, class CopyTile, class ThrMma, class Accumulators>
CUTE_DEVICE void accumulate_tiles(CopyTile&& copy_tile, std::int64_t tiles, int run_time_stages, cute::half_t* shared,
                                  const ThrMma& thr_mma, Accumulators& tCrC) {
  using namespace cute;
  const int stages = kStages != 0 ? kStages : run_time_stages;
  typename Config::TiledMma tiled_mma;
  // clang-format off
  Tensor tCrA = thr_mma.partition_fragment_A(SharedStage<Config>(shared, 0).a());  // (MMA, MMA_M, MMA_K)
  Tensor tCrB = thr_mma.partition_fragment_B(SharedStage<Config>(shared, 0).b());  // (MMA, MMA_N, MMA_K)
  // clang-format on
  constexpr int k_blocks = decltype(size<2>(tCrA))::value;
  constexpr int ahead = Config::kLoadAhead;
  static_assert(k_blocks > ahead, "multistage: the K tile must hold at least two k-blocks, to overlap them");

  std::int64_t tiles_to_copy = tiles;
  int stage_to_copy = 0;
  int stage_to_read = 0;
  const auto next = [&](int stage) { return stage + 1 == stages ? 0 : stage + 1; };
  const auto copy_next_tile = [&] {
    if (tiles_to_copy > 0) {
      copy_tile(SharedStage<Config>(shared, stage_to_copy), tiles_to_copy == 1);
    }
    --tiles_to_copy;
    stage_to_copy = next(stage_to_copy);
    cp_async_commit();
  };
  const auto wait_for_next = [&] {
    wait_for_next_tile<kStages>(stages);
    __syncthreads();
    stage_to_read = next(stage_to_read);
  };

  CUTE_NO_UNROLL
  for (int i = 0; i < stages - 1; ++i) {
    copy_next_tile();
  }
  wait_for_next_tile<kStages>(stages);
  __syncthreads();
  if constexpr (ahead > 0) {
    load_k_block(SharedStage<Config>(shared, 0), 0, tCrA, tCrB);
  }
  CUTE_NO_UNROLL
  for (; tiles > 1; --tiles) {
    CUTE_UNROLL
    for (int ik = 0; ik < k_blocks; ++ik) {
      if (ahead > 0 && ik == k_blocks - 1) {
        wait_for_next();
      }
      if (ik == 0 && kCopyFirst) {
        copy_next_tile();
      }
      load_k_block(SharedStage<Config>(shared, stage_to_read), (ik + ahead) % k_blocks, tCrA, tCrB);
      if (ik == 0 && !kCopyFirst) {
        copy_next_tile();
      }
      cute::gemm(tiled_mma, tCrC, tCrA(_, _, ik), tCrB(_, _, ik), tCrC);
      if (ahead == 0 && ik == k_blocks - 1) {
        wait_for_next();
      }
    }
  }
  CUTE_UNROLL
  for (int ik = 0; ik < k_blocks; ++ik) {
    if (ik < k_blocks - ahead) {
      load_k_block(SharedStage<Config>(shared, stage_to_read), ik + ahead, tCrA, tCrB);
    }
    cute::gemm(tiled_mma, tCrC, tCrA(_, _, ik), tCrB(_, _, ik), tCrC);
  }
}

// All of the CTA's rows and K tiles lie inside the matrices: copies need no sizes.
template <class Config, int kStages, class ThrMma, class Accumulators>
CUTE_DEVICE void accumulate_whole(const GemmParams& params, const CtaTile<typename Config::Tile>& cta,
                                  cute::half_t* shared, const ThrMma& thr_mma, Accumulators& tCrC) {
  using Copy = OperandCopy<Config::kTileK, Config::kThreads>;
  auto gA = cta.gmem_a(params);  // (TILE_M, TILE_K)
  auto gB = cta.gmem_b(params);  // (TILE_N, TILE_K)
  accumulate_tiles<Config, kStages, Config::kFewRegistersLeft>(
      [&](const SharedStage<Config>& stage, bool /*is_last*/) {
        Copy::whole_tile(gA, stage.a());
        Copy::whole_tile(gB, stage.b());
        advance_k(gA);
        advance_k(gB);
      },
      params.k / cta.kK, kStages, shared, thr_mma, tCrC);
}

// Edges, K tails and operands that cannot be copied 16 bytes at a time.
template <class Config, bool kNarrow, class ThrMma, class Accumulators>
CUTE_DEVICE void accumulate_edge(const GemmParams& params, const CtaTile<typename Config::Tile>& cta,
                                 cute::half_t* shared, const ThrMma& thr_mma, Accumulators& tCrC) {
  using Copy = OperandCopy<Config::kTileK, Config::kThreads>;
  auto gA = cta.gmem_a(params);  // (TILE_M, TILE_K)
  auto gB = cta.gmem_b(params);  // (TILE_N, TILE_K)
  const std::int64_t tiles = (params.k + cta.kK - 1) / cta.kK;
  const int last_ks = static_cast<int>(params.k - (tiles - 1) * cta.kK);
  accumulate_tiles<Config, /*kStages=*/0, kNarrow || Config::kFewRegistersLeft>(
      [&](const SharedStage<Config>& stage, bool is_last) {
        const int ks = is_last ? last_ks : cta.kK;
        Copy::template tile<kNarrow>(gA, stage.a(), cta.rows_m, ks, params.copy_bytes_a);
        Copy::template tile<kNarrow>(gB, stage.b(), cta.rows_n, ks, params.copy_bytes_b);
        advance_k(gA);
        advance_k(gB);
      },
      tiles, params.stages, shared, thr_mma, tCrC);
}

template <class Config, bool kNarrow>
__device__ void multistage_gemm(const GemmParams& params, cute::half_t* shared) {
  using namespace cute;
  const CtaTile<typename Config::Tile> cta(params);
  Tensor gD = cta.gmem_d(params);  // (TILE_M, TILE_N)

  typename Config::TiledMma tiled_mma;
  auto thr_mma = tiled_mma.get_slice(threadIdx.x);
  Tensor tCrC = thr_mma.partition_fragment_C(gD);  // (MMA, MMA_M, MMA_N)
  clear(tCrC);
  const bool whole = !kNarrow && cta.rows_m == cta.kM && cta.rows_n == cta.kN && params.k % cta.kK == 0;
  if (params.k > 0 && whole && params.stages == 2) {
    accumulate_whole<Config, 2>(params, cta, shared, thr_mma, tCrC);
  } else if (params.k > 0 && whole && params.stages == 3) {
    accumulate_whole<Config, 3>(params, cta, shared, thr_mma, tCrC);
  } else if (params.k > 0 && whole && params.stages == 4) {
    accumulate_whole<Config, 4>(params, cta, shared, thr_mma, tCrC);
  } else if (params.k > 0) {
    accumulate_edge<Config, kNarrow>(params, cta, shared, thr_mma, tCrC);
  }

  cp_async_wait<0>();
  __syncthreads();  // no copy is under way and nobody reads operands any more: the epilogue may reuse their memory
  const bool wide = params.ldd % 8 == 0 && reinterpret_cast<std::uintptr_t>(params.d) % 16 == 0;
  store_through_shared<Config>(thr_mma, tCrC, gD, cta.rows_m, cta.rows_n, wide, shared);
}

}  // namespace tileloom::kernels
