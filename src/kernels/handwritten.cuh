// SPDX-License-Identifier: Apache-2.0
// Family `handwritten`: what `multistage` does, in CUDA C++ and PTX alone: cp.async through a ring of shared-memory
// stages, ldmatrix and mma.sync overlapped over k-blocks, output by shuffles in registers. For comparison with CuTe.
//
// Ordering. The fragments of a k-block are loaded while the block before is multiplied. Thus all of a tile has been
// read before its last k-block is multiplied: there, a wait and a barrier make the next tile visible to all and say
// that everybody has finished reading this one, whose stage the next copy overwrites. Each thread commits one group of
// copies a tile, empty past the last, so "all but `stages - 2` groups have arrived" always means "the next tile has".
#pragma once

#include "kernels/cta_place.cuh"
#include "kernels/handwritten_epilogue.cuh"
#include "kernels/handwritten_tiles.cuh"

namespace tileloom::kernels {

// The loop over K tiles. copy_tile(stage, left) begins the copies of the next tile of both operands, and none where the
// number of tiles left to copy is below 1. kStages: 0 where the number is known at run time only. kCopyFirst: copies
// that take many registers go before the loads, where fewer are in use.
template <class Config, int kStages, bool kCopyFirst, class CopyTile>
class Pipeline {
 public:
  __device__ Pipeline(CopyTile& copy_tile, std::uint32_t shared, std::int64_t tiles, int stages, WarpSums<Config>& sums)
      : copy_tile_(copy_tile),
        sums_(sums),
        stages_(kStages != 0 ? kStages : stages),
        first_stage_(shared),
        last_stage_(shared + (stages_ - 1) * Config::kStageBytes),
        stage_(shared),
        tiles_(tiles),
        tiles_to_copy_(tiles) {}

  __device__ __forceinline__ void run() {
#pragma unroll 1
    for (std::uint32_t stage = first_stage_; stage != last_stage_; stage += Config::kStageBytes) {
      copy_to(stage);
    }
    await_tile();
    Fragments<Config> first, second;
#pragma unroll
    for (int i = 0; i < Reader<Config>::kLoads; ++i) {
      reader_.load(stage_, 0, i, first);
    }
    copy_to(last_stage_);
#pragma unroll 1
    for (; tiles_ > 1; --tiles_) {
      tile(first, second);
      if constexpr (Config::kBlocks % 2 == 1) {  // the next tile begins in the other fragments
        if (--tiles_ == 1) {
          return last_tile(second, first);
        }
        tile(second, first);
      }
    }
    last_tile(first, second);
  }

 private:
  __device__ __forceinline__ void copy_to(std::uint32_t stage) {
    copy_tile_(stage, tiles_to_copy_);
    --tiles_to_copy_;
    cp_async_commit();
  }

  __device__ __forceinline__ void await_tile() {
    wait_for_next_tile<kStages>(stages_);
    __syncthreads();
  }

  // Multiplies a k-block; between its mma.sync stand the loads of the next one, then `copy`.
  template <class Copy>
  __device__ __forceinline__ void multiply(const Fragments<Config>& now, Fragments<Config>& next, std::uint32_t stage,
                                           int next_block, const Copy& copy) {
    constexpr int kSpacing = 2;
    static_assert(kSpacing * Reader<Config>::kLoads < Config::kAtomsM * Config::kAtomsN);
#pragma unroll
    for (int at = 0; at < Config::kAtomsM * Config::kAtomsN; ++at) {
      if (at % kSpacing == 0 && at / kSpacing < Reader<Config>::kLoads) {
        reader_.load(stage, next_block, at / kSpacing, next);
      }
      if (at == kSpacing * Reader<Config>::kLoads) {
        copy();
      }
      multiply_atom(now, at);
    }
  }

  // Row by row, there and back, so that one operand stays the same.
  __device__ __forceinline__ void multiply_atom(const Fragments<Config>& now, int at) {
    const int m = at / Config::kAtomsN;
    const int n = m % 2 == 0 ? at % Config::kAtomsN : Config::kAtomsN - 1 - at % Config::kAtomsN;
    sums_.at[m][n].add_product(now.a[m], now.b[n]);
  }

