// SPDX-License-Identifier: Apache-2.0
// What sizes, questions, reshapings and swizzles promise, against brute force over seeded random layouts.
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

template <class Check>
void over_random_layouts(std::uint64_t seed, const Check& check) {
  Generator g(seed);
  for (int i = 0; i < cases && !::testing::Test::HasFailure(); ++i) {
    g.choose_kind();
    const Layout a = g.layout(96);
    SCOPED_TRACE(to_string(a));
    check(a, Facts(a), g);
  }
}

TEST(QuestionLaws, size_and_cosize_count_coordinates_and_offsets) {
  over_random_layouts(41, [](const Layout& a, const Facts& x, Generator&) {
    EXPECT_EQ(size(a).value, static_cast<std::int64_t>(x.offsets.size()));
    EXPECT_EQ(cosize(a).value, x.taken.back() + 1);
  });
}

TEST(QuestionLaws, injective_surjective_and_bijective_are_what_the_offsets_say) {
  std::set<std::pair<bool, bool>> seen;
  over_random_layouts(42, [&](const Layout& a, const Facts& x, Generator&) {
    const bool surjective = x.taken.back() + 1 == static_cast<std::int64_t>(x.taken.size());
    EXPECT_EQ(is_injective(a), x.injective);
    EXPECT_EQ(is_surjective(a), surjective);
    EXPECT_EQ(is_bijective(a), x.injective && surjective);
    seen.emplace(x.injective, surjective);
  });
  EXPECT_EQ(seen.size(), 4U);
}

TEST(QuestionLaws, max_alignment_is_that_of_runs_of_offsets) {
  over_random_layouts(43, [](const Layout& a, const Facts& x, Generator&) {
    const std::int64_t n = max_alignment(a).value;
    ASSERT_GE(n, 1);
    const std::set<std::int64_t> taken(x.taken.begin(), x.taken.end());
    for (const std::int64_t offset : x.taken) {
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(taken.count(offset / n * n + i), 1U) << n << " at offset " << offset;
      }
    }
  });
}

TEST(QuestionLaws, regrouping_modes_keeps_the_function) {
  over_random_layouts(44, [](const Layout& a, const Facts& x, Generator& g) {
    const auto rank = static_cast<std::int64_t>(a.rank());
    const auto begin = static_cast<std::size_t>(g.below(rank));
    const auto end = begin + 1 + static_cast<std::size_t>(g.below(rank - static_cast<std::int64_t>(begin)));
    EXPECT_EQ(offsets(group(a, begin, end)), x.offsets);
    const Layout part = take(a, begin, end);
    ASSERT_EQ(part.rank(), end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      EXPECT_EQ(part[i - begin], a[i]);
    }
    const Layout longer = append(a, a.rank() + 2, parse_layout("_3:_7"));
    const Layout before = prepend(a, a.rank() + 1, parse_layout("_3:_7"));
    ASSERT_EQ(longer.rank(), a.rank() + 2);
    EXPECT_EQ(longer[a.rank() + 1], parse_layout("_3:_7"));
    EXPECT_EQ(before[0], parse_layout("_3:_7"));
    const Layout replaced = a.shape().is_tuple() ? replace(a, begin, parse_layout("_3:_7")) : a;
    for (std::size_t i = 0; i < a.rank(); ++i) {
      EXPECT_EQ(longer[i], a[i]);
      EXPECT_EQ(before[i + 1], a[i]);
      EXPECT_EQ(replaced[i], i == begin && a.shape().is_tuple() ? parse_layout("_3:_7") : a[i]);
    }
  });
}

TEST(QuestionLaws, identity_layouts_return_the_coordinate) {
  over_random_layouts(45, [](const Layout& a, const Facts& x, Generator&) {
    const Layout identity = make_identity_layout(a.shape());
    for (std::size_t i = 0; i < x.offsets.size(); ++i) {
      const Tree index(Int::make_dynamic(static_cast<std::int64_t>(i)));
      const Tree c = idx2crd(index, a.shape());
      const Tree r = evaluate(identity, index);
      if (c.is_leaf() && !r.is_leaf()) {
        continue;
      }
      EXPECT_EQ(crd2idx(r, a.shape()).value, static_cast<std::int64_t>(i)) << to_string(r);
    }
  });
}

TEST(QuestionLaws, crd2crd_keeps_the_index) {
  over_random_layouts(46, [](const Layout& a, const Facts& x, Generator& g) {
    const auto n = static_cast<std::int64_t>(x.offsets.size());
    const Tree flat(Int::make_static(n));
    const std::int64_t i = g.below(n);
    const Tree index(Int::make_dynamic(i));
    EXPECT_EQ(crd2idx(crd2crd(index, flat, a.shape()), a.shape()).value, i);
    EXPECT_EQ(crd2idx(crd2crd(idx2crd(index, a.shape()), a.shape(), flat), flat).value, i);
    EXPECT_EQ(crd2crd(idx2crd(index, a.shape()), a.shape(), a.shape()), idx2crd(index, a.shape()));
  });
}

