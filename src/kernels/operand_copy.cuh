// SPDX-License-Identifier: Apache-2.0
// Global memory -> shared memory for one operand: asynchronous copies whose zero fill is exact to the byte.
//
// A row of the tile is cut into chunks of 8 halves (16 bytes), the unit that the swizzle keeps together. A chunk that
// straddles the matrix's last column copies its valid bytes and fills the rest with zeros; a row outside the matrix is
// all zeros. CuTe's own zero-filling atom is all or nothing, hence the instruction here.
#pragma once

#include <cstdint>
#include <cute/tensor.hpp>

namespace tileloom::kernels {

inline constexpr int kChunkHalves = 8;
inline constexpr int kChunkBytes = 16;

// Copies the first `valid` of `kBytes` bytes and zeroes the others (PTX cp.async with src-size). With valid = 0 nothing
// is read. `.cg`, which bypasses L1, exists for 16 bytes only.
template <int kBytes>
__device__ void cp_async_zero_fill(std::uint32_t shared, const void* global, int valid) {
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(valid) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(global), "n"(kBytes), "r"(valid)
                 : "memory");
  }
}

// A whole chunk, without the cost of a run-time size.
__device__ inline void cp_async_chunk(std::uint32_t shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

// One chunk by narrower asynchronous copies, for operands whose address or leading dimension is not 16-byte aligned.
template <int kBytes>
__device__ void copy_chunk_async(std::uint32_t shared, const char* global, int valid) {
  CUTE_UNROLL
  for (int at = 0; at < kChunkBytes; at += kBytes) {
    const int left = valid - at;
    cp_async_zero_fill<kBytes>(shared + at, global + at, left < 0 ? 0 : left < kBytes ? left : kBytes);
  }
}

// One chunk through registers, for operands that are aligned to 2 bytes only: cp.async needs at least 4.
__device__ inline void copy_chunk_through_registers(std::uint32_t shared, const char* global, int valid) {
  std::uint32_t words[kChunkBytes / 4];
  CUTE_UNROLL
  for (int i = 0; i < kChunkBytes / 4; ++i) {
    const auto* halves = reinterpret_cast<const std::uint16_t*>(global) + 2 * i;
    const std::uint32_t low = 4 * i < valid ? halves[0] : 0;
    const std::uint32_t high = 4 * i + 2 < valid ? halves[1] : 0;
    words[i] = low | high << 16;
  }
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(words[0]), "r"(words[1]), "r"(words[2]),
               "r"(words[3])
               : "memory");
}

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
        chunk(shared, global, valid, copy_bytes);
      } else {
        cp_async_zero_fill<kChunkBytes>(shared, global, valid);
      }
    }
  }

 private:
  static __device__ void chunk(std::uint32_t shared, const char* global, int valid, int copy_bytes) {
    switch (copy_bytes) {
      case 16:
        return copy_chunk_async<16>(shared, global, valid);
      case 8:
        return copy_chunk_async<8>(shared, global, valid);
      case 4:
        return copy_chunk_async<4>(shared, global, valid);
      default:
        return copy_chunk_through_registers(shared, global, valid);
    }
  }
};

}  // namespace tileloom::kernels
