// SPDX-License-Identifier: Apache-2.0
// An answer is refused exactly where there is none: small layouts, with all candidates tried one by one.
#include <gtest/gtest.h>

#include <map>

#include "laws/layout/unary_laws.hpp"

namespace tileloom::layout::laws {
namespace {

// All layouts of at most `leaves` leaves of sizes 2 and up, of size at most `max_size`, with strides 0..max_stride.
std::vector<Layout> small_layouts(std::size_t leaves, std::int64_t max_size, std::int64_t max_stride, bool fixed) {
  const auto number = [&](std::int64_t v) { return Tree(fixed ? Int::make_static(v) : Int::make_dynamic(v)); };
  std::vector<Layout> all;
  for (std::int64_t s = 2; s <= max_size; ++s) {
    for (std::int64_t d = 0; d <= max_stride; ++d) {
      const Layout first(number(s), number(d));
      all.push_back(first);
      if (leaves == 1) {
        continue;
      }
      for (const Layout& rest : small_layouts(leaves - 1, max_size / s, max_stride, fixed)) {
        all.push_back(flatten(make_layout({first, rest})));
      }
    }
  }
  return all;
}

// Is there a layout R with R(x) = y for each point? Tries every size and stride of the first mode, then of the next.
class LayoutThrough {
 public:
  LayoutThrough(std::map<std::int64_t, std::int64_t> points, std::int64_t max_stride)
      : points_(std::move(points)), last_(points_.rbegin()->first), max_stride_(max_stride) {}

  bool exists() { return points_.begin()->first >= 0 && try_mode({0}); }

 private:
  // `table` holds R(0..n-1), which the modes so far fix.
  bool try_mode(const Table& table) {
    const auto n = static_cast<std::int64_t>(table.size());
    if (n > last_) {
      return true;
    }
    for (std::int64_t stride = -max_stride_; stride <= max_stride_; ++stride) {
      Table longer = table;
      for (std::int64_t size = 2; static_cast<std::int64_t>(longer.size()) <= last_; ++size) {
        bool fits = true;
        for (std::int64_t i = 0; i < n && fits; ++i) {
          const auto x = static_cast<std::int64_t>(longer.size());
          longer.push_back(table[static_cast<std::size_t>(i)] + (size - 1) * stride);
          const auto point = points_.find(x);
          fits = point == points_.end() || point->second == longer.back();
        }
        if (!fits) {
          break;
        }
        if (try_mode(longer)) {
          return true;
        }
      }
    }
    return false;
  }

