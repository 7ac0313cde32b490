// SPDX-License-Identifier: Apache-2.0
// Global memory -> shared memory for one operand, with the copies of cp_async.cuh; a row outside the matrix is all
// zeros. CuTe's own zero-filling atom is all or nothing, hence the instructions there.
#pragma once

#include <cstdint>
#include <cute/tensor.hpp>

#include "kernels/cp_async.cuh"

namespace tileloom::kernels {

// How a CTA's threads share the copy of a (rows, kTileK) tile: consecutive threads take consecutive chunks of a row.
template <int kTileK, int kThreads>
struct OperandCopy {
  static constexpr int kChunksPerRow = kTileK / kChunkHalves;
  using TiledCopy = decltype(cute::make_tiled_copy(
      cute::Copy_Atom<cute::SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>, cute::half_t>{},
      cute::Layout<cute::Shape<cute::Int<kThreads / kChunksPerRow>, cute::Int<kChunksPerRow>>,
                   cute::Stride<cute::Int<kChunksPerRow>, cute::_1>>{},
      cute::Layout<cute::Shape<cute::_1, cute::Int<kChunkHalves>>>{}));

  static_assert(kTileK % kChunkHalves == 0 && kThreads % kChunksPerRow == 0,
                "operand copy: a row of the K tile must be whole chunks, and a pass over the threads whole rows");

  // All of a tile that lies inside the matrix, by 16-byte copies.
  template <class Global, class Shared>
  static __device__ void whole_tile(const Global& g, const Shared& s) {
    using namespace cute;
    auto thr_copy = TiledCopy{}.get_slice(threadIdx.x);
    Tensor tg = thr_copy.partition_S(g);  // (CPY, CPY_ROWS, 1)
    Tensor ts = thr_copy.partition_D(s);  // (CPY, CPY_ROWS, 1)
    CUTE_UNROLL
    for (int i = 0; i < size<1>(tg); ++i) {
      cp_async_chunk(cast_smem_ptr_to_uint(raw_pointer_cast(&ts(0, i, 0))), raw_pointer_cast(&tg(0, i, 0)));
    }
  }

  // kNarrow false: 16-byte copies. True: `copy_bytes` (16, 8, 4 or 2) decides, the same for all threads.
  // `g` is (rows, TILE_K), `s` is (rows, TILE_K) in shared memory; `rows` and `ks` say how much of the tile is inside.
  template <bool kNarrow, class Global, class Shared>
  static __device__ void tile(const Global& g, const Shared& s, int rows, int ks, int copy_bytes) {
    using namespace cute;
    auto thr_copy = TiledCopy{}.get_slice(threadIdx.x);
    // clang-format off
    Tensor tg = thr_copy.partition_S(g);                                  // (CPY, CPY_ROWS, 1)
    Tensor ts = thr_copy.partition_D(s);                                  // (CPY, CPY_ROWS, 1)
    Tensor tc = thr_copy.partition_S(make_identity_tensor(shape(g)));     // (CPY, CPY_ROWS, 1) -> (row, k)
    // clang-format on
    static_assert(decltype(size<2>(tg))::value == 1, "operand copy: one pass covers whole rows");
    const int left = 2 * (ks - static_cast<int>(get<1>(tc(0, 0, 0))));
    const int valid_bytes = left < 0 ? 0 : left < kChunkBytes ? left : kChunkBytes;
    CUTE_UNROLL
    for (int i = 0; i < size<1>(tg); ++i) {
      const int valid = get<0>(tc(0, i, 0)) < rows ? valid_bytes : 0;
      const auto* global = reinterpret_cast<const char*>(raw_pointer_cast(&tg(0, i, 0)));
      const std::uint32_t shared = cast_smem_ptr_to_uint(raw_pointer_cast(&ts(0, i, 0)));
      if constexpr (kNarrow) {
        copy_chunk(shared, global, valid, copy_bytes);
      } else {
        cp_async_zero_fill<kChunkBytes>(shared, global, valid);
      }
    }
  }
};

}  // namespace tileloom::kernels
