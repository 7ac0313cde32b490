// SPDX-License-Identifier: Apache-2.0
// The laws over seeded random layouts with mixed leaves and nested profiles, and over pairs of them. Both what is
// returned and what is refused is held against brute force.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "laws/layout/unary_laws.hpp"

namespace tileloom::layout::laws {
namespace {

#if defined(NDEBUG) && !defined(TILELOOM_SANITIZED)
constexpr int unary_cases = 100000;
constexpr int pair_cases = 30000;
#else
constexpr int unary_cases = 2000;
constexpr int pair_cases = 1000;
#endif

template <class Law>
void over_random_layouts(std::uint64_t seed, int cases, const Law& law) {
  Generator g(seed);
  for (int i = 0; i < cases && !::testing::Test::HasFailure(); ++i) {
    g.choose_kind();
    const Layout a = g.layout(128);
    const std::string wrong = law(a, offsets(a));
    EXPECT_EQ(wrong, "") << to_string(a);
  }
}

TEST(RandomLayouts, every_unary_law) {
  over_random_layouts(1, unary_cases, [](const Layout& a, const Table&) {
    const Facts facts(a);
    return UnaryLaws(facts).broken(a);
  });
}

template <class Law>
void over_random_pairs(std::uint64_t seed, const Law& law) {
  Generator g(seed);
  for (int i = 0; i < pair_cases && !::testing::Test::HasFailure(); ++i) {
    g.choose_kind();
    const Layout a = g.layout(96);
    const Layout b = g.layout(32, 3);
    SCOPED_TRACE(to_string(a) + "  and  " + to_string(b));
    law(a, b, g);
  }
}

TEST(RandomPairs, composition_equals_a_of_b_and_is_refused_only_where_nothing_does) {
  int refused = 0;
  over_random_pairs(2, [&](const Layout& a, const Layout& b, Generator&) {
    const auto r = unless_refused([&] { return composition(a, b); });
    if (!r) {
      ++refused;
      EXPECT_FALSE(composition_exists(a, b));
      return;
    }
    EXPECT_TRUE(compatible(b.shape(), r->shape()));
    const Table of_b = offsets(b);
    Table want;
    for (const std::int64_t x : of_b) {
      want.push_back(at(a, x));
    }
    EXPECT_EQ(offsets(*r), want) << to_string(*r);
  });
  EXPECT_GT(refused, pair_cases / 100);
}

TEST(RandomPairs, logical_divide_rearranges_a) {
  over_random_pairs(3, [](const Layout& a, const Layout& t, Generator&) {
    const auto r = unless_refused([&] { return logical_divide(a, t); });
    if (!r) {
      return;
    }
    const auto others = starts_of_copies(as_set(offsets(t)), size(a).value);
    ASSERT_TRUE(others.has_value());
    ASSERT_EQ(r->rank(), 2U);
    EXPECT_TRUE(compatible(t.shape(), r->shape()[0]));
    const Table tile = offsets(t);
    Table want;
    for (const std::int64_t y : *others) {
      for (const std::int64_t x : tile) {
        want.push_back(at(a, x + y));
      }
    }
    EXPECT_EQ(offsets(*r), want) << to_string(*r);
    std::multiset<std::int64_t> got;
    for (const std::int64_t x : offsets((*r)[1])) {
      for (const std::int64_t y : as_set(offsets((*r)[0]))) {
        got.insert(x + y);
      }
    }
    EXPECT_EQ(as_set(offsets(*r)), as_set(offsets(a)));
  });
}

TEST(RandomPairs, divides_hold_the_same_elements_in_other_profiles) {
  over_random_pairs(4, [](const Layout& a, const Layout&, Generator& g) {
    std::vector<Tiler> modes;
    for (std::size_t i = 0; i < a.rank(); ++i) {
      const std::int64_t n = size(LayoutRef(a)[i]).value;
      std::vector<std::int64_t> divisors;
      for (std::int64_t x = 1; x <= n; ++x) {
        if (n % x == 0) {
          divisors.push_back(x);
        }
      }
      modes.emplace_back(
          g.number(divisors[static_cast<std::size_t>(g.below(static_cast<std::int64_t>(divisors.size())))]));
    }
    if (a.shape().is_leaf()) {
      return;
    }
    const Tiler t(modes);
    const auto zipped = unless_refused([&] { return zipped_divide(a, t); });
    if (!zipped) {
      return;
    }
    EXPECT_EQ(as_set(offsets(*zipped)), as_set(offsets(a)));
    EXPECT_EQ(size(*zipped).value, size(a).value);
    EXPECT_EQ(offsets(tiled_divide(a, t)), offsets(*zipped));
    EXPECT_EQ(offsets(flat_divide(a, t)), offsets(*zipped));
  });
}

TEST(RandomPairs, products_place_disjoint_copies) {
  over_random_pairs(5, [](const Layout& a, const Layout& t, Generator&) {
    const auto r = unless_refused([&] { return logical_product(a, t); });
    if (!r) {
      return;
    }
    EXPECT_EQ((*r)[0], a);
    // Copies follow the order of T, and overlap only where T says that they are the same.
    const Table place = offsets((*r)[1]);
    const Table of_t = offsets(t);
    std::map<std::int64_t, std::int64_t> by_t;
    for (std::size_t j = 0; j < of_t.size(); ++j) {
      by_t.emplace(of_t[j], place[j]);
      EXPECT_EQ(by_t[of_t[j]], place[j]) << to_string(*r);
    }
    std::int64_t last = -1;
    std::set<std::int64_t> taken;
    for (const auto& [index, offset] : by_t) {
      EXPECT_GT(offset, last) << to_string(*r);
      last = offset;
      for (const std::int64_t x : as_set(offsets(a))) {
        EXPECT_TRUE(taken.insert(x + offset).second) << "copies overlap: " << to_string(*r);
      }
    }
    const auto blocked = unless_refused([&] { return blocked_product(a, t); });
    const auto raked = unless_refused([&] { return raked_product(a, t); });
    if (blocked && raked) {
      EXPECT_EQ(as_set(offsets(*blocked)), as_set(offsets(*r)));
      EXPECT_EQ(as_set(offsets(*raked)), as_set(offsets(*r)));
    }
  });
}

TEST(RandomPairs, max_common_layout_is_contiguous_in_both) {
  over_random_pairs(6, [](const Layout& a, const Layout& b, Generator&) {
    const Layout r = max_common_layout(a, b);
    const Table g = offsets(r);
    for (std::size_t i = 0; i < g.size(); ++i) {
      EXPECT_EQ(at(a, g[i]), static_cast<std::int64_t>(i));
      EXPECT_EQ(at(b, g[i]), static_cast<std::int64_t>(i));
    }
    EXPECT_EQ(max_common_vector(a, b).value, static_cast<std::int64_t>(g.size()));
  });
}

TEST(RandomPairs, tile_to_shape_repeats_the_block) {
  over_random_pairs(7, [](const Layout& a, const Layout& t, Generator& g) {
    if (a.shape().is_leaf()) {
      return;
    }
    TreeBuilder b;
    b.open();
    for (std::size_t i = 0; i < a.rank(); ++i) {
      b.leaf(Int::make_static(size(LayoutRef(a)[i]).value * (1 + g.below(3))));
    }
    b.close();
    const Tree shape = b.take();
    const auto r = unless_refused([&] { return tile_to_shape(a, shape); });
    if (!r) {
      EXPECT_FALSE(is_bijective(a)) << to_string(shape);
      return;
    }
    EXPECT_TRUE(compatible(shape, r->shape()));
    if (is_injective(a)) {
      EXPECT_TRUE(is_injective(*r)) << to_string(*r);
    }
    (void)t;
  });
}

TEST(RandomPairs, make_ordered_layout_is_compact) {
  over_random_pairs(8, [](const Layout& a, const Layout&, Generator& g) {
    TreeBuilder b;
    if (a.shape().is_tuple()) {
      b.open();
    }
    for (std::size_t i = 0; i < a.rank(); ++i) {
      b.leaf(g.number(g.below(5)));
    }
    if (a.shape().is_tuple()) {
      b.close();
    }
    const Layout r = make_ordered_layout(a.shape(), b.take());
    EXPECT_EQ(r.shape(), a.shape());
    EXPECT_TRUE(is_bijective(r)) << to_string(r);
  });
}

TEST(RandomLayouts, slice_and_dice_split_the_offset) {
  over_random_layouts(9, unary_cases / 10, [](const Layout& a, const Table&) -> std::string {
    if (a.shape().is_leaf() || a.rank() < 2) {
      return "";
    }
    const std::int64_t fixed = size(LayoutRef(a)[0]).value - 1;
    TreeBuilder c;
    c.open();
    c.leaf(Int::make_dynamic(fixed));
    for (std::size_t i = 1; i < a.rank(); ++i) {
      c.leaf(Int::make_any());
    }
    c.close();
    const Tree coord = c.take();
    const Table left = offsets(slice(coord, a));
    const Table whole = offsets(a);
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] + at(dice(coord, a), fixed) !=
          whole[i * static_cast<std::size_t>(fixed + 1) + static_cast<std::size_t>(fixed)]) {
        return "slice gives " + to_string(slice(coord, a));
      }
    }
    return "";
  });
}

