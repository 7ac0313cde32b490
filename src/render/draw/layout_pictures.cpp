// SPDX-License-Identifier: Apache-2.0
#include "render/draw/layout_pictures.hpp"

#include <fmt/format.h>

#include <bit>
#include <functional>

#include "render/draw/owner_panel.hpp"
#include "render/draw/row_cost.hpp"
#include "render/layout_text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::render::draw {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::Tree;
using layout::TreeRef;

namespace {

constexpr int row_of_rank_1 = 32;  // cells

// A number in 0 .. n - 1 also for negative x.
std::int64_t floor_mod(std::int64_t x, std::int64_t n) {
  return (x % n + n) % n;
}

void check_rank(const AnyLayout& l) {
  const std::size_t rank = domain(l).rank();
  if (rank != 1 && rank != 2) {
    throw Error(ErrorKind::bad_input, fmt::format("draw: {} has rank {}, expected 1 or 2", to_string(l), rank),
                rank == 3 ? "slice((_,_,0), L) leaves modes 0 and 1; group(L, 1, 3) puts 1 and 2 into one"
                          : fmt::format("group(L, 1, {}) puts the modes from 1 on into one", rank));
  }
  check_cell_count(size(domain(l)).value);
}

// Cells after which a mode's innermost part starts again: 8 of ((_8,_16)); 0 where there is one part.
int block_of(TreeRef mode) {
  const Tree flat = flatten(mode);
  std::vector<std::int64_t> sizes;
  for (const TreeRef leaf : flat) {
    if (leaf.leaf().value > 1) {
      sizes.push_back(leaf.leaf().value);
    }
  }
  return sizes.size() > 1 ? static_cast<int>(sizes.front()) : 0;
}

using CellOf = std::function<Cell(const Tree& offset)>;

Panel layout_panel(const AnyLayout& l, const CellOf& cell_of) {
  check_rank(l);
  const TreeRef shape = domain(l).shape();
  const std::int64_t count = product(shape).value;
  Panel p{.row = head_rows, .column = head_columns};
  const bool flat = shape.rank() == 1;
  p.rows = static_cast<int>(flat ? (count + row_of_rank_1 - 1) / row_of_rank_1 : product(shape[0]).value);
  p.columns = static_cast<int>(flat ? std::min<std::int64_t>(count, row_of_rank_1) : product(shape[1]).value);
  p.row_step = flat ? row_of_rank_1 : 1;
  p.title = flat ? "coordinate" : "mode 0 down, mode 1 across";
  p.row_block = flat ? 0 : block_of(shape[0]);
  p.column_block = flat ? 0 : block_of(shape[1]);
  p.cells.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index = flat ? i : i / p.columns + p.rows * (i % p.columns);
    p.cells.push_back(cell_of(evaluate(l, Tree(Int::make_dynamic(index)))));
  }
  return p;
}

Cell offset_cell(const Tree& offset) {
  if (offset.is_tuple() || has_basis(offset)) {  // a coordinate
    return {.text = plain_text(offset)};
  }
  const std::int64_t x = offset.leaf().value;
  return {.text = std::to_string(x), .colour = static_cast<int>(floor_mod(x, 8))};
}

constexpr int word_bits = 32;
constexpr int banks = 32;
constexpr int banks_of_colour = 4;

Cell bank_cell(const Tree& offset, int bits) {
  const std::int64_t x = offset.leaf().value;
  const std::int64_t bank = floor_mod(x * bits, std::int64_t{word_bits} * banks) / word_bits;
  return {.text = std::to_string(x),
          .detail = fmt::format("b{}", bank),
          .colour = static_cast<int>(bank / banks_of_colour)};
}

}  // namespace

Picture layout_picture(const AnyLayout& l) {
  Picture p{.title = to_string(l), .key = "offset mod 8", .names = modulo_names()};
  p.panels.push_back(layout_panel(l, offset_cell));
  if (has_basis(domain(l).stride())) {
    p.key.clear();
  }
  return p;
}

Picture bank_picture(const AnyLayout& l, int bits) {
  if (bits < 4 || bits > 128 || !std::has_single_bit(static_cast<unsigned>(bits))) {
    throw Error(ErrorKind::bad_input, fmt::format("--bits: expected 4, 8, 16, 32, 64 or 128, found {}", bits));
  }
  if (has_basis(domain(l).stride())) {
    throw Error(ErrorKind::bad_input,
                fmt::format("draw: {} gives coordinates, expected offsets, which have banks", to_string(l)));
  }
  Picture p{.title = to_string(l), .key = "banks"};
  for (std::size_t i = 0; i < p.names.size(); ++i) {
    p.names[i] = fmt::format("{}-{}", banks_of_colour * i, banks_of_colour * (i + 1) - 1);
  }
  p.notes.push_back(fmt::format("offsets of {}-bit elements; b: bank of 4 bytes, of {}", bits, banks));
  p.panels.push_back(layout_panel(l, [&](const Tree& offset) { return bank_cell(offset, bits); }));
  if (const auto cost = row_cost(l, bits)) {
    p.panels.back().marks.push_back(cost->mark);
    p.notes.push_back(cost->text);
  }
  return p;
}

Picture tv_picture(const Layout& tv, const Tree& tile) {
  if (tv.rank() != 2) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--tv: {} has rank {}, expected 2: (thread, value)", to_string(tv), tv.rank()));
  }
  check_rank(make_layout(tile));
  check_cell_count(size(tv).value);
  const bool flat = tile.rank() == 1;
  const std::int64_t rows = flat ? 1 : product(tile[0]).value;
  const std::int64_t columns = product(tile).value / rows;
  const std::int64_t threads = product(tv.shape()[0]).value;
  std::vector<std::vector<hw::Holding>> holders(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < size(tv).value; ++i) {
    const hw::Holding h{static_cast<int>(i % threads), static_cast<int>(i / threads)};
    const Tree at = evaluate(tv, Tree(Int::make_dynamic(i)));
    const std::int64_t element = at.is_leaf() && !has_basis(at) ? at.leaf().value : -1;
    if (element < 0 || element >= rows * columns) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("--tv: thread {}, value {} is element {}, expected 0 to {}, those of the tile {}",
                              h.thread, h.value, plain_text(at), rows * columns - 1, plain_text(tile)));
    }
    holders[static_cast<std::size_t>(element)].push_back(h);
  }
  Picture p = owner_picture(to_string(tv));
  p.notes.push_back("(thread, value) -> element of the tile " + to_string(tile));
  add_panel(p,
            {.title = flat ? "elements" : "mode 0 down, mode 1 across",
             .row = head_rows,
             .column = head_columns,
             .rows = static_cast<int>(rows),
             .columns = static_cast<int>(columns)},
            [&](int r, int c) { return holders[static_cast<std::size_t>(r + rows * c)]; });
  return p;
}

}  // namespace tileloom::render::draw
