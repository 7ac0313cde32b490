// SPDX-License-Identifier: Apache-2.0
#include "render/draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "render/draw/text.hpp"

namespace tileloom::render::draw {

namespace {

constexpr int margin = 16;
constexpr int title_height = 24;
constexpr int note_height = 15;
constexpr int legend_height = 34;
constexpr int swatch = 14;
constexpr double cell_character = 6.02;  // of 10 px monospace
constexpr double title_character = 9.0;  // of 15 px bold
constexpr int largest = 1600;

struct Geometry {
  int side = 0;  // of a cell
  int top = 0;   // of the panels
  int width = 0, height = 0;
};

int legend_step(const Picture& p) {
  std::size_t longest = 1;
  for (const std::string& name : p.names) {
    longest = std::max(longest, name.size());
  }
  return swatch + 16 + static_cast<int>(std::lround(cell_character * static_cast<double>(longest)));
}

int key_width(const Picture& p) {
  return 14 + static_cast<int>(std::lround(cell_character * static_cast<double>(p.key.size())));
}

Geometry measure(const Picture& p) {
  Geometry g;
  const LabelSize label = label_size(p);
  g.side = std::max(label.two_lines ? 30 : 26,
                    static_cast<int>(std::ceil(cell_character * static_cast<double>(label.width))) + 8);
  g.top = margin + title_height + note_height * static_cast<int>(p.notes.size());
  const Extent e = extent(p);
  double width = e.columns * g.side;
  width = std::max(width, title_character * static_cast<double>(p.title.size()));
  for (const std::string& note : p.notes) {
    width = std::max(width, cell_character * static_cast<double>(note.size()));
  }
  for (const Panel& panel : p.panels) {
    width = std::max(width, panel.column * g.side + 7.2 * static_cast<double>(panel.title.size()));
  }
  if (!p.key.empty()) {
    width = std::max<double>(width, key_width(p) + legend_step(p) * static_cast<int>(p.names.size()));
  }
  g.width = 2 * margin + static_cast<int>(std::ceil(width));
  g.height = g.top + e.rows * g.side + (p.key.empty() ? 0 : legend_height) + margin;
  return g;
}

class Writer {
 public:
  explicit Writer(const Picture& picture) : p_(picture), g_(measure(picture)) {}

  std::string text() {
    head();
    for (const Panel& panel : p_.panels) {
      draw(panel);
    }
    legend();
    put("</svg>\n");
    return fmt::to_string(buffer_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }

  void head() {
    const double scale = std::min(1.0, static_cast<double>(largest) / std::max(g_.width, g_.height));
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{2}\" height=\"{3}\" role=\"img\">\n"
        "<title>{4}</title>\n",
        g_.width, g_.height, std::lround(g_.width * scale), std::lround(g_.height * scale), xml_text(p_.title));
    put("<style>\n"
        "text {{ font: 10px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #111111; text-anchor: middle; }}\n"
        ".title {{ font: bold 15px 'DejaVu Sans', Helvetica, Arial, sans-serif; text-anchor: start; }}\n"
        ".panel {{ font: bold 11px 'DejaVu Sans', Helvetica, Arial, sans-serif; text-anchor: start; }}\n"
        ".note {{ fill: #555555; text-anchor: start; }}\n"
        ".axis {{ font-size: 9px; fill: #555555; }}\n"
        ".grid {{ fill: none; stroke: #555555; stroke-width: 0.5; }}\n"
        ".block {{ fill: none; stroke: #222222; stroke-width: 1.5; }}\n"
        ".mark {{ fill: none; stroke: #111111; stroke-width: 3.5; }}\n"
        ".cx {{ fill: #FFFFFF; }}\n");
    for (std::size_t i = 0; i < palette.size(); ++i) {
      put(".c{} {{ fill: #{}; }}\n", i, palette[i]);
    }
    put("</style>\n<rect width=\"{}\" height=\"{}\" fill=\"#FFFFFF\"/>\n", g_.width, g_.height);
    put("<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", margin, margin + 14, xml_text(p_.title));
    int y = margin + title_height + 10;
    for (const std::string& note : p_.notes) {
      put("<text class=\"note\" x=\"{}\" y=\"{}\" xml:space=\"preserve\">{}</text>\n", margin, y, xml_text(note));
      y += note_height;
    }
  }

