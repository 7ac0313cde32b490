// SPDX-License-Identifier: Apache-2.0
// What routes need of a kernel, evaluated once, so that following an element is a handful of look-ups.
#pragma once

#include <optional>
#include <vector>

#include "tileloom/trace/route.hpp"

namespace tileloom::trace {

inline constexpr int warp_size = 32;

// A fragment by 1-D coordinate.
struct FragmentIndex {
  FragmentIndex(const layout::AnyLayout& fragment, const hw::MmaOperand& operand);

  [[nodiscard]] std::array<int, 3> coordinate(int value) const {
    return {value % values, value / values % first, value / values / first};
  }

  int values;  // of one MMA
  int first;   // repeats in the first mode
  std::vector<std::int64_t> slots;
  std::vector<hw::RegisterBits> bits;  // by value of one MMA
};

// One end of a tiled copy over a tile.
struct EndIndex {
  EndIndex(const TiledCopy& copy, End end, std::int64_t rows, std::int64_t columns);

  // The instruction that moves value `holding`, in the table's positions.
  [[nodiscard]] CopyPlace instruction(hw::Holding holding, int bits) const;

  TileTable table;
  int together;  // values that one instruction of a thread moves
};

// A copy between shared memory and registers.
struct RegisterCopyIndex {
  RegisterCopyIndex(const OperandPath& path, const TiledCopy& copy);

  [[nodiscard]] std::array<int, 3> coordinate(int value) const {
    return {value % values, value / values % first, value / values / first};
  }

  EndIndex source, destination;
  int group;                     // threads that execute an instruction together
  int reference_values;          // of a thread
  int values_in_tile;            // of a thread in one tile of the copy, at its destination
  int values, first;             // modes of the retiled fragment
  std::vector<std::int64_t> e;   // by thread in the group + group * value
  std::vector<std::int64_t> tv;  // by e
  std::vector<std::int64_t> q;   // by reference thread + threads * reference value
  int threads;
};

struct RouteTracer::Index {
  explicit Index(const Kernel& kernel);

  std::vector<TileTable> registers;      // by operand
  std::vector<FragmentIndex> fragments;  // by operand
  std::array<std::optional<EndIndex>, 2> fill;
  std::array<std::optional<RegisterCopyIndex>, 2> drain;
  std::optional<RegisterCopyIndex> r2s;  // of the whole tile
  std::optional<EndIndex> to_global;     // of one part, or of D where it has none
};

}  // namespace tileloom::trace
