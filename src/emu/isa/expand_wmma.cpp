// SPDX-License-Identifier: Apache-2.0
#include "emu/isa/expand_wmma.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tileloom::emu {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

constexpr std::uint64_t default_stride = 16;

bool has(const Instruction& in, std::string_view modifier) {
  return std::ranges::find(in.modifiers, modifier) != in.modifiers.end();
}

Operand number(std::uint64_t bits) {
  Operand made;
  made.bits = bits;
  return made;
}
Operand vector(std::vector<Operand> elements) {
  Operand made;
  made.kind = Operand::Kind::vector;
  made.elements = std::move(elements);
  return made;
}

// Where a register's first element stands: (row, column) are (lane / 4, lane % 4 * 2) or the other way round, plus
// this.
struct Place {
  unsigned row = 0, column = 0;
};

// A matrix in memory and in registers.
struct Fragment {
  char matrix = 'a';
  bool half = true;       // two elements a register
  bool row_major = true;  // in memory

  // Elements of a register are neighbours along K, of C and D along N; lane / 4 numbers the other axis.
  [[nodiscard]] bool pairs_along_rows() const { return matrix != 'b'; }
  [[nodiscard]] unsigned registers() const { return half ? 4 : 8; }
  [[nodiscard]] Place place(unsigned r) const {
    if (matrix == 'b') return {8 * (r % 2), 8 * (r / 2)};
    if (half) return {8 * (r % 2), 8 * (r / 2)};
    return {8 * (r / 2 % 2), 8 * (r / 4) + r % 2};
  }
  [[nodiscard]] unsigned bytes() const { return half ? 2 : 4; }
  [[nodiscard]] bool contiguous() const { return !half || row_major == pairs_along_rows(); }
};

class Expander {
 public:
  Expander(ptx::Function& function, const Instruction& from, std::vector<Instruction>& to)
      : function_(function), from_(from), to_(to) {}

  // False where it is none of those that are known.
  [[nodiscard]] bool expand() {
    if (!has(from_, "sync") || !has(from_, "aligned") || !has(from_, "m16n16k16")) return false;
    if (has(from_, "mma")) return expand_mma();
    const bool load = has(from_, "load");
    if (!load && !has(from_, "store")) return false;
    return expand_move(load);
  }

 private:
  Operand fresh(Type type) {
    Operand made;
    made.kind = Operand::Kind::reg;
    made.id = static_cast<std::uint32_t>(function_.registers.size());
    made.name = "%wmma" + std::to_string(made.id);
    function_.registers.push_back({made.name, type});
    return made;
  }

  void emit(std::string root, std::vector<std::string> modifiers, std::vector<Operand> operands) {
    Instruction made = from_;
    made.root = std::move(root);
    made.modifiers = std::move(modifiers);
    made.operands = std::move(operands);
    to_.push_back(std::move(made));
  }
  Operand computed(Type type, std::string root, std::vector<std::string> modifiers, std::vector<Operand> from) {
    Operand made = fresh(type);
    from.insert(from.begin(), made);
    emit(std::move(root), std::move(modifiers), std::move(from));
    return made;
  }

