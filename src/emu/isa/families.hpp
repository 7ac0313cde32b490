// SPDX-License-Identifier: Apache-2.0
// The decoders of each family of instructions.
#pragma once

#include <span>

#include "emu/isa/instruction.hpp"

namespace tileloom::emu {

[[nodiscard]] std::span<const DecodeEntry> integer_instructions();
[[nodiscard]] std::span<const DecodeEntry> multiply_instructions();
[[nodiscard]] std::span<const DecodeEntry> bit_instructions();
[[nodiscard]] std::span<const DecodeEntry> real_instructions();
[[nodiscard]] std::span<const DecodeEntry> approximate_instructions();
[[nodiscard]] std::span<const DecodeEntry> half_instructions();
[[nodiscard]] std::span<const DecodeEntry> compare_instructions();
[[nodiscard]] std::span<const DecodeEntry> move_instructions();
[[nodiscard]] std::span<const DecodeEntry> convert_instructions();
[[nodiscard]] std::span<const DecodeEntry> memory_instructions();
[[nodiscard]] std::span<const DecodeEntry> atomic_instructions();
[[nodiscard]] std::span<const DecodeEntry> async_copy_instructions();
[[nodiscard]] std::span<const DecodeEntry> warp_instructions();
[[nodiscard]] std::span<const DecodeEntry> matrix_instructions();
[[nodiscard]] std::span<const DecodeEntry> control_instructions();

}  // namespace tileloom::emu
