// SPDX-License-Identifier: Apache-2.0
// Panels whose cells say who holds an element: `T5` over `V0`, coloured by thread mod 8. Where several threads hold it,
// the lowest is shown, `T5 +1`.
#pragma once

#include <functional>

#include "render/draw/picture.hpp"

namespace tileloom::render::draw {

// "0" to "7".
[[nodiscard]] std::array<std::string, 8> modulo_names();

// Without panels.
[[nodiscard]] Picture owner_picture(std::string title);

// The holders of the cell at (row, column) of the panel, in any order.
using Holders = std::function<std::vector<hw::Holding>(int row, int column)>;

// Fills the cells of `panel` and puts it into the picture; a note explains `+1` where it occurs. Throws
// Error(bad_input) where the picture gets more than max_cells.
void add_panel(Picture& picture, Panel panel, const Holders& holders);

}  // namespace tileloom::render::draw
