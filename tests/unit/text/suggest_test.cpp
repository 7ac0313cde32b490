// SPDX-License-Identifier: Apache-2.0
#include "text/suggest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

using tileloom::edit_distance;
using tileloom::nearest;

namespace {

// Words over two letters: edits collide often.
rc::Gen<std::string> words() {
  return rc::gen::container<std::string>(rc::gen::element('a', 'b'));
}

}  // namespace

TEST(Suggest, CountsEachKindOfEditOnce) {
  EXPECT_EQ(edit_distance("kernel", "kernel"), 0U);
  EXPECT_EQ(edit_distance("kernl", "kernel"), 1U);
  EXPECT_EQ(edit_distance("kernnel", "kernel"), 1U);
  EXPECT_EQ(edit_distance("kernal", "kernel"), 1U);
  EXPECT_EQ(edit_distance("kenrel", "kernel"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

RC_GTEST_PROP(Suggest, DistanceIsSymmetric, ()) {
  const std::string a = *words();
  const std::string b = *words();
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

RC_GTEST_PROP(Suggest, DistanceIsAtMostTheLongerWordAndAtLeastTheDifference, ()) {
  const std::string a = *words();
  const std::string b = *words();
  const std::size_t distance = edit_distance(a, b);
  RC_ASSERT(distance <= std::max(a.size(), b.size()));
  RC_ASSERT(distance >= std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
}

RC_GTEST_PROP(Suggest, OneSwapIsOneEdit, ()) {
  std::string a = *rc::gen::suchThat(words(), [](const std::string& w) { return w.size() >= 2; });
  std::string b = a;
  const auto at = *rc::gen::inRange<std::size_t>(0, a.size() - 1);
  std::swap(b[at], b[at + 1]);
  RC_ASSERT(edit_distance(a, b) <= 1);
}

TEST(Suggest, TakesTheNearestWithinAThirdOfTheLetters) {
  const std::vector<std::string> candidates{"--verify", "--kernel", "--k", "--backend"};
  EXPECT_EQ(nearest("--kernl", candidates), "--kernel");
  EXPECT_EQ(nearest("--bakcend", candidates), "--backend");
  EXPECT_EQ(nearest("--something-else", candidates), "");
  const std::vector<std::string> letters = {"A", "B"};
  EXPECT_EQ(nearest("D", letters), "") << "no letter is the same";
  EXPECT_EQ(nearest("AB", letters), "A");
  EXPECT_EQ(tileloom::did_you_mean("--verfy", candidates), "did you mean --verify?");
  EXPECT_EQ(tileloom::did_you_mean("--zzzzzzz", candidates), "");
}
