// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.hpp"

#include <gtest/gtest.h>

namespace tileloom::bench {
namespace {

TEST(Statistics, OrderOfTheValuesDoesNotMatter) {
  const Summary odd = summarise({3, 1, 10});
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.max, 10);
  EXPECT_DOUBLE_EQ(odd.mean, 14.0 / 3);
  EXPECT_EQ(summarise({4, 2, 1, 10}).median, 3) << "an even number of values: between the middle two";
  EXPECT_EQ(summarise({7}).median, 7);
}

TEST(Statistics, SpreadIsRelativeToTheMedian) {
  EXPECT_DOUBLE_EQ(summarise({9, 10, 12}).spread(), 0.3);
}

// A clock that slows down for both must not look like a difference.
TEST(Statistics, RatioComparesRoundsSideBySide) {
  EXPECT_DOUBLE_EQ(median_ratio({1, 2, 8}, {2, 4, 16}), 0.5);
  EXPECT_DOUBLE_EQ(median_ratio({1, 2, 100}, {2, 4, 16}), 0.5) << "one disturbed round is not the answer";
}

}  // namespace
}  // namespace tileloom::bench
