// SPDX-License-Identifier: Apache-2.0
#include "render/draw/latex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "render/draw/text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::render::draw {

namespace {

constexpr double character = 0.16;  // cm, of \ttfamily\scriptsize

void check_size(const Picture& p) {
  const Extent e = extent(p);
  const std::int64_t count = cell_count(p);
  if (count > max_latex_cells || std::max(e.rows, e.columns) > max_latex_side) {
    throw Error(ErrorKind::bad_input,
                fmt::format("draw: {} cells in {} rows and {} columns, a LaTeX picture holds at most {} in {} and {}",
                            count, e.rows, e.columns, max_latex_cells, max_latex_side, max_latex_side),
                "write an SVG, or draw a part");
  }
}

class Writer {
 public:
  explicit Writer(const Picture& picture) : p_(picture) {}

  std::string text() {
    head();
    for (const Panel& panel : p_.panels) {
      draw(panel);
    }
    legend();
    put("\\end{{tikzpicture}}\n\\end{{document}}\n");
    return fmt::to_string(buffer_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }

  void head() {
    put("% {}\n", latex_comment(p_.title));
    for (const std::string& note : p_.notes) {
      put("% {}\n", latex_comment(note));
    }
    put("\\documentclass[tikz,border=4pt]{{standalone}}\n");
    for (std::size_t i = 0; i < palette.size(); ++i) {
      put("\\definecolor{{tile{}}}{{HTML}}{{{}}}\n", i, palette[i]);
    }
    const double side = std::max(0.85, character * static_cast<double>(label_size(p_).width) + 0.2);
    put("\\definecolor{{tilex}}{{HTML}}{{FFFFFF}}\n"
        "\\newcommand{{\\tilecell}}[4]{{\\node[tile cell,fill=tile#3] at (#2.5,#1.5) {{\\shortstack{{#4}}}};}}\n"
        "\\begin{{document}}\n"
        "\\begin{{tikzpicture}}[x={0:.2f}cm,y=-{0:.2f}cm,font=\\ttfamily\\scriptsize,\n"
        "  tile cell/.style={{minimum size={0:.2f}cm,inner sep=0pt,outer sep=0pt}},\n"
        "  tile note/.style={{anchor=base west,inner sep=0pt,text=black!70}}]\n",
        side);
    double y = -0.6 * static_cast<double>(p_.notes.size()) - 0.7;
    put("\\node[anchor=base west,inner sep=0pt,font=\\sffamily\\bfseries\\large] at (0,{:.2f}) {{{}}};\n", y,
        latex_text(p_.title));
    for (const std::string& note : p_.notes) {
      y += 0.6;
      put("\\node[tile note] at (0,{:.2f}) {{{}}};\n", y, latex_text(note));
    }
  }

  void draw(const Panel& panel) {
    put("% {}\n", panel.name.empty() ? "cells" : panel.name);
    put("\\node[anchor=base west,inner sep=0pt,font=\\sffamily\\bfseries\\small] at ({},{}.8) {{{}}};\n", panel.column,
        panel.row - 2, latex_text(panel.title));
    for (int c = 0; c < panel.columns; ++c) {
      put("\\node[text=black!70] at ({}.5,{}.7) {{{}}};\n", panel.column + c, panel.row - 1, c);
    }
    for (int r = 0; r < panel.rows; ++r) {
      put("\\node[text=black!70,anchor=east] at ({},{}.5) {{{}}};\n", panel.column, panel.row + r, r * panel.row_step);
    }
    for (std::size_t i = 0; i < panel.cells.size(); ++i) {
      draw(panel.cells[i], panel.row + static_cast<int>(i) / panel.columns,
           panel.column + static_cast<int>(i) % panel.columns);
    }
    lines(panel);
  }

  void draw(const Cell& cell, int row, int column) {
    const std::string colour = cell.colour == blank ? "x" : std::to_string(cell.colour);
    const std::string detail = cell.detail.empty() ? "" : "\\\\" + latex_text(cell.detail);
    put("\\tilecell{{{}}}{{{}}}{{{}}}{{{}{}}}\n", row, column, colour, latex_text(cell.text), detail);
  }

  void grid(const Panel& panel, const char* style, int rows, int columns) {
    const int bottom = panel.row + panel.rows;
    const int right = panel.column + panel.columns;
    for (int r = panel.row; r <= bottom; r += rows) {
      put("\\draw[{}] ({},{}) -- ({},{});\n", style, panel.column, r, right, r);
    }
    for (int c = panel.column; c <= right; c += columns) {
      put("\\draw[{}] ({},{}) -- ({},{});\n", style, c, panel.row, c, bottom);
    }
  }

  void lines(const Panel& panel) {
    grid(panel, "very thin,black!70", 1, 1);
    grid(panel, "thick", panel.row_block > 0 ? panel.row_block : panel.rows,
         panel.column_block > 0 ? panel.column_block : panel.columns);
    for (const Mark& m : panel.marks) {
      put("\\draw[line width=2.5pt] ({},{}) rectangle ({},{});\n", panel.column + m.column, panel.row + m.row,
          panel.column + m.column + m.columns, panel.row + m.row + m.rows);
    }
  }

  void legend() {
    if (p_.key.empty()) {
      return;
    }
    const double y = extent(p_).rows + 0.9;
    put("\\node[tile note] (key) at (0,{:.2f}) {{{}}};\n", y, latex_text(p_.key));
    std::string after = "key";
    for (std::size_t i = 0; i < p_.names.size(); ++i) {
      put("\\node[draw,very thin,fill=tile{0},minimum size=3mm,inner sep=0pt,anchor=west] (s{0}) at "
          "([xshift=4mm]{1}.east) "
          "{{}};\n"
          "\\node[inner sep=0pt,text=black!70,anchor=west] (n{0}) at ([xshift=1mm]s{0}.east) {{{2}}};\n",
          i, after, latex_text(p_.names[i]));
      after = fmt::format("n{}", i);
    }
  }

  const Picture& p_;
  fmt::memory_buffer buffer_;
};

}  // namespace

void write_latex(std::ostream& out, const Picture& picture) {
  check_size(picture);
  out << Writer(picture).text();
}

}  // namespace tileloom::render::draw
