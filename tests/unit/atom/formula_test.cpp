// SPDX-License-Identifier: Apache-2.0
// Closed formulas against the layouts that they stand for, at every coordinate of every entry.
#include "render/atom_formula.hpp"

#include <gtest/gtest.h>

#include <set>

#include "render/atom_view.hpp"
#include "tileloom/layout/algebra.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::render {
namespace {

std::vector<AtomOperand> distinct_operands() {
  std::vector<AtomOperand> all;
  std::set<std::string> seen;
  const auto add = [&](const hw::AnyAtom& atom) {
    for (AtomOperand& o : operands_of(atom)) {
      if (o.threads == 1) continue;
      if (seen.insert(to_string(o.tv) + std::to_string(o.rows)).second) all.push_back(std::move(o));
    }
  };
  for (const hw::MmaAtom& x : hw::mma_atoms()) add({&x, nullptr});
  for (const hw::CopyAtom& x : hw::copy_atoms()) {
    if (x.kind != hw::CopyKind::automatic) add({nullptr, &x});
  }
  return all;
}

TEST(AtomFormulas, AreTheLayoutsOfAllEntriesBothWays) {
  std::size_t cases = 0;
  for (const AtomOperand& o : distinct_operands()) {
    const auto f = formulas_of(o);
    ASSERT_TRUE(f) << o.atom << " " << o.letter;
    const std::string thread_variable = thread_name(o);
    const int values = static_cast<int>(layout::size(layout::LayoutRef(o.tv)[1]).value);
    const bool shared = o.keeper == Keeper::descriptor;
    EXPECT_EQ(f->every_thread, shared) << o.atom;
    for (int t = 0; t < o.threads; t += shared ? 127 : 1) {  // the first and the last
      for (int v = 0; v < values; ++v) {
        const std::int64_t element = o.tv(t + static_cast<std::int64_t>(o.threads) * v);
        const std::int64_t row = evaluate(f->row, {{thread_variable, t}, {"v", v}});
        const std::int64_t column = evaluate(f->column, {{thread_variable, t}, {"v", v}});
        ASSERT_EQ(row + o.rows * column, element) << o.atom << " " << o.letter << " " << t << "," << v;
        const std::map<std::string, std::int64_t> at{{o.row_name, row}, {o.column_name, column}};
        const std::int64_t thread = evaluate(f->thread, at);
        ASSERT_EQ(evaluate(f->value, at), v) << o.atom << " " << o.letter;
        ASSERT_TRUE(thread == t || (thread < t && (shared || o.keeper == Keeper::row)))
            << o.atom << " " << o.letter << " " << t << "," << v;
        ASSERT_EQ(o.tv(thread + static_cast<std::int64_t>(o.threads) * v), element);
      }
    }
    ++cases;
  }
  EXPECT_GT(cases, 150U);
}

TEST(AtomFormulas, Text) {
  const auto f = layout_formulas(layout::parse_layout("((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))"), 16, 16,
                                 {"lane", "v", "m", "k"});
  ASSERT_TRUE(f);
  EXPECT_EQ(to_string(f->row), "m = lane/4 + 8*(v/2%2)");
  EXPECT_EQ(to_string(f->column), "k = 2*(lane%4) + v%2 + 8*(v/4)");
  EXPECT_EQ(to_string(f->thread), "lane = 4*(m%8) + k%8/2");
  EXPECT_EQ(to_string(f->value), "v = k%2 + 2*(m/8) + 4*(k/8)");
}

TEST(AtomFormulas, AModeAcrossColumnsIsTwoDigits) {
  const auto f = layout_formulas(layout::parse_layout("(_16,_2):(_2,_1)"), 8, 4, {"t", "v", "m", "n"});
  ASSERT_TRUE(f);
  for (int t = 0; t < 16; ++t) {
    for (int v = 0; v < 2; ++v) {
      EXPECT_EQ(evaluate(f->row, {{"t", t}, {"v", v}}) + 8 * evaluate(f->column, {{"t", t}, {"v", v}}), 2 * t + v);
    }
  }
  EXPECT_EQ(to_string(f->column), "n = t/4");
}

TEST(AtomFormulas, NoneWhereADigitCarries) {
  EXPECT_FALSE(layout_formulas(layout::parse_layout("(_4,_2):(_3,_1)"), 8, 4, {"t", "v", "m", "n"}));
  EXPECT_FALSE(layout_formulas(layout::parse_layout("(_4,_2):(_1,_0)"), 8, 4, {"t", "v", "m", "n"}));
}

}  // namespace
}  // namespace tileloom::render
