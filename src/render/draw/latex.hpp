// SPDX-License-Identifier: Apache-2.0
// Pictures as LaTeX: a document of class standalone that needs TikZ and nothing else.
#pragma once

#include <ostream>

#include "render/draw/picture.hpp"

namespace tileloom::render::draw {

// TeX measures up to 5.75 m and keeps a picture in memory.
inline constexpr std::int64_t max_latex_cells = std::int64_t{1} << 14;
inline constexpr int max_latex_side = 400;  // cells in a row or column, heads included

// Each cell is one \tilecell{row}{column}{colour}{text}. Throws Error(bad_input), with the way out, for a picture that
// is too large for TeX.
void write_latex(std::ostream& out, const Picture& picture);

}  // namespace tileloom::render::draw
