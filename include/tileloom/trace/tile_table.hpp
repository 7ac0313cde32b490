// SPDX-License-Identifier: Apache-2.0
// Which element of a CTA's tile each value of each thread is, evaluated once.
//
//   const TileTable a(kernel.mma, Operand::a, 128, 64);
//   a.at(0, 5)          // {0, 9}
//   a.holders({0, 9})   // thread 0 value 5, thread 64 value 5: the warps that work side by side along N hold the same
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tileloom/hw/lane_maps.hpp"
#include "tileloom/trace/tiled_copy.hpp"
#include "tileloom/trace/tiled_mma.hpp"

namespace tileloom::trace {

class TileTable {
 public:
  // Values in the order of a partition's 1-D coordinate. Throw Error(bad_input) where the tile is no multiple of what
  // the MMA or the copy covers.
  TileTable(const TiledMma& mma, Operand operand, std::int64_t rows, std::int64_t columns);
  TileTable(const TiledCopy& copy, End end, std::int64_t rows, std::int64_t columns);

  [[nodiscard]] int threads() const { return static_cast<int>(thread_offsets_.size()); }
  [[nodiscard]] int values() const { return static_cast<int>(value_offsets_.size()); }
  // Thread `index` as the CTA counts it; they differ where an atom leaves lanes out.
  [[nodiscard]] int thread_id(int index) const { return thread_ids_[static_cast<std::size_t>(index)]; }

  // The index of a thread of the CTA; threads() if it has none.
  [[nodiscard]] int index_of(int thread) const;

  // `thread` is an index. Preconditions: thread < threads(), value < values().
  [[nodiscard]] hw::MatrixPosition at(int thread, int value) const;
  // All, by thread; Holding::thread is an index. Precondition: the position is inside.
  [[nodiscard]] std::span<const hw::Holding> holders(hw::MatrixPosition p) const;
  // How often each element occurs, by row + rows * column.
  [[nodiscard]] std::vector<int> occurrences() const;

 private:
  void index();
  [[nodiscard]] std::size_t element(int thread, int value) const {
    return static_cast<std::size_t>(thread_offsets_[static_cast<std::size_t>(thread)] +
                                    value_offsets_[static_cast<std::size_t>(value)]);
  }

  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<int> thread_ids_;
  std::vector<std::int64_t> thread_offsets_;  // the element of value (t, v) is the sum of both
  std::vector<std::int64_t> value_offsets_;
  std::vector<int> first_;  // by element: where its holders begin
  std::vector<hw::Holding> holdings_;
};

}  // namespace tileloom::trace