TEST(RandomLayouts, idx2crd_and_crd2idx_are_inverse) {
  over_random_layouts(10, unary_cases / 10, [](const Layout& a, const Table& f) -> std::string {
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Tree c = idx2crd(Tree(Int::make_dynamic(static_cast<std::int64_t>(i))), a.shape());
      if (crd2idx(c, a.shape()).value != static_cast<std::int64_t>(i) ||
          crd2idx(c, a.shape(), a.stride()).leaf().value != f[i]) {
        return "coordinate " + to_string(c);
      }
    }
    return "";
  });
}

TEST(RandomLayouts, text_reads_back) {
  over_random_layouts(11, unary_cases / 10, [](const Layout& a, const Table&) -> std::string {
    return parse_layout(to_string(a)) == a ? "" : "does not read back";
  });
}

TEST(RandomLayouts, small_layouts_live_without_allocation) {
  over_random_layouts(12, 1000, [](const Layout& a, const Table&) -> std::string {
    return a.shape().is_inline() && coalesce(a).stride().is_inline() ? "" : "allocates";
  });
}

// --- Swizzles ----------------------------------------------------------------------------------------------------

TEST(RandomSwizzles, slice_of_a_swizzled_layout_adds_up) {
  Generator g(13);
  int decayed = 0;
  for (int i = 0; i < pair_cases / 10; ++i) {
    const Swizzle sw(1 + static_cast<int>(g.below(3)), static_cast<int>(g.below(4)), 3);
    const std::int64_t m = std::int64_t{1} << (3 + g.below(3));
    const std::int64_t k = std::int64_t{1} << (3 + g.below(4));
    const Tree shape = Tree::tuple({Int::make_static(m), Int::make_static(k)});
    const ComposedLayout whole(sw, {}, make_layout(shape, g.below(2) == 0 ? Major::left : Major::right));
    const std::int64_t row = g.below(m);
    const Int r = g.below(2) == 0 ? Int::make_static(row) : Int::make_dynamic(row);
    const Sliced s = slice_and_offset(Tree::tuple({r, Int::make_any()}), whole);
    decayed += std::holds_alternative<Layout>(s.layout) ? 1 : 0;
    for (std::int64_t c = 0; c < k; ++c) {
      const std::int64_t part = std::visit([&](const auto& l) { return l(c); }, s.layout);
      ASSERT_EQ(part + s.offset.leaf().value, sw(whole.layout()(row + c * m)))
          << to_string(whole) << " row " << row << " gives " << to_string(s.layout);
    }
  }
  EXPECT_GT(decayed, 0);
}

