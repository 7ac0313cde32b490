// SPDX-License-Identifier: Apache-2.0
// Family `handwritten`: sums -> D without shared memory. Lanes exchange, so that each stores 16 bytes at once.
#pragma once

#include "kernels/cta_place.cuh"
#include "kernels/handwritten_tiles.cuh"
#include "kernels/store_chunk.cuh"

namespace tileloom::kernels {

template <class Config>
using HandwrittenPlace = CtaPlace<Config::kTileM, Config::kTileN>;

// The sums of a warp's part of the output tile.
template <class Config>
struct WarpSums {
  typename Config::Sums at[Config::kAtomsM][Config::kAtomsN];
};

// Swaps `mine` with the lane whose number differs in `bit`: the lane with the bit 0 gives `high`, the other one `low`.
__device__ inline void swap_across(std::uint32_t& low, std::uint32_t& high, int bit) {
  const bool upper = (threadIdx.x & bit) != 0;
  const std::uint32_t got = __shfl_xor_sync(0xffffffffU, upper ? low : high, bit);
  low = upper ? got : low;
  high = upper ? high : got;
}

// Transposes 4 x 4 words among four neighbouring lanes: afterwards lane q holds word q of lanes 0 ... 3, in that order.
__device__ inline uint4 transposed(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) {
  swap_across(w0, w1, 1);
  swap_across(w2, w3, 1);
  swap_across(w0, w2, 2);
  swap_across(w1, w3, 2);
  return {w0, w1, w2, w3};
}

// A row of four neighbouring mma.sync is 4 x 8 halves of D, of which lane q of a quad holds the pair q of each. After
// the transposition it holds all of the q-th: 16 bytes; the quad stores 64 bytes of a row, the warp 8 rows.
template <class Config>
__device__ __forceinline__ void store_by_shuffles(const GemmParams& params, const HandwrittenPlace<Config>& cta,
                                                  const WarpSums<Config>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int first_row = warp % Config::kWarpsM * Config::kWarpTileM + lane / 4;
  const int first_column = warp / Config::kWarpsM * Config::kWarpTileN + lane % 4 * 8;
  const bool wide = params.ldd % 8 == 0 && reinterpret_cast<std::uintptr_t>(params.d) % 16 == 0;
  auto* d_row = static_cast<std::uint16_t*>(params.d) + (cta.origin_m + first_row) * params.ldd + cta.origin_n;
#pragma unroll
  for (int step = 0; step < 2 * Config::kAtomsM; ++step) {  // 8 rows each
#pragma unroll
    for (int n = 0; n < Config::kAtomsN; n += 4) {
      const auto& s = sums.at[step / 2];
      const int half = step % 2;
      const uint4 chunk = transposed(s[n].pair(half), s[n + 1].pair(half), s[n + 2].pair(half), s[n + 3].pair(half));
      const int column = first_column + 8 * n;
      if (first_row + 8 * step < cta.rows_m && column < cta.rows_n) {
        store_chunk(d_row + column, column, chunk, cta.rows_n, wide);
      }
    }
    d_row += 8 * params.ldd;
  }
}

}  // namespace tileloom::kernels
