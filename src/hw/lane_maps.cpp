// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/lane_maps.hpp"

#include "tileloom/error.hpp"
#include "tileloom/layout/algebra.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::hw {

LaneMap::LaneMap(const layout::Layout& tv, int rows, int columns) : rows_(rows), columns_(columns) {
  const layout::LayoutRef modes(tv);
  threads_ = static_cast<int>(layout::size(modes[0]).value);
  const std::int64_t count = layout::size(tv).value;
  const auto elements = static_cast<std::uint32_t>(rows * columns);
  first_.assign(elements + 1, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto e = static_cast<std::uint32_t>(tv(i));
    if (e >= elements) {
      throw Error(ErrorKind::bad_input, "TV layout " + to_string(tv) + ": expected elements below " +
                                            std::to_string(elements) + ", found " + std::to_string(e));
    }
    elements_.push_back(e);
    ++first_[e + 1];
  }
  for (std::size_t e = 0; e < elements; ++e) first_[e + 1] += first_[e];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  holdings_.resize(elements_.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const int flat = static_cast<int>(i);
    holdings_[next[elements_[i]]++] = {flat % threads_, flat / threads_};
  }
}

std::span<const Holding> LaneMap::holders(MatrixPosition p) const {
  const int element = p.row + rows_ * p.column;
  const auto e = static_cast<std::size_t>(element);
  return {holdings_.data() + first_[e], holdings_.data() + first_[e + 1]};
}

LaneMap a_map(const MmaAtom& atom) {
  return {atom.a.tv, atom.m, atom.k};
}

LaneMap b_map(const MmaAtom& atom) {
  return {atom.b.tv, atom.n, atom.k};
}

LaneMap c_map(const MmaAtom& atom) {
  return {atom.c.tv, atom.m, atom.n};
}

RegisterBits register_bits(std::string_view letter, int width, int value_bits, int value) {
  const int per = width / value_bits;
  const int low = value % per * value_bits;
  return {std::string(letter) + std::to_string(value / per), low, low + value_bits - 1, per == 1};
}

RegisterBits register_bits(const MmaOperand& operand, int value) {
  return register_bits(operand.register_name, operand.register_bits, bits(operand.type), value);
}

std::string to_string(const RegisterBits& bits) {
  return bits.whole ? bits.name : bits.name + "[" + std::to_string(bits.high) + ":" + std::to_string(bits.low) + "]";
}

namespace {

bool moves_matrices(const CopyAtom& atom) {
  return atom.kind == CopyKind::ldmatrix || atom.kind == CopyKind::stmatrix;
}

CopyEnd end_of(const CopyAtom& atom, const layout::Layout& bits) {
  if (atom.kind == CopyKind::automatic) {
    throw Error(ErrorKind::bad_input, atom.name +
                                          ": expected a copy with a layout of its own, found one whose width "
                                          "follows from the tensors that it copies");
  }
  const int total = static_cast<int>(layout::cosize(bits).value);
  const int columns = (moves_matrices(atom) ? 128 : total) / atom.unit_bits;
  const int rows = total / atom.unit_bits / columns;
  const layout::Layout units = layout::upcast(bits, atom.unit_bits);
  if (rows == 1) return {units, rows, columns};
  // Units count along rows, elements of a LaneMap down columns.
  const layout::Layout turned = layout::parse_layout("(_" + std::to_string(columns) + ",_" + std::to_string(rows) +
                                                     "):(_" + std::to_string(rows) + ",_1)");
  return {layout::composition(turned, units), rows, columns};
}

LaneMap map_of(const CopyEnd& end) {
  return {end.tv, end.rows, end.columns};
}

}  // namespace

CopyEnd source_end(const CopyAtom& atom) {
  return end_of(atom, atom.source_bits);
}

CopyEnd destination_end(const CopyAtom& atom) {
  return end_of(atom, atom.destination_bits);
}

MatrixCopyMap matrix_copy_map(const CopyAtom& atom) {
  if (!moves_matrices(atom)) {
    throw Error(ErrorKind::bad_input, "matrix copy: expected an ldmatrix or stmatrix, found " + atom.name);
  }
  LaneMap from = map_of(source_end(atom));
  LaneMap to = map_of(destination_end(atom));
  const bool loads = atom.kind == CopyKind::ldmatrix;
  return loads ? MatrixCopyMap{std::move(from), std::move(to)} : MatrixCopyMap{std::move(to), std::move(from)};
}

}  // namespace tileloom::hw
