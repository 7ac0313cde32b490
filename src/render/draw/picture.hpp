// SPDX-License-Identifier: Apache-2.0
// Pictures as a model: panels of labelled, coloured cells. layout_pictures.hpp and owner_pictures.hpp make them of
// layouts and instructions; svg.hpp and latex.hpp write any of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/hw/lane_maps.hpp"

namespace tileloom::render::draw {

// Of one picture.
inline constexpr std::int64_t max_cells = std::int64_t{1} << 18;

// RRGGBB. Eight of the nine of P. Tol's "light" scheme, which is made for black text on cells and for colour-blind
// eyes (Colour Schemes, SRON/EPS/TN/09-002); neighbours differ in lightness, so that they also differ in grey.
inline constexpr std::array<std::string_view, 8> palette{"77AADD", "EEDD88", "44BB99", "FFAABB",
                                                         "BBCC33", "99DDFF", "EE8866", "DDDDDD"};
inline constexpr int blank = -1;  // no colour

struct Cell {
  std::string text{};                  // `T5`, or an offset
  std::string detail{};                // a second line: `V0`, `b12`; may be empty
  int colour = blank;                  // place in `palette`
  std::vector<hw::Holding> holders{};  // all threads and values that are this element, the lowest first
};

// A box of cells with an outline.
struct Mark {
  int row = 0, column = 0, rows = 0, columns = 0;
};

struct Panel {
  std::string name{};       // of A, C, source: "A"; empty where there is one panel
  std::string title{};      // "A: m down, k across"
  int row = 0, column = 0;  // of its first cell, in cells of the picture
  int rows = 0, columns = 0;
  std::vector<Cell> cells{};  // row after row; the last row may be short
  int row_step = 1;           // rows are numbered 0, row_step, 2*row_step ...
  int row_block = 0;          // a heavier line after so many rows; 0: none
  int column_block = 0;
  std::vector<Mark> marks{};
};

struct Picture {
  std::string title{};
  std::vector<std::string> notes{};    // lines under the title
  std::string key{};                   // what the colours say: "thread mod 8"; empty: nothing
  std::array<std::string, 8> names{};  // of the colours
  std::vector<Panel> panels{};
};

// A panel stands under two rows, its title and its column numbers, and right of one column, its row numbers.
inline constexpr int head_rows = 2;
inline constexpr int head_columns = 1;

// Rows and columns that all panels cover, their heads included.
struct Extent {
  int rows = 0, columns = 0;
};
[[nodiscard]] Extent extent(const Picture& picture);
[[nodiscard]] std::int64_t cell_count(const Picture& picture);
// Characters of the longest line in a cell, and whether some cell has two lines.
struct LabelSize {
  std::size_t width = 1;
  bool two_lines = false;
};
[[nodiscard]] LabelSize label_size(const Picture& picture);

// Throws Error(bad_input), with the way out, for more than max_cells.
void check_cell_count(std::int64_t cells);

}  // namespace tileloom::render::draw
