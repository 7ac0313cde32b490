// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/route.hpp"

#include <algorithm>
#include <set>

#include "tileloom/error.hpp"

namespace tileloom::trace {

using hw::Holding;
using hw::MatrixPosition;
using layout::AnyLayout;

namespace {

constexpr int warp_size = 32;

int count(const layout::Layout& l) {
  return static_cast<int>(size(l).value);
}

// Values that one instruction of a thread moves at an end.
int values_at_once(const TiledCopy& copy, End end) {
  return count((end == End::source ? copy.atom_source() : copy.atom_destination())[1]);
}

std::string element_name(Operand o, MatrixPosition p) {
  return std::string(1, letter(o)) + "(" + std::to_string(p.row) + "," + std::to_string(p.column) + ")";
}

void check_inside(const OperandPath& path, MatrixPosition p) {
  if (p.row < 0 || p.row >= path.rows || p.column < 0 || p.column >= path.columns) {
    throw Error(ErrorKind::bad_input,
                element_name(path.operand, p) + ": outside the CTA's tile, which has " + std::to_string(path.rows) +
                    " x " + std::to_string(path.columns),
                path.operand == Operand::c ? "" : "a later k-tile is the third number: A:0,9,2");
  }
}

void check_k_tile(const OperandPath& path, std::int64_t k_tile) {
  const std::int64_t tiles = path.operand != Operand::c && path.global ? mode_size(*path.global, 2) : INT64_MAX;
  if (k_tile < 0 || k_tile >= tiles || (path.operand == Operand::c && k_tile != 0)) {
    throw Error(ErrorKind::bad_input, std::string("k-tile ") + std::to_string(k_tile) + " of " + letter(path.operand) +
                                          ", expected 0 to " +
                                          std::to_string(path.operand == Operand::c ? 0 : tiles - 1));
  }
}

MatrixPosition element_of_atom(const TiledMma& mma, Operand operand, const RegisterPlace& place) {
  const hw::MmaAtom& atom = mma.atom();
  const layout::Tree at = mma.thread_coordinate(layout::Int::make_static(place.thread));
  const hw::LaneMap map = operand == Operand::a ? hw::a_map(atom) : hw::b_map(atom);
  return map.at(static_cast<int>(layout::TreeRef(at)[0].leaf().value), place.mma[0]);
}

}  // namespace

RouteTracer::RouteTracer(const Kernel& kernel) : kernel_(&kernel) {
  for (const OperandPath& p : kernel.operands) {
    const auto i = static_cast<std::size_t>(p.operand);
    registers_.at(i).emplace(kernel.mma, p.operand, p.rows, p.columns);
    if (p.operand == Operand::c) {
      continue;
    }
    if (p.fill) {
      fill_.at(i).emplace(*p.fill, End::destination, p.rows, p.columns);
    }
    if (p.drain) {
      drain_source_.at(i).emplace(*p.drain, End::source, p.rows, p.columns);
      drain_destination_.at(i).emplace(*p.drain, End::destination, p.rows, p.columns);
    }
  }
}

GlobalPlace RouteTracer::global_place(const OperandPath& path, MatrixPosition p, std::int64_t k_tile) const {
  GlobalPlace g;
  g.element = {p.row, p.column + static_cast<int>(k_tile * path.columns)};
  g.offset = offset_at(*path.global, p.row, p.column, k_tile);
  g.byte = g.offset * path.bits / 8;
  return g;
}

SharedPlace RouteTracer::shared_place(const OperandPath& path, MatrixPosition p, std::int64_t k_tile) const {
  SharedPlace s;
  s.stage = k_tile % mode_size(*path.shared, 2);
  s.before_swizzle = offset_before_swizzle(*path.shared, p.row, p.column, s.stage);
  s.offset = offset_at(*path.shared, p.row, p.column, s.stage);
  s.byte = path.shared_at + s.offset * path.bits / 8;
  s.bank = static_cast<int>(s.byte / 4 % 32);
  return s;
}

std::vector<CopyPlace> RouteTracer::copies(const OperandPath& path, MatrixPosition p) const {
  const TileTable& table = *fill_.at(static_cast<std::size_t>(path.operand));
  const int together = values_at_once(*path.fill, End::destination);
  std::vector<CopyPlace> all;
  for (const Holding h : table.holders(p)) {
    const int first = h.value / together * together;
    all.push_back({h.thread, table.at(h.thread, first), table.at(h.thread, first + together - 1), h.value - first});
  }
  return all;
}

RegisterPlace RouteTracer::place(Operand operand, Holding h) const {
  const OperandPath& path = kernel_->path(operand);
  const AnyLayout fragment = path.fragment;
  RegisterPlace r;
  r.thread = registers(operand).thread_id(h.thread);
  r.warp = r.thread / warp_size;
  r.lane = r.thread % warp_size;
  r.value = h.value;
  r.slot = path.fragment(h.value);
  const int values = static_cast<int>(mode_size(fragment, 0));
  const int first = static_cast<int>(mode_size(fragment, 1));
  r.mma = {h.value % values, h.value / values % first, h.value / values / first};
  const hw::MmaAtom& atom = kernel_->mma.atom();
  r.bits = hw::register_bits(operand == Operand::c ? atom.d : kernel_->mma.operand(operand), r.mma[0]);
  return r;
}

// The instruction of which `place` is a destination, and the source thread of the same warp and instruction.
LoadPlace RouteTracer::load_place(const OperandPath& path, MatrixPosition p, RegisterPlace& place) const {
  const auto i = static_cast<std::size_t>(path.operand);
  const TiledCopy& copy = *path.drain;
  const int group = count(copy.atom_reference()[0]);  // threads that execute it together
  const int in = values_at_once(copy, End::source);
  const int out = values_at_once(copy, End::destination);
  const auto held = drain_destination_.at(i)->holders(p);
  const auto to = std::ranges::find(held, place.thread, &Holding::thread);
  const auto sources = drain_source_.at(i)->holders(p);
  const auto from = std::ranges::find_if(sources, [&](Holding h) {
    return to != held.end() && h.thread / group == place.thread / group && h.value / in == to->value / out;
  });
  if (to == held.end() || from == sources.end()) {
    throw Error(ErrorKind::check_failed, element_name(path.operand, p) + ": thread " + std::to_string(place.thread) +
                                             " holds it for the MMA, but no copy brings it there");
  }
  const AnyLayout registers = copy.retile(path.fragment);
  const int values = static_cast<int>(mode_size(registers, 0));
  const int first = static_cast<int>(mode_size(registers, 1));
  place.copy = {to->value % values, to->value / values % first, to->value / values / first};

  LoadPlace l;
  l.source_thread = from->thread;
  l.source_lane = from->thread % warp_size;
  l.position = from->value % in;
  const int start = from->value - l.position;
  l.first = drain_source_.at(i)->at(from->thread, start);
  l.last = drain_source_.at(i)->at(from->thread, start + in - 1);
  l.e = copy.atom_destination()(place.thread % group + group * (to->value % out));
  l.tv = right_inverse(copy.atom_reference())(l.e);
  const int in_tile = count(copy.layout_tv(End::destination)[1]);  // values of a thread in one tile of the copy
  const std::int64_t reference_values = count(copy.atom_reference()[1]);
  const std::int64_t thread = l.tv % group + place.thread / group * group;
  const std::int64_t value = l.tv / group + to->value % in_tile / out * reference_values;
  l.q = copy.layout_tv()(thread + copy.threads().value * value);
  return l;
}

Feeds RouteTracer::feeds(Operand operand, MatrixPosition p) const {
  const OperandPath& d = kernel_->path(Operand::c);
  const TileTable& table = registers(Operand::c);
  const bool row = operand == Operand::a;
  Feeds f;
  f.first = row ? MatrixPosition{p.row, 0} : MatrixPosition{0, p.row};
  f.last = row ? MatrixPosition{p.row, static_cast<int>(d.columns) - 1}
               : MatrixPosition{static_cast<int>(d.rows) - 1, p.row};
  std::set<int> warps;
  std::set<int> lanes;
  std::set<int> registers_of_atom;
  const hw::MmaOperand& sums = kernel_->mma.atom().d;
  const int values = static_cast<int>(mode_size(AnyLayout(d.fragment), 0));
  for (int row_of_d = f.first.row; row_of_d <= f.last.row; ++row_of_d) {
    for (int column = f.first.column; column <= f.last.column; ++column) {
      for (const Holding h : table.holders({row_of_d, column})) {
        warps.insert(table.thread_id(h.thread) / warp_size);
        lanes.insert(table.thread_id(h.thread) % warp_size);
        registers_of_atom.insert(h.value % values / sums.per_register());
      }
    }
  }
  f.warps.assign(warps.begin(), warps.end());
  f.lanes.assign(lanes.begin(), lanes.end());
  for (const int r : registers_of_atom) {
    f.registers.push_back(hw::register_bits(sums, r * sums.per_register()).name);
  }
  return f;
}

Route RouteTracer::follow(Operand operand, MatrixPosition element, std::int64_t k_tile) const {
  const OperandPath& path = kernel_->path(operand);
  check_inside(path, element);
  check_k_tile(path, k_tile);
  Route r;
  r.operand = operand;
  r.element = element;
  r.k_tile = k_tile;
  if (path.global) {
    r.global = global_place(path, element, k_tile);
  }
  const bool output = operand == Operand::c;
  if (path.fill && !output) {
    r.copies = copies(path, element);
  }
  if (path.shared && !output) {
    r.shared = shared_place(path, element, k_tile);
  }
  for (const Holding h : registers(operand).holders(element)) {
    Holder holder{place(operand, h), std::nullopt};
    if (path.drain && !output) {
      holder.load = load_place(path, element, holder.place);
    }
    r.holders.push_back(std::move(holder));
  }
  if (!output) {
    r.feeds = feeds(operand, element);
    r.feeds->in_atom = element_of_atom(kernel_->mma, operand, r.holders.front().place);
  }
  return r;
}

}  // namespace tileloom::trace
