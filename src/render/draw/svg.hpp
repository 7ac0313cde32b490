// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG 1.1: one file with nothing from outside.
//
// Each cell is a <rect class="cI"> (I its colour, x for none) followed by its one or two <text>s, inside the <g> of
// its panel, row after row. The picture has its natural size up to 1600 wide or high and is scaled down to it beyond.
#pragma once

#include <ostream>

#include "render/draw/picture.hpp"

namespace tileloom::render::draw {

void write_svg(std::ostream& out, const Picture& picture);

}  // namespace tileloom::render::draw
