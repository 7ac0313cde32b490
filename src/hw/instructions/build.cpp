// SPDX-License-Identifier: Apache-2.0
// From what is written down to entries: names, mnemonics, layouts, registers.
#include <algorithm>
#include <array>

#include "hw/instructions/records.hpp"
#include "tileloom/layout/algebra.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::hw {
namespace {

using layout::Layout;
using std::to_string;

std::string operator+(std::string text, std::string_view more) {
  return text.append(more);
}

// A shape alone stands for its compact layout.
Layout parse(std::string_view text) {
  return text.find(':') == std::string_view::npos ? Layout(layout::parse_tree(text)) : layout::parse_layout(text);
}

std::string shape_of(const MmaRecord& r, const char* before_m, const char* before_n, const char* before_k) {
  const MmaFamily& f = *r.family;
  return before_m + to_string(f.m) + before_n + to_string(r.n) + before_k + to_string(f.k);
}

// Each thread of a warpgroup holds an eighth of eight rows; warp i has rows 16i to 16i + 15.
std::string accumulator_layout(int n) {
  return "((_4,_8,_4),(_2,_2,_" + to_string(n / 8) + ")):((_128,_1,_16),(_64,_8,_512))";
}

// A register holds neighbours along K, as many as fit; K is four threads by two such groups.
std::string register_a_layout(ElementType type) {
  const int packed = 32 / bits(type);
  const std::string strides = "):((_" + to_string(64 * packed) + ",_1,_16),(";
  const std::string last = "_8,_" + to_string(256 * packed) + "))";
  return packed == 1 ? "((_4,_8,_4),(_2,_2)" + strides + last
                     : "((_4,_8,_4),(_" + to_string(packed) + ",_2,_2)" + strides + "_64," + last;
}

std::string shared_layout(int rows, int k) {
  const std::string r = to_string(rows);
  return "(_128,(_" + r + ",_" + to_string(k) + ")):(_0,(_1,_" + r + "))";
}

MmaOperand operand(ElementType type, std::string_view tv, const char* letter, Holder holder = Holder::registers,
                   std::string_view cute_tv = {}) {
  MmaOperand o{.type = type, .holder = holder, .register_name = {}, .tv = parse(tv), .cute_tv = std::string(cute_tv)};
  o.values = static_cast<int>(layout::size(layout::LayoutRef(o.tv)[1]).value);
  if (holder == Holder::registers) {
    o.registers = (o.values * bits(type) + 31) / 32;
    o.register_bits = std::max(32, bits(type));
    o.register_name = letter;
  }
  return o;
}

void set_operands(MmaAtom& atom, const MmaRecord& r) {
  const MmaFamily& f = *r.family;
  const MmaTypes& t = r.types;
  if (f.level == MmaLevel::warpgroup) {
    const std::string c = accumulator_layout(r.n);
    atom.d = operand(t.d, c, "d");
    atom.c = operand(t.c, c, "d");  // one register list, read and written
    atom.a = r.a_in_registers ? operand(t.a, register_a_layout(t.a), "a")
                              : operand(t.a, shared_layout(f.m, f.k), "", Holder::shared_descriptor);
    atom.b = operand(t.b, shared_layout(r.n, f.k), "", Holder::shared_descriptor);
    return;
  }
  atom.d = operand(t.d, f.c, "d");
  atom.a = operand(t.a, f.a, "a", Holder::registers, f.cute_a);
  atom.b = operand(t.b, f.b, "b", Holder::registers, f.cute_b);
  atom.c = operand(t.c, f.c, "c");
}

// The section that shows who holds what.
std::string source_of(const MmaRecord& r) {
  const MmaFamily& f = *r.family;
  if (f.level == MmaLevel::thread) {
    return "none: the compiler's own multiply-add of these types";
  }
  if (f.level == MmaLevel::warpgroup) {
    return "Register Fragments and Shared Memory Matrix Layouts: wgmma.mma_async.m64nNk" + to_string(f.k);
  }
  std::string title = "Matrix Fragments for mma." + shape_of(r, "m", "n", "k");
  if (f.m == 8 && f.k == 4) {
    title = title + " with ." + name(r.types.a) + " floating point type";
  } else if (f.m == 16 && f.k == 16) {
    title += bits(r.types.a) == 8 ? " with integer type" : " with floating point type";
  }
  return title;
}

void add_records(std::vector<MmaRecord>& all, const MmaFamily& f) {
  const bool warpgroup = f.level == MmaLevel::warpgroup;
  const std::span<const int> sizes = warpgroup ? f.n_sizes : std::span<const int>(&f.n, 1);
  for (const MmaTypes& types : f.types) {
    for (const std::string_view suffix : f.suffixes) {
      for (const bool a_in_registers : {false, true}) {
        if (!warpgroup && !a_in_registers) continue;
        for (const int n : sizes) all.push_back({&f, types, suffix, n, a_in_registers});
      }
    }
  }
}

}  // namespace

