// SPDX-License-Identifier: Apache-2.0
// Where one thread's elements lie on the CTA's tile, and how the pattern repeats.
#pragma once

#include <optional>
#include <vector>

#include "tileloom/trace/thread_elements.hpp"

namespace tileloom::trace {

// The pattern of the tiled MMA's tile, again further down or across.
struct PatternRepeat {
  std::int64_t period = 0;            // rows or columns
  std::int64_t count = 1;             // of patterns in the tile
  std::optional<std::int64_t> slots;  // from one pattern to the next, where it is always the same
};

struct TileMap {
  Operand operand = Operand::a;
  std::int64_t thread = 0;
  std::int64_t rows = 0, columns = 0;  // of the CTA's tile
  std::vector<std::int64_t> slots;     // by row + rows * column; -1: another thread's
  PatternRepeat down, across;          // period * count = rows, columns

  [[nodiscard]] std::int64_t at(std::int64_t row, std::int64_t column) const {
    return slots.at(static_cast<std::size_t>(row + rows * column));
  }
};

// Law: a slot at (r,c) stands for a slot at (r + i * down.period, c + j * across.period) too, for all of them.
[[nodiscard]] TileMap tile_map(const Kernel& kernel, const ThreadElements& elements);

}  // namespace tileloom::trace
