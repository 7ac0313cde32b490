// SPDX-License-Identifier: Apache-2.0
// Registers -> global memory, 16 bytes at a time where that is possible. No CuTe.
#pragma once

#include <cstdint>

namespace tileloom::kernels {

// Stores 8 halves at `d`, which is `column` of a row of D, of which those left of `columns` are written: at once where
// they all are and `wide` says that D's rows are 16-byte aligned, else one by one.
__device__ inline void store_chunk(std::uint16_t* d, int column, uint4 chunk, int columns, bool wide) {
  if (wide && column + 8 <= columns) {
    // Written out because the compiler otherwise splits it into four stores.
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(d), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z),
                 "r"(chunk.w)
                 : "memory");
    return;
  }
  const std::uint32_t words[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (column + i < columns) {
      d[i] = static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16));
    }
  }
}

}  // namespace tileloom::kernels
