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

void global_line(std::ostream& out, const OperandPath& path, const Route& r) {
  const trace::GlobalPlace& g = *r.global;
  line(out, "global", "element " + to_string(g.offset) + ", byte " + to_string(g.byte),
       std::string("g") + letter(r.operand) + " " + to_string(*path.global));
}

std::string instruction_text(const Kernel& kernel, const trace::TiledCopy& copy, const std::string& verb,
                             const Route& r, const trace::CopyPlace& c) {
  const char name = r.operand == Operand::c ? 'D' : letter(r.operand);
  return copy.atom().name + ": " + thread_text(kernel, c.thread) + " " + verb + " " +
         range_text(name, c.first, c.last) + ", this is its element " + to_string(c.position);
}

void copy_lines(std::ostream& out, const Kernel& kernel, const OperandPath& path, const Route& r) {
  const bool output = r.operand == Operand::c;
  for (const trace::CopyPlace& c : r.copies) {
    line(
        out, "copy",
        instruction_text(kernel, output ? *path.drain : *path.fill, "moves", r, c) +
            (output && c.global_byte ? "; " + to_string(c.bytes) + " bytes to byte " + to_string(*c.global_byte) : ""));
  }
}

// D on its way to shared memory.
void store_lines(std::ostream& out, const Kernel& kernel, const OperandPath& path, const Route& r) {
  const hw::ElementType held = kernel.mma.atom().d.type;
  if (held != path.type) {
    line(out, "convert", std::string(hw::name(held)) + " -> " + std::string(hw::name(path.type)));
  }
  for (const trace::CopyPlace& c : r.stores) {
    line(out, "store", instruction_text(kernel, *path.fill, "stores", r, c));
  }
}

std::string slab_text(const trace::SlabPlace& s) {
  return "part " + to_string(s.part) + " = " + range_text('D', s.origin, s.last) + ", round " + to_string(s.round) +
         " of " + to_string(s.rounds);
}

void shared_line(std::ostream& out, const OperandPath& path, const Route& r) {
  const trace::SharedPlace& s = *r.shared;
  const bool swizzled = std::holds_alternative<layout::ComposedLayout>(*path.shared);
  std::string text = "element " + to_string(s.before_swizzle);
  text += swizzled ? ", swizzled " + to_string(s.offset) : "";
  text += ", byte " + to_string(s.byte) + ", bank " + to_string(s.bank);
  text += domain(*path.shared).rank() == 3 ? (r.slab ? ", place " : ", stage ") + to_string(s.stage) : "";
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
    text += " = " + index_text(r.operand == Operand::c ? "tCrC_r2s" : "tXr" + x, *p.copy);
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

std::string index_text(const std::string& name, const std::array<int, 3>& i) {
  return name + "(" + to_string(i[0]) + "," + to_string(i[1]) + "," + to_string(i[2]) + ")";
}

std::string thread_text(const Kernel& kernel, int thread) {
  const std::string lane = "lane " + to_string(thread % 32);
  return kernel.threads() <= 32 ? lane : "warp " + to_string(thread / 32) + " " + lane;
}

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

namespace {

void head_line(std::ostream& out, const Kernel& kernel, const Route& r) {
  out << element_text(r.operand, r.element);
  if (r.k_tile != 0) {
    out << " of k-tile " << r.k_tile;
  }
  out << cta_text(kernel, r.cta);
  if (r.global && r.global->element != r.element) {
    out << (r.cta == trace::CtaIndex{} ? ", " : "; ") << element_text(r.operand, r.global->element) << " of the matrix";
  }
  out << '\n';
}

void holder_lines(std::ostream& out, const Kernel& kernel, const OperandPath& path, const Route& r) {
  for (const trace::Holder& h : r.holders) {
    if (h.load) {
      load_line(out, kernel, path, r, *h.load);
    }
    register_line(out, kernel, r, h.place);
  }
}

}  // namespace

void route_text(std::ostream& out, const Kernel& kernel, const Route& r) {
  const OperandPath& path = kernel.path(r.operand);
  head_line(out, kernel, r);
  if (r.operand == Operand::c) {
    holder_lines(out, kernel, path, r);
    store_lines(out, kernel, path, r);
    if (r.shared) {
      shared_line(out, path, r);
      line(out, "slab", slab_text(*r.slab));
    }
    copy_lines(out, kernel, path, r);
    if (r.global) {
      global_line(out, path, r);
    }
    return;
  }
  if (r.global) {
    global_line(out, path, r);
  }
  copy_lines(out, kernel, path, r);
  if (r.shared) {
    shared_line(out, path, r);
  }
  holder_lines(out, kernel, path, r);
  if (r.feeds) {
    mma_line(out, kernel, r);
  }
}

}  // namespace tileloom::render
