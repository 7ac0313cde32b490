// SPDX-License-Identifier: Apache-2.0
#include "render/draw/picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tileloom/error.hpp"

namespace tileloom::render::draw {

Extent extent(const Picture& picture) {
  Extent e;
  for (const Panel& p : picture.panels) {
    e.rows = std::max(e.rows, p.row + p.rows);
    e.columns = std::max(e.columns, p.column + p.columns);
  }
  return e;
}

std::int64_t cell_count(const Picture& picture) {
  std::int64_t count = 0;
  for (const Panel& p : picture.panels) {
    count += static_cast<std::int64_t>(p.cells.size());
  }
  return count;
}

LabelSize label_size(const Picture& picture) {
  LabelSize size;
  for (const Panel& p : picture.panels) {
    for (const Cell& c : p.cells) {
      size.width = std::max({size.width, c.text.size(), c.detail.size()});
      size.two_lines = size.two_lines || !c.detail.empty();
    }
  }
  return size;
}

void check_cell_count(std::int64_t cells) {
  if (cells > max_cells) {
    throw Error(ErrorKind::bad_input, fmt::format("draw: {} cells, expected at most {}", cells, max_cells),
                "draw a part: composition(L, (_64,_64)) is the first 64 x 64, slice((_,0), L) one column");
  }
}

}  // namespace tileloom::render::draw
