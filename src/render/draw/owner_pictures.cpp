// SPDX-License-Identifier: Apache-2.0
#include "render/draw/owner_pictures.hpp"

#include <fmt/format.h>

#include "render/draw/owner_panel.hpp"
#include "tileloom/error.hpp"
#include "tileloom/trace/tile_table.hpp"

namespace tileloom::render::draw {

using hw::Holding;
using hw::MatrixPosition;
using layout::LayoutRef;
using trace::End;
using trace::Operand;
using trace::TileTable;

namespace {

// Of (row, column) as the operand counts them: (m,k), (n,k), (m,n).
using HoldersOf = std::function<std::vector<Holding>(Operand, MatrixPosition)>;

constexpr int gap = 1;  // cells between panels, beside their heads

// `sizes` is M, N, K.
void add_operands(Picture& p, std::array<int, 3> sizes, const std::array<std::string, 3>& asides, const HoldersOf& of) {
  const auto [m, n, k] = sizes;
  const int row = head_rows + k + gap + head_rows;  // of the first cells of A and C
  const int column = head_columns + k + gap + head_columns;
  add_panel(p,
            {.name = "B",
             .title = "B: k down, n across" + asides[1],
             .row = head_rows,
             .column = column,
             .rows = k,
             .columns = n},
            [&](int r, int c) {
              return of(Operand::b, {c, r});
            });
  add_panel(p,
            {.name = "A",
             .title = "A: m down, k across" + asides[0],
             .row = row,
             .column = head_columns,
             .rows = m,
             .columns = k},
            [&](int r, int c) {
              return of(Operand::a, {r, c});
            });
  add_panel(
      p,
      {.name = "C", .title = "C: m down, n across" + asides[2], .row = row, .column = column, .rows = m, .columns = n},
      [&](int r, int c) {
        return of(Operand::c, {r, c});
      });
}

void add_ends(Picture& p, int rows, int columns, const std::string& unit,
              const std::function<std::vector<Holding>(End, MatrixPosition)>& of) {
  for (const End end : {End::source, End::destination}) {
    const bool first = end == End::source;
    const std::string name = first ? "source" : "destination";
    add_panel(p,
              {.name = name,
               .title = name + (first ? unit : ""),
               .row = head_rows,
               .column = head_columns + (first ? 0 : columns + gap + head_columns),
               .rows = rows,
               .columns = columns},
              [&](int r, int c) {
                return of(end, {r, c});
              });
  }
}

std::vector<Holding> copied(std::span<const Holding> holders, const std::function<int(int)>& thread) {
  std::vector<Holding> all(holders.begin(), holders.end());
  for (Holding& h : all) {
    h.thread = thread(h.thread);
  }
  return all;
}

std::string tv_note(char letter, const layout::Layout& tv) {
  return fmt::format("{}  {}", letter, to_string(tv));
}

std::vector<Holding> table_holders(const TileTable& table, MatrixPosition at) {
  return copied(table.holders(at), [&](int i) { return table.thread_id(i); });
}

}  // namespace

Picture mma_picture(const hw::MmaAtom& atom) {
  Picture p = owner_picture(atom.name);
  std::array<std::string, 3> asides;
  const std::array operands{&atom.a, &atom.b, &atom.c};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool in_registers = operands[i]->holder == hw::Holder::registers;
    asides[i] = in_registers ? "" : " (shared memory)";
    p.notes.push_back(tv_note("ABC"[i], operands[i] -> tv));
  }
  const std::array maps{a_map(atom), b_map(atom), c_map(atom)};
  add_operands(p, {atom.m, atom.n, atom.k}, asides, [&](Operand o, MatrixPosition at) -> std::vector<Holding> {
    const auto i = static_cast<std::size_t>(o);
    if (operands.at(i)->holder != hw::Holder::registers) {
      return {};
    }
    return copied(maps.at(i).holders(at), [&](int t) { return static_cast<int>(atom.thread_id(t)); });
  });
  return p;
}

Picture mma_picture(const trace::TiledMma& mma, const std::string& name) {
  Picture p = owner_picture(name.empty() ? "tiled MMA" : name + ": tiled MMA");
  std::array<int, 3> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    check_cell_count(mma.tile_size(i).value);
    sizes[i] = static_cast<int>(mma.tile_size(i).value);
  }
  check_cell_count(std::int64_t{sizes[0]} * sizes[1]);
  p.notes.push_back(fmt::format("{}, {} threads", mma.atom().name, mma.threads().value));
  std::array<std::optional<TileTable>, 3> tables;
  std::array<std::string, 3> asides;
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    const auto i = static_cast<std::size_t>(o);
    const auto [first, second] = trace::modes_of(o);
    if (mma.operand(o).holder == hw::Holder::registers) {
      tables.at(i).emplace(mma, o, sizes.at(first), sizes.at(second));
    } else {
      asides.at(i) = " (shared memory)";
    }
    p.notes.push_back(tv_note(trace::letter(o), mma.layout_tv(o)));
  }
  add_operands(p, sizes, asides, [&](Operand o, MatrixPosition at) -> std::vector<Holding> {
    const auto& table = tables.at(static_cast<std::size_t>(o));
    return table ? table_holders(*table, at) : std::vector<Holding>{};
  });
  return p;
}

Picture copy_picture(const hw::CopyAtom& atom) {
  const hw::CopyEnd source = source_end(atom);
  const hw::CopyEnd destination = destination_end(atom);
  Picture p = owner_picture(atom.name);
  const hw::LaneMap from(source.tv, source.rows, source.columns);
  const hw::LaneMap to(destination.tv, destination.rows, destination.columns);
  p.notes.push_back(fmt::format("in units of {} bits", atom.unit_bits));
  add_ends(p, source.rows, source.columns, "", [&](End end, MatrixPosition at) {
    return copied((end == End::source ? from : to).holders(at),
                  [&](int t) { return static_cast<int>(atom.thread_id(t)); });
  });
  return p;
}

Picture copy_picture(const trace::TiledCopy& copy, const std::string& name) {
  const std::size_t rank = copy.tiler().rank();
  if (rank > 2) {
    throw Error(ErrorKind::bad_input,
                fmt::format("draw: the copy's tile {} has rank {}, expected 1 or 2", to_string(copy.tiler()), rank));
  }
  const std::int64_t rows = product(copy.tiler()[0]).value;
  const std::int64_t columns = rank == 2 ? product(copy.tiler()[1]).value : 1;
  check_cell_count(2 * rows * columns);
  const TileTable from(copy, End::source, rows, columns);
  const TileTable to(copy, End::destination, rows, columns);
  Picture p = owner_picture(name);
  p.notes.push_back(fmt::format("{}, {} threads", copy.atom().name, copy.threads().value));
  p.notes.push_back("source       " + to_string(copy.layout_tv(End::source)));
  p.notes.push_back("destination  " + to_string(copy.layout_tv(End::destination)));
  add_ends(p, static_cast<int>(rows), static_cast<int>(columns), ": rows down, columns across",
           [&](End end, MatrixPosition at) { return table_holders(end == End::source ? from : to, at); });
  return p;
}

}  // namespace tileloom::render::draw
