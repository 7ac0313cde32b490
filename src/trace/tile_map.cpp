// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/tile_map.hpp"

namespace tileloom::trace {

namespace {

// How much the slots grow from one pattern to the next along one direction, if always as much.
std::optional<std::int64_t> slot_step(const TileMap& map, std::int64_t down, std::int64_t across) {
  std::optional<std::int64_t> step;
  for (std::int64_t c = 0; c + across < map.columns; ++c) {
    for (std::int64_t r = 0; r + down < map.rows; ++r) {
      if (map.at(r, c) < 0) {
        continue;
      }
      const std::int64_t here = map.at(r + down, c + across) - map.at(r, c);
      if (step && *step != here) {
        return std::nullopt;
      }
      step = here;
    }
  }
  return step;
}

}  // namespace

TileMap tile_map(const Kernel& kernel, const ThreadElements& elements) {
  const OperandPath& path = kernel.path(elements.operand);
  TileMap map;
  map.operand = elements.operand;
  map.thread = elements.thread;
  map.rows = path.rows;
  map.columns = path.columns;
  map.slots.assign(static_cast<std::size_t>(path.elements()), -1);
  for (const MmaElements& block : elements.blocks) {
    for (std::size_t v = 0; v < block.slots.size(); ++v) {
      const hw::MatrixPosition p = block.elements[v];
      map.slots.at(static_cast<std::size_t>(p.row + map.rows * p.column)) = block.slots[v];
    }
  }
  const auto [i, j] = modes_of(elements.operand);
  map.down.period = kernel.mma.tile_size(i).value;
  map.across.period = kernel.mma.tile_size(j).value;
  map.down.count = map.rows / map.down.period;
  map.across.count = map.columns / map.across.period;
  map.down.slots = slot_step(map, map.down.period, 0);
  map.across.slots = slot_step(map, 0, map.across.period);
  return map;
}

}  // namespace tileloom::trace
