// SPDX-License-Identifier: Apache-2.0
// How to read a layout.
#include <algorithm>
#include <cstdlib>

#include "render/atom_table.hpp"
#include "render/trace_text.hpp"

namespace tileloom::render {

using std::to_string;
using trace::Division;
using trace::ExplainedMode;
using trace::ExplainedTensor;
using trace::Memory;
using trace::NamedLayout;
using trace::Operand;
using trace::Origin;

namespace {

std::string counted(std::int64_t n, const std::string& one) {
  return (n > 0 ? "+" : "") + to_string(n) + " " + one + (std::abs(n) == 1 ? "" : "s");
}

std::string third_name(const NamedLayout& t) {
  return t.memory == Memory::global ? "k-tile" : t.operand == Operand::c ? "part" : "stage";
}

std::string step_text(const ExplainedMode& m, const NamedLayout& t) {
  if (m.size == 1) {
    return "-";
  }
  std::string text;
  const auto add = [&](std::int64_t n, const std::string& what) {
    if (n != 0) {
      text += (text.empty() ? "" : ", ") + counted(n, what);
    }
  };
  add(m.step[0], "row");
  add(m.step[1], "column");
  add(m.step[2], third_name(t));
  return (text.empty() ? "nothing" : text) + (m.even ? "" : " at first");
}

std::string origin_text(const ExplainedMode& m, const NamedLayout& t) {
  const bool mma = t.division == Division::mma;
  switch (m.origin) {
    case Origin::tile:
      return m.step[0] != 0 ? "rows of the tile" : "columns of the tile";
    case Origin::instruction:
      return "values of one MMA in a thread";
    case Origin::copy:
      return "values of one copy instruction";
    case Origin::copies:
      return "copy instructions of the copy's tile";
    case Origin::permutation:
      return "permutation: tiled MMA " + to_string(m.whole) + " / atoms " + to_string(m.part);
    case Origin::repeats:
      return (t.operand == Operand::c && t.memory == Memory::shared ? "part " : "CTA tile ") + to_string(m.whole) +
             (mma ? " / tiled MMA " : " / copy's tile ") + to_string(m.part);
    case Origin::k_tile:
      return "the tiles along K";
    case Origin::stage:
      break;
  }
  return t.operand == Operand::c ? "parts in shared memory at a time" : "stages in shared memory";
}

std::string formula(const ExplainedTensor& e) {
  std::string sum = e.before != 0 ? to_string(e.before) : "";
  for (const ExplainedMode& m : e.modes) {
    if (!m.symbol.empty()) {
      sum += (sum.empty() ? "" : " + ") + m.symbol + "*" + to_string(m.stride);
    }
  }
  sum = sum.empty() ? "0" : sum;
  return e.swizzle ? to_string(*e.swizzle) + "(" + sum + ")" : sum;
}

std::string swizzle_text(const layout::Swizzle& s) {
  const auto bits = [&](int first) {
    return s.bits() == 1 ? to_string(first) : to_string(first) + ".." + to_string(first + s.bits() - 1);
  };
  const int shift = std::abs(s.shift());
  const int near = s.base();
  const int far = s.base() + shift;
  return to_string(s) + ": bits " + bits(s.shift() >= 0 ? near : far) + " of the sum are XORed with bits " +
         bits(s.shift() >= 0 ? far : near);
}

// What an offset counts.
std::string unit_text(const NamedLayout& t) {
  if (t.memory == Memory::registers) {
    return "slots of the thread's fragment";
  }
  const std::string of = t.division == Division::none
                             ? (t.memory == Memory::global ? "from the tile's start" : "of shared memory")
                             : std::string("from element ") + to_string(t.start) + " of " +
                                   (t.memory == Memory::global ? "g" : "s") + letter(t.operand) +
                                   ", where this thread starts";
  return "elements " + of;
}

std::string example_text(const ExplainedTensor& e) {
  std::string text;
  for (std::size_t i = 0; i < e.modes.size(); ++i) {
    if (!e.modes[i].symbol.empty()) {
      text += (text.empty() ? "" : ", ") + e.modes[i].symbol + " = " + to_string(e.example.coordinate[i]);
    }
  }
  const auto& [row, column, third] = e.example.element;
  const NamedLayout& t = e.tensor;
  const hw::MatrixPosition p{static_cast<int>(row), static_cast<int>(column)};
  const bool in_part = t.operand == Operand::c && t.memory == Memory::shared;
  return (text.empty() ? "Its one value" : text) + ": offset " + to_string(e.example.offset) + " is " +
         element_text(t.operand, p) + (in_part ? " of the part" : "") +
         (third != 0 ? (in_part ? " at place " : " of " + third_name(t) + " ") + to_string(third) : "");
}

// The elements of a mode whose steps differ.
void uneven_line(std::ostream& out, const ExplainedMode& m, const NamedLayout& t) {
  constexpr std::size_t shown = 8;
  if (m.even) {
    return;
  }
  out << "    " << m.symbol << " = 0, 1, ...:";
  for (std::size_t i = 0; i < std::min(shown, m.positions.size()); ++i) {
    out << ' ' << element_text(t.operand, m.positions[i]);
  }
  out << (m.positions.size() > shown ? " ...\n" : "\n");
}

}  // namespace

void explain_head_text(std::ostream& out) {
  out << "A layout is (shape):(stride). Brackets group modes and change no number: write both flat, multiply each\n"
         "coordinate by its stride and add. _4 is known at compile time, 4 at run time; a stride _0 moves nothing.\n";
}

void explain_text(std::ostream& out, const ExplainedTensor& e) {
  const NamedLayout& t = e.tensor;
  out << "  " << t.name << "  " << t.modes << "  " << to_string(t.layout) << '\n';
  out << "    offset = " << formula(e) << "   " << unit_text(t) << '\n';
  TextTable table{{"    mode", "at", "values", "stride", "a step moves", "comes from"}, {}};
  for (const ExplainedMode& m : e.modes) {
    table.rows.push_back({"    " + m.mode, m.symbol.empty() ? "-" : m.symbol, to_string(m.size),
                          m.symbol.empty() ? "-" : to_string(m.stride), step_text(m, t), origin_text(m, t)});
  }
  print_table(out, table, TableFormat::text);
  for (const ExplainedMode& m : e.modes) {
    uneven_line(out, m, t);
  }
  if (e.swizzle) {
    out << "    " << swizzle_text(*e.swizzle) << '\n';
  } else if (e.from_swizzled) {
    out << "    Strides without _ come from the swizzle of s" << letter(t.operand) << ": other threads have others.\n";
  }
  out << "    " << example_text(e) << '\n';
}

}  // namespace tileloom::render
