// SPDX-License-Identifier: Apache-2.0
// One thread's elements of an operand, MMA by MMA: what tCrA(_,m,k) holds.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tileloom/trace/kernel.hpp"
#include "tileloom/trace/tile_table.hpp"

namespace tileloom::trace {

// The values of one MMA.
struct MmaElements {
  std::array<int, 2> repeat{};               // (m,k) of A, (n,k) of B, (m,n) of C
  std::vector<std::int64_t> slots;           // offsets in the fragment, by value
  std::vector<hw::MatrixPosition> elements;  // in the CTA's tile, by value
};

struct ThreadElements {
  Operand operand = Operand::a;
  std::int64_t thread = 0;
  int per_register = 1;                // neighbouring values that share a register
  std::vector<std::string> registers;  // of one MMA: a0, a1, ...
  std::vector<MmaElements> blocks;     // first repeats first
};

// Throws Error(bad_input) for a thread that the tiled MMA does not have.
[[nodiscard]] ThreadElements thread_elements(const Kernel& kernel, Operand operand, std::int64_t thread);

}  // namespace tileloom::trace
