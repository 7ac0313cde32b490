// SPDX-License-Identifier: Apache-2.0
// What ldmatrix pays for one 8x8 matrix at the origin of a layout in shared memory.
#pragma once

#include <optional>
#include <string>

#include "render/draw/picture.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::render::draw {

struct RowCost {
  Mark mark;         // the matrix: eight rows of 16 bytes
  std::string text;  // "outlined: ..., 8 wavefronts instead of 1"
};

// Nothing where no row of 16 bytes lies together at a multiple of 16 bytes, along either mode. Precondition: integer
// offsets.
[[nodiscard]] std::optional<RowCost> row_cost(const layout::AnyLayout& layout, int bits);

}  // namespace tileloom::render::draw
