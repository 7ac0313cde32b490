// SPDX-License-Identifier: Apache-2.0
// Which element of the operand's tile each coordinate of a tensor is.
#pragma once

#include <array>
#include <optional>

#include "tileloom/trace/overview.hpp"
#include "tileloom/trace/tile_table.hpp"

namespace tileloom::trace {

class TensorElements {
 public:
  // Of a tensor of stage_layouts for that thread.
  TensorElements(const Kernel& kernel, const NamedLayout& tensor, std::int64_t thread);

  // (row, column, k-tile or stage) of a 1-D coordinate. For shared tensors of C row and column are those in the part.
  [[nodiscard]] std::array<std::int64_t, 3> at(std::int64_t coordinate) const;
  // Rows and columns that are shared out.
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }

 private:
  std::int64_t rows_, columns_;
  std::optional<TileTable> table_;  // none: the whole tensor
  int thread_ = 0;                  // its index
};

}  // namespace tileloom::trace
