// SPDX-License-Identifier: Apache-2.0
// Layouts of shared memory that cost less: swizzles and paddings, searched for the write and the read together.
//
//   const Suggestions s = suggest_layouts(kernel);
//   s.operands[0].best[0].settings      // {{"smem.A", "Sw<2,3,3> o _0 o (_128,_32,_3):(_32,_1,_4096)"}}
//   check_kernel(build_kernel(s.operands[0].best[0].config))      // passes, at exactly the stated costs
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tileloom/trace/check.hpp"

namespace tileloom::trace {

// What a layout costs at both ends, all instructions of one k-tile (C: one slab). Empty: the kernel has no such copy,
// or its cost is not known.
struct LayoutCost {
  std::optional<SharedCost> write;
  std::optional<SharedCost> read;
  // Wavefronts beyond those without conflicts; of ranges the upper end.
  [[nodiscard]] std::int64_t excess() const;
};

using Settings = std::vector<std::pair<std::string, std::string>>;  // field of the configuration -> value

struct Suggestion {
  std::string what;  // Sw<2,3,3>; rows of 40 elements; no swizzle
  Settings settings;
  KernelConfig config;  // with the settings made
  LayoutCost cost;
  std::int64_t shared_bytes = 0;  // of a CTA
};

// The least that writing an operand costs, wherever its elements lie: cp.async is bound by what it reads, too.
struct SourceBound {
  int worst = 0;               // wavefronts of one instruction
  int ideal = 0;               // of the same
  int lines = 0;               // 128-byte lines of global memory that it reads
  std::int64_t all = 0;        // wavefronts of all instructions
  std::int64_t row_bytes = 0;  // that lie together in global memory
};

struct OperandSuggestions {
  Operand operand = Operand::a;
  LayoutCost now;
  std::vector<Suggestion> best;       // up to three, best first: fewest excess wavefronts, then fewest bytes
  std::optional<Suggestion> padding;  // the best padding, where it is not among them
  std::int64_t searched = 0;          // layouts
  std::optional<SourceBound> bound;   // where it is above the ideal
};

// What a tile of whole 128-byte rows along K would cost: both operands, each with its best layout.
struct WiderTile {
  Suggestion suggestion;  // cost: empty
  LayoutCost a;
  LayoutCost b;
};

struct Suggestions {
  std::vector<OperandSuggestions> operands;  // those in shared memory
  std::optional<WiderTile> wider;            // where a bound is due to short rows along K
};

// Searched: every swizzle <B,M,S>, S of either sign, that keeps the widest access together, stays inside the tile and
// is the same in every stage, on the kernel's own layout and on the plain one with the same contiguous mode; and rows
// padded by 1, 2, ... accesses up to 128 bytes. Every suggestion passes each check that the kernel passes.
[[nodiscard]] Suggestions suggest_layouts(const Kernel& kernel);

}  // namespace tileloom::trace
