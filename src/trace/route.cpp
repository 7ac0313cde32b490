// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/route.hpp"

#include <algorithm>

#include "tileloom/error.hpp"
#include "trace/route_index.hpp"

namespace tileloom::trace {

using hw::Holding;
using hw::MatrixPosition;

namespace {

std::string element_name(Operand o, MatrixPosition p) {
  return std::string(1, o == Operand::c ? 'D' : letter(o)) + "(" + std::to_string(p.row) + "," +
         std::to_string(p.column) + ")";
}

void check_inside(const OperandPath& path, MatrixPosition p) {
  if (p.row < 0 || p.row >= path.rows || p.column < 0 || p.column >= path.columns) {
    throw Error(
        ErrorKind::bad_input,
        element_name(path.operand, p) + ": outside the CTA's tile, which has " + std::to_string(path.rows) + " x " +
            std::to_string(path.columns),
        path.operand == Operand::c ? "of another tile: --cta M,N" : "a later k-tile is the third number: A:0,9,2");
  }
}

void check_k_tile(const OperandPath& path, std::int64_t k_tile) {
  const bool output = path.operand == Operand::c;
  const std::int64_t tiles = output ? 1 : path.global ? mode_size(*path.global, 2) : INT32_MAX;
  if (k_tile < 0 || k_tile >= tiles) {
    throw Error(ErrorKind::bad_input, "k-tile " + std::to_string(k_tile) + " of " +
                                          (output ? 'D' : letter(path.operand)) + ", expected 0 to " +
                                          std::to_string(tiles - 1));
  }
}

MatrixPosition element_of_atom(const TiledMma& mma, Operand operand, const RegisterPlace& place) {
  const hw::MmaAtom& atom = mma.atom();
  const layout::Tree at = mma.thread_coordinate(layout::Int::make_static(place.thread));
  const hw::MmaOperand& o = mma.operand(operand);
  const std::int64_t element = o.tv(layout::TreeRef(at)[0].leaf().value + atom.threads * std::int64_t{place.mma[0]});
  const int rows = operand == Operand::a ? atom.m : atom.n;
  return {static_cast<int>(element % rows), static_cast<int>(element / rows)};
}

}  // namespace

RouteTracer::RouteTracer(const Kernel& kernel, CtaIndex cta) : kernel_(&kernel), cta_(cta) {
  check_cta(kernel, cta);
  index_ = std::make_shared<const Index>(kernel);
}

const TileTable& RouteTracer::registers(Operand o) const {
  return index_->registers.at(static_cast<std::size_t>(o));
}

GlobalPlace RouteTracer::global_place(const OperandPath& path, MatrixPosition p, std::int64_t k_tile) const {
  const MatrixPosition origin = tile_origin(path, cta_);
  GlobalPlace g;
  g.element = {origin.row + p.row, origin.column + p.column + static_cast<int>(k_tile * path.columns)};
  g.offset = offset_at(*path.matrix, g.element.row, g.element.column);
  g.byte = g.offset * path.bits / 8;
  return g;
}

SharedPlace RouteTracer::shared_place(const OperandPath& path, MatrixPosition p, std::int64_t stage) const {
  SharedPlace s;
  s.stage = stage;
  s.before_swizzle = offset_before_swizzle(*path.shared, p.row, p.column, stage);
  s.offset = offset_at(*path.shared, p.row, p.column, stage);
  s.byte = path.shared_at + s.offset * path.bits / 8;
  s.bank = static_cast<int>(s.byte / 4 % 32);
  return s;
}

RegisterPlace RouteTracer::place(Operand operand, Holding h) const {
  const FragmentIndex& fragment = index_->fragments.at(static_cast<std::size_t>(operand));
  RegisterPlace r;
  r.thread = registers(operand).thread_id(h.thread);
  r.warp = r.thread / warp_size;
  r.lane = r.thread % warp_size;
  r.value = h.value;
  r.slot = fragment.slots.at(static_cast<std::size_t>(h.value));
  r.mma = fragment.coordinate(h.value);
  r.bits = fragment.bits.at(static_cast<std::size_t>(r.mma[0]));
  return r;
}

// The instruction of which `place` is a destination, and the source thread of the same warp and instruction.
LoadPlace RouteTracer::load_place(const OperandPath& path, MatrixPosition p, RegisterPlace& place) const {
  const RegisterCopyIndex& copy = *index_->drain.at(static_cast<std::size_t>(path.operand));
  const int in = copy.source.together;
  const int out = copy.destination.together;
  const auto held = copy.destination.table.holders(p);
  const auto to = std::ranges::find(held, place.thread, &Holding::thread);
  const auto sources = copy.source.table.holders(p);
  const auto from = std::ranges::find_if(sources, [&](Holding h) {
    return to != held.end() && h.thread / copy.group == place.thread / copy.group && h.value / in == to->value / out;
  });
  if (to == held.end() || from == sources.end()) {
    throw Error(ErrorKind::check_failed, element_name(path.operand, p) + ": thread " + std::to_string(place.thread) +
                                             " holds it for the MMA, but no copy brings it there");
  }
  place.copy = copy.coordinate(to->value);
  const CopyPlace row = copy.source.instruction(*from, path.bits);
  LoadPlace l;
  l.source_thread = row.thread;
  l.source_lane = row.thread % warp_size;
  l.first = row.first;
  l.last = row.last;
  l.position = row.position;
  const int destination = place.thread % copy.group + copy.group * (to->value % out);
  l.e = copy.e.at(static_cast<std::size_t>(destination));
  l.tv = copy.tv.at(static_cast<std::size_t>(l.e));
  const std::int64_t thread = l.tv % copy.group + place.thread / copy.group * copy.group;
  const std::int64_t value = l.tv / copy.group + to->value % copy.values_in_tile / out * copy.reference_values;
  l.q = copy.q.at(static_cast<std::size_t>(thread + copy.threads * value));
  return l;
}

Holder RouteTracer::holder(Operand operand, MatrixPosition element, Holding h) const {
  const OperandPath& path = kernel_->path(operand);
  Holder holder{place(operand, h), std::nullopt};
  if (path.drain && operand != Operand::c) {
    holder.load = load_place(path, element, holder.place);
  }
  if (operand == Operand::c && index_->r2s) {
    const auto sources = index_->r2s->source.table.holders(element);
    const auto from = std::ranges::find(sources, holder.place.thread, &Holding::thread);
    if (from != sources.end()) {
      holder.place.copy = index_->r2s->coordinate(from->value);
    }
  }
  return holder;
}

// D: registers -> shared memory, where the kernel uses it -> global memory.
void RouteTracer::store_route(Route& r) const {
  const OperandPath& path = kernel_->path(Operand::c);
  if (path.shared) {
    r.slab = slab_of(*kernel_, r.element);
    r.shared = shared_place(path, r.slab->in_part, r.slab->pipe);
  }
  if (index_->r2s) {
    const EndIndex& stores = index_->r2s->destination;
    for (const Holding h : stores.table.holders(r.element)) {
      r.stores.push_back(stores.instruction(h, path.bits));
    }
  }
  if (index_->to_global) {
    const MatrixPosition origin = r.slab ? r.slab->origin : MatrixPosition{};
    for (const Holding h : index_->to_global->table.holders(r.slab ? r.slab->in_part : r.element)) {
      CopyPlace c = index_->to_global->instruction(h, path.bits);
      for (MatrixPosition* p : {&c.first, &c.last}) {
        *p = {p->row + origin.row, p->column + origin.column};
      }
      r.copies.push_back(c);
    }
  }
}

Route RouteTracer::without_holders(Operand operand, MatrixPosition element, std::int64_t k_tile) const {
  const OperandPath& path = kernel_->path(operand);
  Route r;
  r.operand = operand;
  r.element = element;
  r.k_tile = k_tile;
  r.cta = cta_;
  if (path.global) {
    r.global = global_place(path, element, k_tile);
  }
  if (operand == Operand::c) {
    store_route(r);
  } else {
    if (path.fill) {
      const EndIndex& fill = *index_->fill.at(static_cast<std::size_t>(operand));
      for (const Holding h : fill.table.holders(element)) {
        r.copies.push_back(fill.instruction(h, path.bits));
      }
    }
    if (path.shared) {
      r.shared = shared_place(path, element, k_tile % mode_size(*path.shared, 2));
    }
  }
  for (CopyPlace& c : r.copies) {
    if (path.global) {
      c.global_byte = global_place(path, c.first, k_tile).byte;
    }
  }
  return r;
}

Route RouteTracer::follow(Operand operand, MatrixPosition element, std::int64_t k_tile) const {
  const OperandPath& path = kernel_->path(operand);
  check_inside(path, element);
  check_k_tile(path, k_tile);
  Route r = without_holders(operand, element, k_tile);
  for (const Holding h : registers(operand).holders(element)) {
    r.holders.push_back(holder(operand, element, h));
  }
  if (operand != Operand::c) {
    r.feeds = feeds(operand, element);
    r.feeds->in_atom = element_of_atom(kernel_->mma, operand, r.holders.front().place);
  }
  return r;
}

RegisterReport RouteTracer::report(const std::string& name, int warp, int lane, std::int64_t k_tile) const {
  RegisterReport report;
  report.name = name;
  report.contents = contents(name, warp, lane);
  report.operand = name.front() == 'a' ? Operand::a : name.front() == 'b' ? Operand::b : Operand::c;
  check_k_tile(kernel_->path(report.operand), k_tile);
  report.warp = warp;
  report.lane = lane;
  report.thread = warp_size * warp + lane;
  report.k_tile = k_tile;
  report.cta = cta_;
  const TileTable& table = registers(report.operand);
  for (const RegisterContent& c : report.contents) {
    std::vector<Route>& routes = report.routes.emplace_back();
    for (std::size_t i = 0; i < c.elements.size(); ++i) {
      const Holding held{table.index_of(report.thread), c.value + static_cast<int>(i)};
      routes.push_back(without_holders(report.operand, c.elements[i], k_tile));
      routes.back().holders.push_back(holder(report.operand, c.elements[i], held));
    }
  }
  return report;
}

}  // namespace tileloom::trace