TEST(QuestionLaws, profiles_are_compared_as_they_are_defined) {
  over_random_layouts(47, [](const Layout& a, const Facts&, Generator& g) {
    const Layout b = g.layout(96);
    EXPECT_TRUE(congruent(a.shape(), a.stride()));
    EXPECT_EQ(congruent(a.shape(), b.shape()),
              weakly_congruent(a.shape(), b.shape()) && weakly_congruent(b.shape(), a.shape()));
    EXPECT_TRUE(weakly_congruent(Tree(static_1), b.shape()));
    EXPECT_TRUE(compatible(Tree(size(b)), b.shape()));
    EXPECT_TRUE(compatible(b.shape(), b.shape()));
    if (compatible(a.shape(), b.shape())) {
      EXPECT_EQ(size(a).value, size(b).value);
      EXPECT_TRUE(weakly_congruent(a.shape(), b.shape()));
    }
    const std::int64_t n = 1 + g.below(12);
    EXPECT_EQ(evenly_divides(Tree(size(a)), Tree(Int::make_static(n))), size(a).value % n == 0);
  });
}

// What is decided from dynamic numbers is decided as well as from static ones.
TEST(QuestionLaws, a_dynamic_layout_has_inverses_as_large_as_the_static_one) {
  Generator fixed(48);
  Generator dynamic(48);
  fixed.set_kind(0);
  dynamic.set_kind(1);
  for (int i = 0; i < cases; ++i) {
    const Layout a = fixed.layout(96);
    const Layout b = dynamic.layout(96);
    ASSERT_EQ(offsets(a), offsets(b));
    EXPECT_EQ(offsets(right_inverse(a)), offsets(right_inverse(b))) << to_string(a);
    EXPECT_EQ(offsets(nullspace(a)), offsets(nullspace(b))) << to_string(a);
    EXPECT_EQ(max_common_vector(a, a).value, max_common_vector(b, b).value) << to_string(a);
    EXPECT_EQ(max_alignment(a).value, max_alignment(b).value) << to_string(a);
  }
}

// --- Swizzles ----------------------------------------------------------------------------------------------------

Swizzle random_swizzle(Generator& g) {
  const int bits = static_cast<int>(g.below(4));
  return {bits, static_cast<int>(g.below(4)), (g.below(4) == 0 ? -1 : 1) * (bits + static_cast<int>(g.below(3)))};
}

TEST(SwizzleLaws, composition_of_two_is_one_after_the_other) {
  Generator g(49);
  int answered = 0;
  for (int i = 0; i < cases; ++i) {
    const Swizzle p = random_swizzle(g);
    const Swizzle q = random_swizzle(g);
    const auto r = unless_refused([&] { return composition(p, q); });
    for (std::int64_t x = 0; r && x < 512; ++x) {
      ASSERT_EQ((*r)(x), p(q(x))) << to_string(p) << " and " << to_string(q) << " give " << to_string(*r);
    }
    answered += r ? 1 : 0;
  }
  EXPECT_GT(answered, cases / 40);
}

TEST(SwizzleLaws, composition_of_a_layout_and_a_swizzle_swizzles_the_coordinate) {
  Generator g(50);
  int answered = 0;
  for (int i = 0; i < cases / 10; ++i) {
    const Swizzle sw = random_swizzle(g);
    const Tree shape =
        Tree::tuple({Int::make_static(std::int64_t{1} << g.below(6)), Int::make_static(std::int64_t{1} << g.below(6))});
    const Layout a = make_layout(shape, g.below(2) == 0 ? Major::left : Major::right);
    const auto r = unless_refused([&] { return composition(a, sw); });
    for (std::int64_t x = 0; r && x < size(a).value; ++x) {
      ASSERT_EQ(evaluate(*r, Tree(Int::make_dynamic(x))).leaf().value, a(sw(x)))
          << to_string(a) << " and " << to_string(sw) << " give " << to_string(*r);
    }
    answered += r ? 1 : 0;
  }
  EXPECT_GT(answered, cases / 200);
}

TEST(SwizzleLaws, recasts_of_swizzled_layouts_scale_the_offsets) {
  Generator g(51);
  for (int i = 0; i < cases / 10; ++i) {
    const int bits = 1 + static_cast<int>(g.below(3));
    const int base = static_cast<int>(g.below(3));
    const std::int64_t factor = std::int64_t{1} << g.below(base + 1);
    const Tree shape = Tree::tuple(
        {Int::make_static(std::int64_t{1} << (2 + g.below(4))), Int::make_static(std::int64_t{1} << (2 + g.below(4)))});
    const Layout a = make_layout(shape, Major::left);
    const ComposedLayout whole(Swizzle(bits, base, bits), {}, a);
    const AnyLayout up = upcast(AnyLayout(whole), factor);
    const AnyLayout down = downcast(AnyLayout(whole), factor);
    for (std::int64_t x = 0; x < size(a).value; ++x) {
      const auto value = [](const AnyLayout& l, std::int64_t at) {
        return evaluate(l, Tree(Int::make_dynamic(at))).leaf().value;
      };
      ASSERT_EQ(value(up, x / factor), whole(x) / factor) << to_string(whole) << " gives " << to_string(up);
      ASSERT_EQ(value(down, x * factor), whole(x) * factor) << to_string(whole) << " gives " << to_string(down);
    }
  }
}

}  // namespace
}  // namespace tileloom::layout::laws
