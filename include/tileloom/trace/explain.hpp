// SPDX-License-Identifier: Apache-2.0
// How to read a nested layout: offset = a*1 + b*512 + ..., and where each mode comes from.
//
//   const ExplainedTensor e = explain(kernel, overview.stages[0].tensors[0], overview.thread);
//   e.modes[1].stride      // 512: what b is multiplied by
//   e.modes[1].step        // {8, 0, 0}: 8 rows further down the tile
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tileloom/trace/overview.hpp"

namespace tileloom::trace {

// Where a mode comes from.
enum class Origin {
  tile,         // a mode of the tile itself: rows or columns
  instruction,  // the values that a thread holds of one MMA
  copy,         // the values that one copy instruction of a thread moves
  copies,       // further copy instructions within the copy's tile
  permutation,  // MMAs within the tiled MMA's tile, beyond the atoms side by side: whole / part
  repeats,      // the tiled MMA's or the copy's tile, again over the CTA's: whole / part
  k_tile,       // the next tile along K
  stage         // the next stage, or the next part of the epilogue
};

// A leaf of the layout with more than one value; or a whole mode of one value, with an empty symbol and stride 0.
struct ExplainedMode {
  std::string symbol;  // a
  std::string mode;    // MMA: the mode of which it is a part
  std::int64_t size = 1;
  std::int64_t stride = 0;
  Origin origin = Origin::instruction;
  std::int64_t whole = 0, part = 0;           // of permutation and repeats: lengths along the mode
  std::array<std::int64_t, 3> step{};         // rows, columns, k-tiles or stages from one value to the next
  bool even = true;                           // every step is like the first
  std::vector<hw::MatrixPosition> positions;  // of an uneven mode: each value's element, the others at 0
};

// One coordinate: 1 for each mode.
struct ExplainedExample {
  std::vector<std::int64_t> coordinate;   // by mode
  std::int64_t offset = 0;                // of the layout
  std::array<std::int64_t, 3> element{};  // row, column, k-tile or stage
};

struct ExplainedTensor {
  NamedLayout tensor;
  std::vector<ExplainedMode> modes;        // first mode first
  std::optional<layout::Swizzle> swizzle;  // of the sum, where the layout keeps one
  std::int64_t before = 0;                 // what is added before that swizzle
  bool from_swizzled = false;              // a part of a swizzled tensor: run-time strides are this thread's alone
  ExplainedExample example;
};

// Precondition: `tensor` is one of an overview of that thread.
[[nodiscard]] ExplainedTensor explain(const Kernel& kernel, const NamedLayout& tensor, std::int64_t thread);

}  // namespace tileloom::trace