  // A tile whose first k-block is in `first`, and that has a next one, whose first k-block is loaded last.
  __device__ __forceinline__ void tile(Fragments<Config>& first, Fragments<Config>& second) {
#pragma unroll
    for (int block = 0; block + 1 < Config::kBlocks; ++block) {
      multiply(block % 2 == 0 ? first : second, block % 2 == 0 ? second : first, stage_, block + 1, [] {});
    }
    await_tile();
    const std::uint32_t done = stage_;
    stage_ = stage_ == last_stage_ ? first_stage_ : stage_ + Config::kStageBytes;
    if constexpr (kCopyFirst) {
      copy_to(done);
    }
    constexpr bool kLastIsFirst = Config::kBlocks % 2 == 1;
    multiply(kLastIsFirst ? first : second, kLastIsFirst ? second : first, stage_, 0, [&] {
      if constexpr (!kCopyFirst) {
        copy_to(done);
      }
    });
  }

  __device__ __forceinline__ void last_tile(Fragments<Config>& first, Fragments<Config>& second) {
#pragma unroll
    for (int block = 0; block + 1 < Config::kBlocks; ++block) {
      multiply(block % 2 == 0 ? first : second, block % 2 == 0 ? second : first, stage_, block + 1, [] {});
    }
#pragma unroll
    for (int at = 0; at < Config::kAtomsM * Config::kAtomsN; ++at) {
      multiply_atom(Config::kBlocks % 2 == 1 ? first : second, at);
    }
  }

  CopyTile& copy_tile_;
  WarpSums<Config>& sums_;
  Reader<Config> reader_;
  int stages_;
  std::uint32_t first_stage_, last_stage_;
  std::uint32_t stage_;  // of the tile that is being multiplied
  std::int64_t tiles_, tiles_to_copy_;
};

// All of the CTA's rows and K tiles lie inside the matrices: copies need no sizes.
template <class Config, int kStages>
__device__ __forceinline__ void accumulate_whole(const GemmParams& params, const HandwrittenPlace<Config>& cta,
                                                 std::uint32_t shared, WarpSums<Config>& sums) {
  Writer<Config, Config::kTileM> a(params.a, cta.origin_m, params.lda, 0);
  Writer<Config, Config::kTileN> b(params.b, cta.origin_n, params.ldb, Config::kBytesA);
  auto copy_tile = [&](std::uint32_t stage, std::int64_t left) {
    a.copy_whole(stage, left > 0);
    b.copy_whole(stage, left > 0);
  };
  Pipeline<Config, kStages, /*kCopyFirst=*/false, decltype(copy_tile)>(copy_tile, shared, params.k / Config::kTileK,
                                                                       kStages, sums)
      .run();
}

// Edges, K tails and operands that cannot be copied 16 bytes at a time.
template <class Config, bool kNarrow>
__device__ __forceinline__ void accumulate_edge(const GemmParams& params, const HandwrittenPlace<Config>& cta,
                                                std::uint32_t shared, WarpSums<Config>& sums) {
  Writer<Config, Config::kTileM> a(params.a, cta.origin_m, params.lda, 0);
  Writer<Config, Config::kTileN> b(params.b, cta.origin_n, params.ldb, Config::kBytesA);
  const std::int64_t tiles = (params.k + Config::kTileK - 1) / Config::kTileK;
  const int last_ks = static_cast<int>(params.k - (tiles - 1) * Config::kTileK);
  auto copy_tile = [&](std::uint32_t stage, std::int64_t left) {
    if (left > 0) {
      const int ks = left == 1 ? last_ks : Config::kTileK;
      a.template copy_part<kNarrow>(stage, cta.rows_m, ks, params.copy_bytes_a);
      b.template copy_part<kNarrow>(stage, cta.rows_n, ks, params.copy_bytes_b);
    }
  };
  Pipeline<Config, /*kStages=*/0, /*kCopyFirst=*/kNarrow, decltype(copy_tile)>(copy_tile, shared, tiles, params.stages,
                                                                               sums)
      .run();
}

template <class Config, bool kNarrow>
__device__ __forceinline__ void handwritten_gemm(const GemmParams& params, const void* shared_memory) {
  const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_memory));
  const HandwrittenPlace<Config> cta(params);
  WarpSums<Config> sums;
  const bool whole =
      !kNarrow && cta.rows_m == Config::kTileM && cta.rows_n == Config::kTileN && params.k % Config::kTileK == 0;
  if (params.k > 0 && whole && params.stages == 2) {
    accumulate_whole<Config, 2>(params, cta, shared, sums);
  } else if (params.k > 0 && whole && params.stages == 3) {
    accumulate_whole<Config, 3>(params, cta, shared, sums);
  } else if (params.k > 0 && whole && params.stages == 4) {
    accumulate_whole<Config, 4>(params, cta, shared, sums);
  } else if (params.k > 0) {
    accumulate_edge<Config, kNarrow>(params, cta, shared, sums);
  }
  store_by_shuffles(params, cta, sums);
}

}  // namespace tileloom::kernels