TEST(RandomSwizzles, a_swizzle_is_its_own_inverse_and_permutes) {
  Generator g(14);
  for (int i = 0; i < 1000; ++i) {
    const int b = static_cast<int>(g.below(4));
    const Swizzle sw(b, static_cast<int>(g.below(4)), (g.below(2) == 0 ? 1 : -1) * (b + static_cast<int>(g.below(3))));
    for (int k = 0; k < 64; ++k) {
      const std::int64_t x = g.below(1 << 14);
      ASSERT_EQ(sw(sw(x)), x) << to_string(sw);
    }
  }
}

TEST(RandomSwizzles, inverses_of_swizzled_layouts) {
  Generator g(15);
  for (int i = 0; i < pair_cases / 10; ++i) {
    const Swizzle sw(1 + static_cast<int>(g.below(3)), static_cast<int>(g.below(3)), 3);
    const Tree shape = Tree::tuple(
        {Int::make_static(std::int64_t{1} << (2 + g.below(4))), Int::make_static(std::int64_t{1} << (2 + g.below(4)))});
    const ComposedLayout whole(sw, {}, make_layout(shape, g.below(2) == 0 ? Major::left : Major::right));
    const auto r = unless_refused([&] { return right_inverse(AnyLayout(whole)); });
    if (!r) {
      continue;
    }
    const std::int64_t n = size(domain(*r)).value;
    for (std::int64_t x = 0; x < n; ++x) {
      ASSERT_EQ(whole(std::visit([&](const auto& l) { return l(x); }, *r)), x)
          << to_string(whole) << " has right_inverse " << to_string(*r);
    }
  }
}

}  // namespace
}  // namespace tileloom::layout::laws
