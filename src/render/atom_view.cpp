// SPDX-License-Identifier: Apache-2.0
#include "render/atom_view.hpp"

#include <algorithm>
#include <cctype>

#include "tileloom/error.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::render {

namespace {

struct Axes {
  const char *row, *column;
  int rows, columns;
};

AtomOperand mma_operand(const hw::MmaAtom& x, const char* letter, const hw::MmaOperand& o, const Axes& axes) {
  AtomOperand r;
  r.atom = x.name;
  r.letter = letter;
  r.type = std::string(hw::name(o.type));
  r.row_name = axes.row;
  r.column_name = axes.column;
  r.rows = axes.rows;
  r.columns = axes.columns;
  r.keeper = o.holder == hw::Holder::registers ? Keeper::registers : Keeper::descriptor;
  r.threads = x.threads;
  r.thread_id = x.thread_id;
  r.tv = o.tv;
  r.register_letter = o.register_name;
  r.register_bits = o.register_bits;
  r.value_bits = hw::bits(o.type);
  return r;
}

AtomOperand copy_end(const hw::CopyAtom& x, bool source) {
  const hw::CopyEnd end = source ? hw::source_end(x) : hw::destination_end(x);
  const bool matrices = x.kind == hw::CopyKind::ldmatrix || x.kind == hw::CopyKind::stmatrix;
  const bool in_shared = source == (x.kind == hw::CopyKind::ldmatrix);
  AtomOperand r;
  r.atom = x.name;
  r.letter = source ? "S" : "D";
  r.type = "b" + std::to_string(x.unit_bits);
  r.row_name = "row";
  r.column_name = matrices ? "u" : "byte";
  r.rows = end.rows;
  r.columns = end.columns;
  r.keeper = !matrices ? Keeper::bytes : in_shared ? Keeper::row : Keeper::registers;
  r.threads = x.threads;
  r.thread_id = x.thread_id;
  r.tv = end.tv;
  r.value_bits = x.unit_bits;
  if (r.keeper == Keeper::registers) {
    r.register_letter = "r";
    r.register_bits = 32;
  }
  return r;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

bool means(std::string_view word, const AtomOperand& operand, bool copy) {
  const std::string w = upper(word);
  if (w == operand.letter) return true;
  if (!copy) return false;
  return operand.letter == "S" ? w == "SRC" || w == "SOURCE" : w == "DST" || w == "DESTINATION";
}

std::string where_of(const AtomOperand& o, int value) {
  if (o.keeper == Keeper::bytes) return "byte " + std::to_string(value);
  return "bytes " + std::to_string(2 * value) + ".." + std::to_string(2 * value + 1) + " of the row that it addresses";
}

}  // namespace

std::string AtomOperand::element(int row, int column) const {
  return letter + "(" + std::to_string(row) + "," + std::to_string(column) + ")";
}

std::vector<AtomOperand> operands_of(const hw::AnyAtom& atom) {
  if (atom.copy != nullptr) return {copy_end(*atom.copy, true), copy_end(*atom.copy, false)};
  const hw::MmaAtom& x = *atom.mma;
  return {mma_operand(x, "A", x.a, {"m", "k", x.m, x.k}), mma_operand(x, "B", x.b, {"n", "k", x.n, x.k}),
          mma_operand(x, "C", x.c, {"m", "n", x.m, x.n}), mma_operand(x, "D", x.d, {"m", "n", x.m, x.n})};
}

AtomOperand operand_of(const hw::AnyAtom& atom, std::string_view word) {
  for (AtomOperand& o : operands_of(atom)) {
    if (means(word, o, atom.copy != nullptr)) return std::move(o);
  }
  throw Error(ErrorKind::bad_input, std::string("operand: expected ") +
                                        (atom.mma != nullptr ? "A, B, C or D" : "source or destination") + ", found '" +
                                        std::string(word) + "'");
}

hw::LaneMap map_of(const AtomOperand& o) {
  if (o.keeper == Keeper::descriptor) {
    throw Error(ErrorKind::bad_input,
                o.letter + " of " + o.atom + ": expected an operand in registers, found one that all " +
                    std::to_string(o.threads) + " threads read from shared memory",
                o.letter == "A" ? "the instruction whose name has RS for SS holds A in registers" : "");
  }
  return {o.tv, o.rows, o.columns};
}

AtomPlace place_of(const AtomOperand& o, const hw::LaneMap& map, hw::Holding holding) {
  const hw::MatrixPosition p = map.at(holding.thread, holding.value);
  const auto id = static_cast<int>(o.thread_id(holding.thread));
  AtomPlace place{p.row, p.column, holding.thread, id / 32, id % 32, 0, holding.value, {}, {}};
  if (o.keeper == Keeper::registers) {
    place.registers = hw::register_bits(o.register_letter, o.register_bits, o.value_bits, holding.value);
    place.where = to_string(*place.registers);
  } else {
    place.where = where_of(o, holding.value);
  }
  return place;
}

AtomPlace find(const AtomOperand& o, const hw::LaneMap& map, int row, int column) {
  return place_of(o, map, map.holders({row, column}).front());
}

AtomPlace in_group(const AtomOperand& o, AtomPlace place, int group) {
  place.group = group;
  place.lane += group * lane_groups(o).step;
  return place;
}

std::string thread_name(const AtomOperand& o) {
  return o.threads == 32 ? "lane" : "t";
}

std::optional<LayoutFormulas> formulas_of(const AtomOperand& o) {
  if (o.threads == 1) return std::nullopt;
  return layout_formulas(o.tv, o.rows, o.columns, {thread_name(o), "v", o.row_name, o.column_name});
}

LaneGroups lane_groups(const AtomOperand& o) {
  if (o.threads >= 32 || o.threads == 1) return {};
  const layout::Layout others = layout::complement(o.thread_id, layout::Tree(layout::Int::make_static(32)));
  return {static_cast<int>(layout::size(others).value), static_cast<int>(others(1))};
}

std::string thread_rule(const AtomOperand& o) {
  if (o.threads == 128) return "t = 32*warp + lane";
  const LaneGroups groups = lane_groups(o);
  if (groups.count == 1) return "";
  const layout::Layout once(layout::Tree::tuple({o.thread_id.shape(), layout::static_1}),
                            layout::Tree::tuple({o.thread_id.stride(), layout::static_0}));
  const auto formulas = layout_formulas(once, 32, 1, {"t", "v", "lane", "none"});
  return to_string(formulas->row) + " + " + std::to_string(groups.step) + "*q in quad pair q";
}

}  // namespace tileloom::render