  bool expand_mma() {
    std::vector<std::string> types;
    for (const std::string& m : from_.modifiers) {
      if (m == "f16" || m == "bf16" || m == "f32") types.push_back(m);
    }
    if (types.size() == 2) types.insert(types.begin() + 1, 2, "f16");
    if (types.size() != 4 || from_.operands.size() != 4 || types[0] != types[3]) return false;
    const std::size_t all = types[0] == "f32" ? 8 : 4;
    const std::size_t inputs = types[1] == "f16" ? 8 : 4;
    const std::array sizes{all, inputs, inputs, all};
    for (std::size_t i = 0; i < 4; ++i) {
      if (from_.operands[i].elements.size() != sizes[i]) return false;
    }
    if (result_is_read_twice()) return false;
    for (std::size_t n = 0; n < 2; ++n) {
      emit("mma", {"sync", "aligned", "m16n8k16", "row", "col", types[0], types[1], types[2], types[3]},
           {part(0, n * all / 2, all / 2), part(1, 0, 4), part(2, 2 * n, 2), part(3, n * all / 2, all / 2)});
    }
    return true;
  }
  // The first half's result must not be an operand of the second.
  [[nodiscard]] bool result_is_read_twice() const {
    const auto& d = from_.operands[0].elements;
    for (std::size_t i : {1, 2}) {
      for (const Operand& e : from_.operands[i].elements) {
        if (std::ranges::any_of(d, [&](const Operand& r) { return r.id == e.id; })) return true;
      }
    }
    return false;
  }
  [[nodiscard]] Operand part(std::size_t operand, std::size_t first, std::size_t count) const {
    const auto& elements = from_.operands[operand].elements;
    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(first);
    return vector({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }

  bool expand_move(bool load) {
    const std::size_t registers_at = load ? 0 : 1;
    const std::size_t address_at = load ? 1 : 0;
    if (from_.operands.size() < 2 || from_.operands.size() > 3) return false;
    const Operand& registers = from_.operands[registers_at];
    const Operand& address = from_.operands[address_at];
    if (registers.kind != Operand::Kind::vector || address.kind != Operand::Kind::address) return false;
    Fragment fragment;
    fragment.matrix = has(from_, "a") ? 'a' : has(from_, "b") ? 'b' : 'c';
    fragment.half = has(from_, "f16") || has(from_, "bf16");
    fragment.row_major = has(from_, "row");
    const bool twice = has(from_, "f16") && fragment.matrix != 'c';
    if (!fragment.half && !(has(from_, "f32") && fragment.matrix == 'c')) return false;
    if (registers.elements.size() != fragment.registers() * (twice ? 2 : 1)) return false;
    begin(fragment, address);
    for (unsigned r = 0; r < fragment.registers(); ++r) {
      if (load) {
        load_register(fragment, r, registers.elements[r]);
        if (twice) emit("mov", {"b32"}, {registers.elements[r + 4], registers.elements[r]});
      } else {
        store_register(fragment, r, registers.elements[r]);
      }
    }
    return true;
  }

  // The address of each lane's first element, and the bytes from one row (column) to the next.
  void begin(const Fragment& fragment, const Operand& address) {
    Operand lane = fresh(Type::b32);
    Operand special;
    special.kind = Operand::Kind::special;
    special.name = "%laneid";
    emit("mov", {"u32"}, {lane, special});
    const Operand quad = computed(Type::b32, "shr", {"u32"}, {lane, number(2)});
    const Operand in_quad = computed(Type::b32, "and", {"b32"}, {lane, number(3)});
    const Operand pair = computed(Type::b32, "shl", {"b32"}, {in_quad, number(1)});
    const bool quad_is_major = fragment.row_major == fragment.pairs_along_rows();
    const Operand stride = from_.operands.size() == 3 ? from_.operands[2] : number(default_stride);
    step_ = computed(Type::b64, "mul", {"wide", "u32"}, {stride, number(fragment.bytes())});
    const Operand major = computed(Type::b64, "cvt", {"u64", "u32"}, {quad_is_major ? quad : pair});
    const Operand line = computed(Type::b64, "mad", {"lo", "u64"}, {major, step_, base_of(address)});
    base_ = computed(Type::b64, "mad", {"wide", "u32"}, {quad_is_major ? pair : quad, number(fragment.bytes()), line});
    offset_ = address.offset;
  }
  Operand base_of(const Operand& address) {
    if (address.elements.empty()) return computed(Type::b64, "mov", {"b64"}, {number(0)});
    const Operand& base = address.elements[0];
    if (base.kind == Operand::Kind::variable) return computed(Type::b64, "mov", {"u64"}, {base});
    if (ptx::bits_of(function_.registers[base.id].type) == 64) return base;
    return computed(Type::b64, "cvt", {"u64", "u32"}, {base});
  }

  // Of the element `second` to the pair's first.
  Operand address_of(const Fragment& fragment, Place place, bool second) {
    if (second) ++(fragment.pairs_along_rows() ? place.column : place.row);
    const unsigned major = fragment.row_major ? place.row : place.column;
    const unsigned minor = fragment.row_major ? place.column : place.row;
    Operand made;
    made.kind = Operand::Kind::address;
    made.offset = offset_ + minor * fragment.bytes();
    made.elements = {major == 0 ? base_ : computed(Type::b64, "mad", {"lo", "u64"}, {step_, number(major), base_})};
    return made;
  }
  [[nodiscard]] std::vector<std::string> access(const char* type) const {
    for (const char* space : {"shared", "shared::cta", "global"}) {
      if (has(from_, space)) return {space, type};
    }
    return {type};
  }

  void load_register(const Fragment& fragment, unsigned r, const Operand& to) {
    if (fragment.contiguous()) {
      emit("ld", access("b32"), {to, address_of(fragment, fragment.place(r), false)});
      return;
    }
    const Operand low = fresh(Type::b16);
    const Operand high = fresh(Type::b16);
    emit("ld", access("b16"), {low, address_of(fragment, fragment.place(r), false)});
    emit("ld", access("b16"), {high, address_of(fragment, fragment.place(r), true)});
    emit("mov", {"b32"}, {to, vector({low, high})});
  }
  void store_register(const Fragment& fragment, unsigned r, const Operand& from) {
    if (fragment.contiguous()) {
      emit("st", access("b32"), {address_of(fragment, fragment.place(r), false), from});
      return;
    }
    const Operand low = fresh(Type::b16);
    const Operand high = fresh(Type::b16);
    emit("mov", {"b32"}, {vector({low, high}), from});
    emit("st", access("b16"), {address_of(fragment, fragment.place(r), false), low});
    emit("st", access("b16"), {address_of(fragment, fragment.place(r), true), high});
  }

  ptx::Function& function_;
  const Instruction& from_;
  std::vector<Instruction>& to_;
  Operand base_, step_;
  std::int64_t offset_ = 0;
};

void expand(ptx::Function& function) {
  const std::vector<Instruction> code = std::exchange(function.code, {});
  std::vector<std::uint32_t> moved;  // where each instruction stands now
  for (const Instruction& instruction : code) {
    const std::size_t before = function.code.size();
    moved.push_back(static_cast<std::uint32_t>(before));
    if (instruction.root == "wmma" && Expander(function, instruction, function.code).expand()) continue;
    function.code.resize(before);
    function.code.push_back(instruction);
  }
  moved.push_back(static_cast<std::uint32_t>(function.code.size()));
  for (ptx::Label& label : function.labels) label.instruction = moved[label.instruction];
}

}  // namespace

void expand_wmma(ptx::Module& module) {
  for (ptx::Function& function : module.functions) {
    const bool any = std::ranges::any_of(function.code, [](const Instruction& i) { return i.root == "wmma"; });
    if (any) expand(function);
  }
}

}  // namespace tileloom::emu
