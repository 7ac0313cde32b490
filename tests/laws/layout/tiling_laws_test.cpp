// SPDX-License-Identifier: Apache-2.0
// What tiles, products and partitions promise, element by element, over seeded random layouts; and that a divide is
// refused only where there is none.
#include <gtest/gtest.h>

#include <set>

#include "laws/layout/unary_laws.hpp"

namespace tileloom::layout::laws {
namespace {

#if defined(NDEBUG) && !defined(TILELOOM_SANITIZED)
constexpr int cases = 20000;
#else
constexpr int cases = 500;
#endif

// A matrix whose modes may be nested, with tile sizes that divide it.
struct Matrix {
  Layout layout;
  std::int64_t rows, columns;
  std::int64_t tile_rows, tile_columns;
  Tree tiler;
};

Matrix random_matrix(Generator& g) {
  g.choose_kind();
  Matrix m;
  do {
    m.layout = g.layout(96);
  } while (m.layout.shape().is_leaf() || m.layout.rank() != 2 || !is_injective(m.layout));
  m.rows = size(m.layout[0]).value;
  m.columns = size(m.layout[1]).value;
  const auto divisor = [&](std::int64_t n) {
    std::int64_t d = 1 + g.below(n);
    while (n % d != 0) {
      d = 1 + g.below(n);
    }
    return d;
  };
  m.tile_rows = divisor(m.rows);
  m.tile_columns = divisor(m.columns);
  m.tiler = Tree::tuple({g.number(m.tile_rows), g.number(m.tile_columns)});
  return m;
}

Tree pair_of(std::int64_t i, std::int64_t j) {
  return Tree::tuple({Int::make_dynamic(i), Int::make_dynamic(j)});
}
std::int64_t at(const Layout& l, std::int64_t i, std::int64_t j) {
  return crd2idx(pair_of(i, j), l.shape(), l.stride()).leaf().value;
}

TEST(TilingLaws, a_tile_outside_of_the_layout_is_refused_except_as_cute_has_it) {
  const Layout rows = parse_layout("(_128,_64):(_64,_1)");
  const Tiler tiler = Tiler::from_tree(parse_tree("(_32,_16)"));
  for (const char* text : {"(4,0)", "(0,4)", "(-1,_)", "(_,-1)", "16", "-1", "(0,0,0)", "((0,0),0)"}) {
    const Tree outside = parse_tree(text);
    EXPECT_THROW((void)local_tile(rows, tiler, outside), Error) << text;
  }
  for (const char* text : {"(3,3)", "(_,3)", "15", "0", "_", "(3)"}) {
    const Tree inside = parse_tree(text);
    EXPECT_NO_THROW((void)local_tile(rows, tiler, inside)) << text;
  }
  EXPECT_NO_THROW((void)local_tile(rows, tiler, parse_tree("(4,0)"), {Semantics::cute}));
}

TEST(TilingLaws, element_i_j_of_tile_p_q_is_element_i_plus_p_times_the_tile) {
  Generator g(31);
  int answered = 0;
  for (int k = 0; k < cases / 10; ++k) {
    const Matrix m = random_matrix(g);
    SCOPED_TRACE(to_string(m.layout) + " by " + to_string(m.tiler));
    const auto zipped = unless_refused([&] { return zipped_divide(m.layout, Tiler::from_tree(m.tiler)); });
    if (!zipped) {
      continue;
    }
    ++answered;
    for (std::int64_t p = 0; p < m.rows / m.tile_rows; ++p) {
      for (std::int64_t q = 0; q < m.columns / m.tile_columns; ++q) {
        const Sliced tile = local_tile(m.layout, Tiler::from_tree(m.tiler), pair_of(p, q));
        for (std::int64_t i = 0; i < m.tile_rows; ++i) {
          for (std::int64_t j = 0; j < m.tile_columns; ++j) {
            const Tree coord = Tree::tuple({pair_of(i, j), pair_of(p, q)});
            const std::int64_t want = at(m.layout, i + p * m.tile_rows, j + q * m.tile_columns);
            ASSERT_EQ(crd2idx(coord, zipped->shape(), zipped->stride()).leaf().value, want) << to_string(*zipped);
            ASSERT_EQ(evaluate(tile.layout, pair_of(i, j)).leaf().value + tile.offset.leaf().value, want)
                << to_string(tile.layout);
          }
        }
      }
    }
  }
  EXPECT_GT(answered, cases / 40);
}

TEST(TilingLaws, threads_partition_every_element_once) {
  Generator g(32);
  int answered = 0;
  for (int k = 0; k < cases / 10; ++k) {
    const Matrix m = random_matrix(g);
    const Layout threads = make_layout(m.tiler, g.below(2) == 0 ? Major::left : Major::right);
    SCOPED_TRACE(to_string(m.layout) + " by threads " + to_string(threads));
    std::multiset<std::int64_t> got;
    const auto collect = [&] {
      for (std::int64_t t = 0; t < size(threads).value; ++t) {
        const Sliced part = local_partition(m.layout, threads, Int::make_dynamic(t));
        for (const std::int64_t x : offsets(domain(part.layout))) {
          got.insert(x + part.offset.leaf().value);
        }
      }
      return true;
    };
    if (!unless_refused(collect)) {
      continue;
    }
    ++answered;
    const Table all = offsets(m.layout);
    EXPECT_EQ(got, std::multiset<std::int64_t>(all.begin(), all.end()));
  }
  EXPECT_GT(answered, cases / 40);
}

TEST(TilingLaws, logical_divide_is_refused_exactly_where_the_tile_does_not_divide) {
  Generator g(33);
  int refused = 0;
  int answered = 0;
  for (int k = 0; k < cases; ++k) {
    g.choose_kind();
    const Layout a = g.layout(64);
    const Layout t = g.layout(16, 3);
    SCOPED_TRACE(to_string(a) + " by " + to_string(t));
    const auto r = unless_refused([&] { return logical_divide(a, t); });
    const Facts tile(t);
    const auto starts = tile.injective_without_broadcast ? starts_of_copies(tile.taken, size(a).value) : std::nullopt;
    const auto rest = starts ? modes_of(*starts) : std::nullopt;
    bool exists = rest.has_value();
    if (exists) {
      std::vector<Layout> modes = {t};
      for (const auto& [n, stride] : *rest) {
        modes.emplace_back(Tree(Int::make_static(n)), Tree(Int::make_static(stride)));
      }
      exists = composition_exists(a, make_layout(modes));
    }
    ASSERT_EQ(r.has_value(), exists);
    (r ? answered : refused) += 1;
  }
  EXPECT_GT(answered, cases / 20);
  EXPECT_GT(refused, cases / 20);
}

TEST(TilingLaws, an_integer_tiler_counts_as_that_many_elements) {
  Generator g(34);
  for (int k = 0; k < cases / 10; ++k) {
    g.choose_kind();
    const Layout a = g.layout(48);
    const Int n = g.number(1 + g.below(8));
    const Layout as_layout{Tree(n)};
    SCOPED_TRACE(to_string(a) + " and " + to_string(as_layout));
    for (const auto op : {+[](const Layout&l, const Tiler&t) { return logical_product(l, t); },
                          +[](const Layout&l, const Tiler&t) { return zipped_product(l, t); },
                          +[](const Layout&l, const Tiler&t) { return logical_divide(l, t); }}) {
      const auto x = unless_refused([&] { return op(a, Tiler(n)); });
      const auto y = unless_refused([&] { return op(a, Tiler(as_layout)); });
      ASSERT_EQ(x.has_value(), y.has_value());
      EXPECT_TRUE(!x || *x == *y) << to_string(*x) << " and " << to_string(*y);
    }
  }
}

TEST(TilingLaws, blocked_and_raked_products_are_the_logical_product_mode_by_mode) {
  Generator g(35);
  int answered = 0;
  for (int k = 0; k < cases / 10; ++k) {
    const Matrix m = random_matrix(g);
    const Layout t = make_layout(m.tiler, Major::right);
    SCOPED_TRACE(to_string(m.layout) + " and " + to_string(t));
    const auto product = unless_refused([&] { return logical_product(m.layout, t); });
    const auto blocked = unless_refused([&] { return blocked_product(m.layout, t); });
    const auto raked = unless_refused([&] { return raked_product(m.layout, t); });
    ASSERT_EQ(product.has_value(), blocked.has_value());
    ASSERT_EQ(product.has_value(), raked.has_value());
    if (!product) {
      continue;
    }
    ++answered;
    const auto value = [](const Layout& l, const Tree& c) { return crd2idx(c, l.shape(), l.stride()).leaf().value; };
    for (std::int64_t i = 0; i < m.rows * m.columns; ++i) {
      for (std::int64_t j = 0; j < m.tile_rows * m.tile_columns; ++j) {
        const std::int64_t a0 = i % m.rows;
        const std::int64_t a1 = i / m.rows;
        const std::int64_t t0 = j % m.tile_rows;
        const std::int64_t t1 = j / m.tile_rows;
        const std::int64_t want = value(*product, pair_of(i, j));
        ASSERT_EQ(value(*blocked, Tree::tuple({pair_of(a0, t0), pair_of(a1, t1)})), want) << to_string(*blocked);
        ASSERT_EQ(value(*raked, Tree::tuple({pair_of(t0, a0), pair_of(t1, a1)})), want) << to_string(*raked);
      }
    }
  }
  EXPECT_GT(answered, cases / 40);
}

TEST(TilingLaws, tile_to_shape_begins_with_the_block_and_walks_in_order) {
  Generator g(36);
  int answered = 0;
  for (int k = 0; k < cases / 10; ++k) {
    const Matrix m = random_matrix(g);
    const std::int64_t p = 1 + g.below(3);
    const std::int64_t q = 1 + g.below(3);
    const Tree shape = Tree::tuple({Int::make_static(m.rows * p), Int::make_static(m.columns * q)});
    const bool rows_first = g.below(2) == 0;
    const Tree order = rows_first ? pair_of(1, 2) : Tree::tuple({Int::make_static(2), Int::make_static(1)});
    SCOPED_TRACE(to_string(m.layout) + " to " + to_string(shape));
    const auto r = unless_refused([&] { return tile_to_shape(m.layout, shape, order); });
    if (!r) {
      continue;
    }
    ++answered;
    std::int64_t last = -1;
    for (std::int64_t t = 0; t < p * q; ++t) {
      const std::int64_t row = (rows_first ? t % p : t / q) * m.rows;
      const std::int64_t column = (rows_first ? t / p : t % q) * m.columns;
      const std::int64_t start = at(*r, row, column);
      EXPECT_GT(start, last) << to_string(*r);
      last = start;
      for (std::int64_t i = 0; i < m.rows; ++i) {
        for (std::int64_t j = 0; j < m.columns; ++j) {
          ASSERT_EQ(at(*r, row + i, column + j), start + at(m.layout, i, j)) << to_string(*r);
        }
      }
    }
  }
  EXPECT_GT(answered, cases / 40);
}

}  // namespace
}  // namespace tileloom::layout::laws
