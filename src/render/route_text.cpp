// SPDX-License-Identifier: Apache-2.0
// One element's route, and a register's elements.
#include <algorithm>

#include "render/atom_table.hpp"
#include "render/trace_text.hpp"

namespace tileloom::render {

using hw::MatrixPosition;
using std::to_string;
using trace::Kernel;
using trace::Operand;
using trace::OperandPath;
using trace::Route;

namespace {

constexpr std::size_t note_column = 49;  // of the text after a line's label

void line(std::ostream& out, const std::string& label, std::string text, const std::string& note = "") {
  std::string head = label;
  head.resize(std::max<std::size_t>(11, head.size() + 1), ' ');
  if (!note.empty()) {
    text.resize(std::max(note_column, text.size() + 3), ' ');
  }
  out << "  " << head << text << note << '\n';
}

std::string index_text(const std::string& name, const std::array<int, 3>& i) {
  return name + "(" + to_string(i[0]) + "," + to_string(i[1]) + "," + to_string(i[2]) + ")";
}

std::string thread_text(const Kernel& kernel, int thread) {
  const std::string lane = "lane " + to_string(thread % 32);
  return kernel.threads() <= 32 ? lane : "warp " + to_string(thread / 32) + " " + lane;
}

void global_line(std::ostream& out, const OperandPath& path, const Route& r) {
  const trace::GlobalPlace& g = *r.global;
  line(out, "global", "element " + to_string(g.offset) + ", byte " + to_string(g.byte),
       std::string("g") + letter(r.operand) + " " + to_string(*path.global));
}

void copy_lines(std::ostream& out, const Kernel& kernel, const OperandPath& path, const Route& r) {
  for (const trace::CopyPlace& c : r.copies) {
    line(out, "copy",
         path.fill->atom().name + ": " + thread_text(kernel, c.thread) + " moves " +
             range_text(letter(r.operand), c.first, c.last) + ", this is its element " + to_string(c.position));
  }
}

void shared_line(std::ostream& out, const OperandPath& path, const Route& r) {
  const trace::SharedPlace& s = *r.shared;
  const bool swizzled = std::holds_alternative<layout::ComposedLayout>(*path.shared);
  std::string text = "element " + to_string(s.before_swizzle);
  text += swizzled ? ", swizzled " + to_string(s.offset) : "";
  text += ", byte " + to_string(s.byte) + ", bank " + to_string(s.bank);
  text += domain(*path.shared).rank() == 3 ? ", stage " + to_string(s.stage) : "";
  line(out, "shared", text, std::string("s") + letter(r.operand) + " " + to_string(*path.shared));
}

void load_line(std::ostream& out, const Kernel& kernel, const OperandPath& path, const Route& r,
               const trace::LoadPlace& l) {
  const bool rows = path.drain->atom().kind == hw::CopyKind::ldmatrix;
  line(out, rows ? "ldmatrix" : "load",
       path.drain->atom().name + ": " + thread_text(kernel, l.source_thread) + (rows ? " gives the row " : " reads ") +
           range_text(letter(r.operand), l.first, l.last) + ", this is its element " + to_string(l.position),
       "e = " + to_string(l.e) + " -> tv = " + to_string(l.tv) + " -> q = " + to_string(l.q));
}

void register_line(std::ostream& out, const Kernel& kernel, const Route& r, const trace::RegisterPlace& p) {
  const std::string x(1, letter(r.operand));
  std::string text =
      thread_text(kernel, p.thread) + ", slot " + to_string(p.slot) + " = " + index_text("tCr" + x, p.mma);
  if (p.copy) {
    text += " = " + index_text("tXr" + x, *p.copy);
  }
  line(out, "register", text, to_string(p.bits));
}

void mma_line(std::ostream& out, const Kernel& kernel, const Route& r) {
  const trace::Feeds& f = *r.feeds;
  const std::string row = r.operand == Operand::a ? "m" : "n";
  const std::string registers = [&] {
    std::string all;
    for (const std::string& name : f.registers) {
      all += (all.empty() ? "" : ", ") + name;
    }
    return all;
  }();
  const std::string warps = kernel.threads() <= 32
                                ? ""
                                : "warp" + std::string(f.warps.size() > 1 ? "s " : " ") + numbers_text(f.warps) + ", ";
  line(out, "mma",
       kernel.mma.atom().name + ": " + letter(r.operand) + "(" + row + "=" + to_string(f.in_atom.row) +
           ", k=" + to_string(f.in_atom.column) + "), feeds " + range_text('D', f.first, f.last) + ": " + warps +
           "lane" + (f.lanes.size() > 1 ? "s " : " ") + numbers_text(f.lanes) + ", " + registers);
}

}  // namespace

std::string element_text(Operand operand, MatrixPosition p) {
  const char name = operand == Operand::c ? 'D' : letter(operand);
  return range_text(name, p, p);
}

std::string range_text(char name, MatrixPosition first, MatrixPosition last) {
  const auto range = [](int a, int b) { return a == b ? to_string(a) : to_string(a) + ".." + to_string(b); };
  return name + ("(" + range(first.row, last.row) + "," + range(first.column, last.column) + ")");
}

std::string numbers_text(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    const int step = i + 1 < ascending.size() ? ascending[i + 1] - ascending[i] : 1;
    std::size_t end = i;
    while (end + 1 < ascending.size() && ascending[end + 1] == ascending[end] + step) {
      ++end;
    }
    const bool run = end - i >= (step == 1 ? 2U : 3U);
    text += (text.empty() ? "" : ", ") + to_string(ascending[i]);
    if (run) {
      text += (step == 1 ? ".." : ", " + to_string(ascending[i] + step) + " .. ") + to_string(ascending[end]);
    }
    i = run ? end + 1 : i + 1;
  }
  return text;
}

