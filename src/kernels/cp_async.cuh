// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory whose zero fill is exact to the byte, and the wait for them. No
// CuTe.
//
// A row of an operand's tile is cut into chunks of 8 halves (16 bytes), the unit that the swizzles keep together. A
// chunk that straddles the matrix's last column copies its valid bytes and fills the rest with zeros.
#pragma once

#include <cstdint>

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

// The same where `any` is true, without a branch. A line of global memory is longer than a tile's row, and its other
// part belongs to the tiles that come next: L2 is asked for all of it.
__device__ inline void cp_async_chunk_if(bool any, std::uint32_t shared, const void* global) {
  asm volatile(
      "{\n\t"
      ".reg .pred any;\n\t"
      "setp.ne.u32 any, %2, 0;\n\t"
      "@any cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n\t"
      "}" ::"r"(shared),
      "l"(global), "r"(static_cast<std::uint32_t>(any))
      : "memory");
}

// One chunk by narrower asynchronous copies, for operands whose address or leading dimension is not 16-byte aligned.
template <int kBytes>
__device__ void copy_chunk_async(std::uint32_t shared, const char* global, int valid) {
#pragma unroll
  for (int at = 0; at < kChunkBytes; at += kBytes) {
    const int left = valid - at;
    cp_async_zero_fill<kBytes>(shared + at, global + at, left < 0 ? 0 : left < kBytes ? left : kBytes);
  }
}

// One chunk through registers, for operands that are aligned to 2 bytes only: cp.async needs at least 4.
__device__ inline void copy_chunk_through_registers(std::uint32_t shared, const char* global, int valid) {
  std::uint32_t words[kChunkBytes / 4];
#pragma unroll
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

// One chunk by copies of `copy_bytes` (16, 8, 4 or 2), the same for all threads.
__device__ inline void copy_chunk(std::uint32_t shared, const char* global, int valid, int copy_bytes) {
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

// Ends a group of copies; empty groups count.
__device__ inline void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most kGroups of this thread's groups are under way; with 0, for copies outside of a group too.
template <int kGroups>
__device__ void cp_async_wait() {
  if constexpr (kGroups == 0) {
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
  }
}

// In a ring of stages with a group for each tile: waits until the tile to be read next has arrived, where `stages - 1`
// tiles have been begun that are not read yet. cp.async.wait_group takes a constant: kStages, or a choice where it is 0
// and `stages`, the same for all threads, counts.
template <int kStages>
__device__ void wait_for_next_tile(int stages) {
  if constexpr (kStages != 0) {
    return cp_async_wait<kStages - 2>();
  }
  switch (stages) {
    case 2:
      return cp_async_wait<0>();
    case 3:
      return cp_async_wait<1>();
    case 4:
      return cp_async_wait<2>();
    default:
      return cp_async_wait<3>();
  }
}

}  // namespace tileloom::kernels
