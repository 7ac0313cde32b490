// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts. A layout of rank 2 has mode 0 down and mode 1 across; one of rank 1 runs in rows of 32.
#pragma once

#include <string>

#include "render/draw/picture.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::render::draw {

// All throw Error(bad_input), with the way out, for other ranks and for more than max_cells.

// Each cell is the offset of its coordinate; colours are offset mod 8.
[[nodiscard]] Picture layout_picture(const layout::AnyLayout& layout);

// The same of elements of `bits` bits in shared memory: the offset, and the bank of the element's first bit. Colours
// are groups of four banks, 16 bytes. An 8x8 matrix at the origin is outlined where its rows are what ldmatrix reads,
// and a note says what that costs. Throws Error(bad_input) for bits that are no power of two from 4 to 128 and for
// offsets that are coordinates.
[[nodiscard]] Picture bank_picture(const layout::AnyLayout& layout, int bits);

// `tv` maps (thread, value) to elements of a tile of shape `tile`, first mode fastest: who holds each element. Colours
// are thread mod 8. Throws Error(bad_input) for an element outside of the tile.
[[nodiscard]] Picture tv_picture(const layout::Layout& tv, const layout::Tree& tile);

}  // namespace tileloom::render::draw