  std::map<std::int64_t, std::int64_t> points_;
  std::int64_t last_;
  std::int64_t max_stride_;
};

TEST(Existence, left_inverse_is_refused_exactly_where_no_layout_leads_back) {
  int refused = 0;
  int beyond_cute = 0;
  for (const bool fixed : {true, false}) {
    for (const Layout& a : small_layouts(3, 12, 7, fixed)) {
      const Table f = offsets(a);
      std::map<std::int64_t, std::int64_t> back;
      for (std::size_t i = 0; i < f.size(); ++i) {
        back.emplace(f[i], static_cast<std::int64_t>(i));
      }
      const auto r = unless_refused([&] { return left_inverse(a); });
      if (r) {
        Verdicts none;
        EXPECT_EQ(left_inverse_leads_back(a, Facts(a), none), "") << to_string(a);
        beyond_cute += unless_refused([&] { return left_inverse(a, Semantics::cute); }) ? 0 : 1;
      } else {
        ++refused;
        EXPECT_FALSE(LayoutThrough(back, 12).exists()) << to_string(a);
      }
      if (back.size() == f.size()) {
        EXPECT_EQ(r.has_value(), LayoutThrough(back, 16).exists()) << to_string(a);
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(beyond_cute, 100);
}

TEST(Existence, right_inverse_is_never_refused) {
  for (const bool fixed : {true, false}) {
    for (const Layout& a : small_layouts(3, 12, 6, fixed)) {
      const auto r = unless_refused([&] { return right_inverse(a); });
      ASSERT_TRUE(r.has_value()) << to_string(a);
      Verdicts none;
      EXPECT_EQ(right_inverse_leads_to_every_offset_in_order(a, Facts(a), none), "") << to_string(a);
    }
  }
}

TEST(Existence, complement_is_refused_exactly_where_offsets_repeat) {
  for (const bool fixed : {true, false}) {
    for (const Layout& a : small_layouts(3, 12, 6, fixed)) {
      for (const std::int64_t target : {1, 5, 24}) {
        Verdicts none;
        EXPECT_EQ(complement_is_ordered_disjoint_and_reaches_the_target(a, Facts(a), none, target), "") << to_string(a);
      }
    }
  }
}

TEST(Existence, composition_is_refused_exactly_where_no_layout_equals_it) {
  int refused = 0;
  const std::vector<Layout> lefts = small_layouts(2, 8, 4, true);
  for (const bool fixed : {true, false}) {
    for (const Layout& b : small_layouts(2, 8, 4, fixed)) {
      for (const Layout& a : lefts) {
        const auto r = unless_refused([&] { return composition(a, b); });
        ASSERT_EQ(r.has_value(), composition_exists(a, b)) << to_string(a) << " and " << to_string(b);
        refused += r ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

// What a layout with basis strides of one level gives along one of them.
Table along_basis(const Layout& l, int basis) {
  Table table;
  for (std::int64_t i = 0; i < size(l).value; ++i) {
    const Tree c = evaluate(AnyLayout(l), Tree(Int::make_dynamic(i)));
    if (c.is_tuple()) {
      table.push_back(c[static_cast<std::size_t>(basis)].leaf().value);
    } else {
      table.push_back(c.leaf().has_basis() && c.leaf().basis[0] == basis ? c.leaf().value : 0);
    }
  }
  return table;
}

// Is the pair of functions that of one layout whose strides have one basis each? Tries every size for the first mode.
bool is_a_basis_layout(const Table& f, const Table& g) {
  const std::size_t n = f.size();
  if (n == 1) {
    return f[0] == 0 && g[0] == 0;
  }
  for (std::size_t s = 2; s <= n; ++s) {
    if (n % s != 0 || (f[1] != 0 && g[1] != 0)) {
      continue;
    }
    bool fits = true;
    Table rest_f;
    Table rest_g;
    for (std::size_t i = 0; i < n && fits; ++i) {
      const auto steps = static_cast<std::int64_t>(i % s);
      fits = f[i] == f[i / s * s] + steps * f[1] && g[i] == g[i / s * s] + steps * g[1];
      if (i % s == 0) {
        rest_f.push_back(f[i]);
        rest_g.push_back(g[i]);
      }
    }
    if (fits && is_a_basis_layout(rest_f, rest_g)) {
      return true;
    }
  }
  return false;
}

TEST(Existence, composition_with_an_identity_on_the_left) {
  int refused = 0;
  int answered = 0;
  for (std::int64_t m = 2; m <= 6; ++m) {
    for (const bool fixed : {true, false}) {
      const Layout a = make_identity_layout(
          Tree::tuple({Int::make_static(m), fixed ? Int::make_static(64) : Int::make_dynamic(64)}));
      for (std::int64_t n = 2; n <= 12; ++n) {
        for (std::int64_t d = 1; d <= 12; ++d) {
          const Layout b(Tree(Int::make_static(n)), Tree(Int::make_static(d)));
          Table f;
          Table g;
          for (std::int64_t i = 0; i < n; ++i) {
            f.push_back(i * d % m);
            g.push_back(i * d / m);
          }
          const auto r = unless_refused([&] { return composition(a, b); });
          ASSERT_EQ(r.has_value(), is_a_basis_layout(f, g)) << to_string(a) << " and " << to_string(b);
          (r ? answered : refused) += 1;
          if (r) {
            EXPECT_EQ(along_basis(*r, 0), f) << to_string(*r);
            EXPECT_EQ(along_basis(*r, 1), g) << to_string(*r);
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(answered, 100);
}

TEST(Existence, composition_with_basis_strides_on_the_right) {
  int refused = 0;
  const std::vector<Layout> parts = small_layouts(2, 8, 3, true);
  for (const Layout& part : parts) {
    const Layout a = make_layout({part, parse_layout("_7:_100")});
    for (std::int64_t n = 2; n <= 8; ++n) {
      for (std::int64_t d = 1; d <= 6; ++d) {
        const Layout plain(Tree(Int::make_static(n)), Tree(Int::make_static(d)));
        const Layout b = parse_layout("(_" + std::to_string(n) + ",_3):(_" + std::to_string(d) + "@0,_2@1)");
        const auto r = unless_refused([&] { return composition(a, b); });
        ASSERT_EQ(r.has_value(), composition_exists(part, plain)) << to_string(a) << " and " << to_string(b);
        if (!r) {
          ++refused;
          continue;
        }
        const Table got = offsets(*r);
        for (std::int64_t i = 0; i < 3 * n; ++i) {
          ASSERT_EQ(got[static_cast<std::size_t>(i)], at(part, i % n * d) + i / n * 200) << to_string(*r);
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace tileloom::layout::laws
