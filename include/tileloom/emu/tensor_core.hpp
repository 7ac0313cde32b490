// SPDX-License-Identifier: Apache-2.0
// Tensor-core arithmetic, bit for bit.
#pragma once

#include <cstdint>

#include "tileloom/hw/mma_numerics.hpp"

namespace tileloom::emu {

enum class MmaInput { f16, bf16 };
enum class MmaAccumulator { f16, f32 };  // the type of C and D

// D[M][N] = A[M][16] * B[N][16]^T + C[M][N] for one instruction of K = 16; all row-major and dense, elements as bit
// patterns. `c` and `d` hold 32-bit elements: an f32 pattern, or an f16 pattern in the low half (high half ignored in
// C, zero in D). d may be c. M is a multiple of 16, N a multiple of 8. bf16 inputs take an f32 accumulator only
// (precondition).
// `numerics`: steps * terms is 16 (precondition). Those of hw::mma_numerics_k16 are fast, any other slow. Elements with
// infinities, NaN, or exponents far from zero (bf16 and f32 beyond about 2^60, or deciding the result and below 2^-60)
// take the time of mma_k16_element each.
void mma_k16(const hw::MmaNumerics& numerics, MmaInput input, MmaAccumulator accumulator, int m, int n,
             const std::uint16_t* a, const std::uint16_t* b, const std::uint32_t* c, std::uint32_t* d);

// The same for one element, written as plainly as the rule: slow, the definition that mma_k16 is tested against.
[[nodiscard]] std::uint32_t mma_k16_element(const hw::MmaNumerics& numerics, MmaInput input, MmaAccumulator accumulator,
                                            const std::uint16_t* a, const std::uint16_t* b, std::uint32_t c);

}  // namespace tileloom::emu
