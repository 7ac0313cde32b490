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

TEST(Statistics, QuartilesBoundTheMiddleHalf) {
  const Summary nine = summarise({9, 1, 8, 2, 7, 3, 6, 4, 5});
  EXPECT_EQ(nine.q1, 3);
  EXPECT_EQ(nine.q3, 7);
  EXPECT_DOUBLE_EQ(nine.relative_iqr(), 0.8);
  EXPECT_DOUBLE_EQ(summarise({1, 2, 3, 4}).q1, 1.75);
  EXPECT_EQ(summarise({5}).relative_iqr(), 0);
  EXPECT_EQ(summarise({10, 10, 10, 10, 100}).relative_iqr(), 0) << "one disturbed round is not noise";
}

// Nine normal values: the interquartile range is 1.349 sigma, the median's error 1.253 sigma / 3.
TEST(Statistics, MoreValuesMakeTheMedianMoreCertain) {
  const Summary nine = summarise({9, 1, 8, 2, 7, 3, 6, 4, 5});
  EXPECT_NEAR(nine.uncertainty(), 0.8 / 1.349 * 1.253 / 3, 1e-12);
  std::vector<double> four_times;
  for (int i = 0; i < 4; ++i) {
    four_times.insert(four_times.end(), {9, 1, 8, 2, 7, 3, 6, 4, 5});
  }
  EXPECT_NEAR(summarise(four_times).uncertainty(), nine.uncertainty() / 2, 1e-12);
}

// A clock that slows down for both must not look like a difference.
TEST(Statistics, RatioComparesRoundsSideBySide) {
  EXPECT_DOUBLE_EQ(median_ratio({1, 2, 8}, {2, 4, 16}), 0.5);
  EXPECT_DOUBLE_EQ(median_ratio({1, 2, 100}, {2, 4, 16}), 0.5) << "one disturbed round is not the answer";
}

}  // namespace
}  // namespace tileloom::bench