const std::vector<MmaRecord>& mma_records() {
  static const std::vector<MmaRecord> records = [] {
    std::vector<MmaRecord> all;
    for (const auto families : {universal_mma(), sm70_mma(), sm75_mma(), sm80_mma(), sm89_mma(), sm90_mma()}) {
      for (const MmaFamily& f : families) add_records(all, f);
    }
    return all;
  }();
  return records;
}

std::string name_of(const MmaRecord& r) {
  const MmaTypes& t = r.types;
  if (r.family->level == MmaLevel::thread) {
    return std::string("UniversalFMA<") + cpp_name(t.d) + "," + cpp_name(t.a) + "," + cpp_name(t.b) + "," +
           cpp_name(t.c) + ">";
  }
  std::string name = "SM" + to_string(r.family->sm) + shape_of(r, "_", "x", "x") + "_";
  name = std::move(name) + cute_name(t.d) + cute_name(t.a) + cute_name(t.b);
  if (r.family->level == MmaLevel::warpgroup) {
    name += r.a_in_registers ? "_RS" : "_SS";
  } else {
    name = std::move(name) + cute_name(t.c);
  }
  return std::move(name) + r.suffix;
}

std::string ptx_of(const MmaRecord& r) {
  const MmaTypes& t = r.types;
  const auto dotted = [](ElementType type) { return "." + std::string(name(type)); };
  const char* saturation = r.suffix.ends_with("_SATURATE") ? ".satfinite" : "";
  switch (r.family->level) {
    case MmaLevel::thread:
      return "";
    case MmaLevel::warpgroup:
      return "wgmma.mma_async.sync.aligned" + shape_of(r, ".m", "n", "k") + saturation + dotted(t.d) + dotted(t.a) +
             dotted(t.b);
    case MmaLevel::warp:
      break;
  }
  // T, the BLAS letter of A, is row-major here; N of B is column-major.
  const char* a_major = r.suffix[1] == 'T' ? ".row" : ".col";
  const char* b_major = r.suffix[2] == 'T' ? ".row" : ".col";
  std::string ptx = "mma.sync.aligned" + shape_of(r, ".m", "n", "k") + a_major + b_major + saturation + dotted(t.d) +
                    dotted(t.a) + dotted(t.b) + dotted(t.c);
  if (r.suffix.ends_with("_XORPOPC")) ptx += ".xor.popc";
  if (r.suffix.ends_with("_ANDPOPC")) ptx += ".and.popc";
  return ptx;
}

MmaAtom build(const MmaRecord& r) {
  MmaAtom atom;
  atom.name = name_of(r);
  atom.ptx = ptx_of(r);
  atom.arch = Arch{r.family->sm};
  atom.m = r.family->m;
  atom.n = r.n;
  atom.k = r.family->k;
  atom.thread_id = parse(r.family->thread_id);
  atom.threads = static_cast<int>(layout::size(atom.thread_id).value);
  set_operands(atom, r);
  atom.source = source_of(r);
  return atom;
}

CopyAtom build(const CopyRecord& r) {
  CopyAtom atom;
  atom.name = r.name;
  atom.ptx = r.ptx;
  atom.arch = Arch{r.sm};
  atom.kind = r.kind;
  atom.thread_id = parse(r.thread_id);
  atom.threads = static_cast<int>(layout::size(atom.thread_id).value);
  atom.source_bits = parse(r.source_bits);
  atom.destination_bits = parse(r.destination_bits);
  // CuTe's reference is the end in registers, else the source.
  const bool loads_matrix = r.kind == CopyKind::ldmatrix;
  atom.reference_bits = loads_matrix ? atom.destination_bits : atom.source_bits;
  atom.unit_bits = loads_matrix || r.kind == CopyKind::stmatrix ? 16 : 8;
  atom.source = std::string(r.source);
  return atom;
}

}  // namespace tileloom::hw