  // Pixels of the picture's cell (row, column).
  [[nodiscard]] int x_of(int column) const { return margin + column * g_.side; }
  [[nodiscard]] int y_of(int row) const { return g_.top + row * g_.side; }

  void draw(const Panel& panel) {
    put("<g id=\"{}\">\n", panel.name.empty() ? "panel" : "panel-" + xml_text(panel.name));
    put("<text class=\"panel\" x=\"{}\" y=\"{}\">{}</text>\n", x_of(panel.column), y_of(panel.row - 1) - 3,
        xml_text(panel.title));
    for (int c = 0; c < panel.columns; ++c) {
      put("<text class=\"axis\" x=\"{}\" y=\"{}\">{}</text>\n", x_of(panel.column + c) + g_.side / 2,
          y_of(panel.row) - 5, c);
    }
    for (int r = 0; r < panel.rows; ++r) {
      put("<text class=\"axis\" x=\"{}\" y=\"{}\" style=\"text-anchor:end\">{}</text>\n", x_of(panel.column) - 5,
          y_of(panel.row + r) + g_.side / 2 + 3, r * panel.row_step);
    }
    for (std::size_t i = 0; i < panel.cells.size(); ++i) {
      const int row = static_cast<int>(i) / panel.columns;
      const int column = static_cast<int>(i) % panel.columns;
      draw(panel.cells[i], x_of(panel.column + column), y_of(panel.row + row));
    }
    lines(panel);
    put("</g>\n");
  }

  void draw(const Cell& cell, int x, int y) {
    const std::string colour = cell.colour == blank ? "x" : std::to_string(cell.colour);
    put("<rect class=\"c{0}\" x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{3}\"/>", colour, x, y, g_.side);
    const int middle = y + g_.side / 2;
    if (cell.detail.empty()) {
      label(cell.text, x, middle + 4);
    } else {
      label(cell.text, x, middle - 2);
      label(cell.detail, x, middle + 10);
    }
    put("\n");
  }

  void label(const std::string& text, int x, int y) {
    if (!text.empty()) {
      put("<text x=\"{}\" y=\"{}\">{}</text>", x + g_.side / 2, y, xml_text(text));
    }
  }

  // Lines of a grid of `panel` after every `rows` and `columns` cells, the frame included.
  void grid(const Panel& panel, const char* style, int rows, int columns) {
    const int x0 = x_of(panel.column);
    const int y0 = y_of(panel.row);
    const int width = panel.columns * g_.side;
    const int height = panel.rows * g_.side;
    put("<path class=\"{}\" d=\"", style);
    for (int r = 0; r <= panel.rows; r += rows) {
      put("M{} {}h{}", x0, y0 + r * g_.side, width);
    }
    for (int c = 0; c <= panel.columns; c += columns) {
      put("M{} {}v{}", x0 + c * g_.side, y0, height);
    }
    put("\"/>\n");
  }

  void lines(const Panel& panel) {
    grid(panel, "grid", 1, 1);
    grid(panel, "block", panel.row_block > 0 ? panel.row_block : panel.rows,
         panel.column_block > 0 ? panel.column_block : panel.columns);
    for (const Mark& m : panel.marks) {
      put("<rect class=\"mark\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", x_of(panel.column + m.column),
          y_of(panel.row + m.row), m.columns * g_.side, m.rows * g_.side);
    }
  }

  void legend() {
    if (p_.key.empty()) {
      return;
    }
    const int y = y_of(extent(p_).rows) + legend_height / 2;
    int x = margin;
    put("<g id=\"legend\">\n<text class=\"note\" x=\"{}\" y=\"{}\">{}</text>\n", x, y + 11, xml_text(p_.key));
    x += key_width(p_);
    for (std::size_t i = 0; i < p_.names.size(); ++i) {
      put("<rect class=\"c{0}\" x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{3}\" stroke=\"#555555\" "
          "stroke-width=\"0.5\"/><text class=\"note\" x=\"{4}\" y=\"{5}\">{6}</text>\n",
          i, x, y, swatch, x + swatch + 5, y + 11, xml_text(p_.names[i]));
      x += legend_step(p_);
    }
    put("</g>\n");
  }

  const Picture& p_;
  Geometry g_;
  fmt::memory_buffer buffer_;
};

}  // namespace

void write_svg(std::ostream& out, const Picture& picture) {
  out << Writer(picture).text();
}

}  // namespace tileloom::render::draw
