// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/tile_table.hpp"

#include <algorithm>
#include <numeric>

#include "tileloom/layout/algebra.hpp"

namespace tileloom::trace {

using layout::Int;
using layout::Layout;
using layout::LayoutRef;
using layout::Tree;

namespace {

// Elements counted down the first column first.
Layout numbered(std::int64_t rows, std::int64_t columns) {
  return make_layout(Tree::tuple({Int::make_static(rows), Int::make_static(columns)}));
}

std::vector<std::int64_t> offsets(const Layout& l) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size(l).value));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = l(static_cast<std::int64_t>(i));
  }
  return all;
}

}  // namespace

TileTable::TileTable(const TiledMma& mma, Operand operand, std::int64_t rows, std::int64_t columns)
    : rows_(rows), columns_(columns) {
  const auto [i, j] = modes_of(operand);
  const Layout parts = domain(mma.thread_fragments(operand, numbered(rows, columns)));
  const Layout threads = parts[0];
  for (const std::int64_t id : offsets(mma.thr_layout_vmnk())) {
    const Tree at = mma.thread_coordinate(Int::make_static(id));
    const Tree in_tile = Tree::tuple({Tree(at[0]), Tree::tuple({Tree(at[i + 1]), Tree(at[j + 1])})});
    thread_ids_.push_back(static_cast<int>(id));
    thread_offsets_.push_back(crd2idx(in_tile, threads.shape(), threads.stride()).leaf().value);
  }
  value_offsets_ = offsets(parts[1]);
  index();
}

TileTable::TileTable(const TiledCopy& copy, End end, std::int64_t rows, std::int64_t columns)
    : rows_(rows), columns_(columns) {
  const Layout parts = domain(copy.thread_fragments(end, numbered(rows, columns)));
  thread_offsets_ = offsets(parts[0]);
  value_offsets_ = offsets(make_layout(std::vector<Layout>{parts[1], parts[2]}));
  for (std::size_t t = 0; t < thread_offsets_.size(); ++t) {
    thread_ids_.push_back(static_cast<int>(t));
  }
  index();
}

int TileTable::index_of(int thread) const {
  return static_cast<int>(std::ranges::find(thread_ids_, thread) - thread_ids_.begin());
}

hw::MatrixPosition TileTable::at(int thread, int value) const {
  const auto e = static_cast<std::int64_t>(element(thread, value));
  return {static_cast<int>(e % rows_), static_cast<int>(e / rows_)};
}

void TileTable::index() {
  const std::vector<int> counts = occurrences();
  first_.assign(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), first_.begin() + 1);
  std::vector<int> next(first_.begin(), first_.end() - 1);
  holdings_.resize(static_cast<std::size_t>(first_.back()));
  for (int t = 0; t < threads(); ++t) {
    for (int v = 0; v < values(); ++v) {
      holdings_[static_cast<std::size_t>(next[element(t, v)]++)] = {t, v};
    }
  }
}

std::span<const hw::Holding> TileTable::holders(hw::MatrixPosition p) const {
  const auto e = static_cast<std::size_t>(p.row + rows_ * p.column);
  return std::span(holdings_).subspan(static_cast<std::size_t>(first_.at(e)),
                                      static_cast<std::size_t>(first_.at(e + 1) - first_.at(e)));
}

std::vector<int> TileTable::occurrences() const {
  std::vector<int> count(static_cast<std::size_t>(rows_ * columns_));
  for (const std::int64_t t : thread_offsets_) {
    for (const std::int64_t v : value_offsets_) {
      ++count.at(static_cast<std::size_t>(t + v));
    }
  }
  return count;
}

}  // namespace tileloom::trace