void route_text(std::ostream& out, const Kernel& kernel, const Route& r) {
  const OperandPath& path = kernel.path(r.operand);
  out << element_text(r.operand, r.element);
  if (r.k_tile != 0) {
    out << " of k-tile " << r.k_tile;
  }
  if (r.k_tile != 0 && r.global) {
    out << ", " << element_text(r.operand, r.global->element) << " of the matrix";
  }
  out << '\n';
  if (r.global && r.operand != Operand::c) {
    global_line(out, path, r);
  }
  copy_lines(out, kernel, path, r);
  if (r.shared) {
    shared_line(out, path, r);
  }
  for (const trace::Holder& h : r.holders) {
    if (h.load) {
      load_line(out, kernel, path, r, *h.load);
    }
    register_line(out, kernel, r, h.place);
  }
  if (r.feeds) {
    mma_line(out, kernel, r);
  }
  if (r.global && r.operand == Operand::c) {
    global_line(out, path, r);
  }
}

void contents_text(std::ostream& out, const Kernel& kernel, const std::string& name, int warp, int lane,
                   const std::vector<trace::RegisterContent>& contents) {
  const Operand operand = name.front() == 'a' ? Operand::a : name.front() == 'b' ? Operand::b : Operand::c;
  out << name << " of " << thread_text(kernel, 32 * warp + lane) << '\n';
  TextTable table{{"  fragment", "slots", "elements"}, {}};
  for (const trace::RegisterContent& c : contents) {
    std::string slots;
    std::string elements;
    for (std::size_t i = 0; i < c.slots.size(); ++i) {
      slots += (i > 0 ? " " : "") + to_string(c.slots[i]);
      elements += (i > 0 ? " " : "") + element_text(operand, c.elements[i]);
    }
    table.rows.push_back({"  " + index_text(std::string("tCr") + letter(operand), c.mma), slots, elements});
  }
  print_table(out, table, TableFormat::text);
}

}  // namespace tileloom::render
