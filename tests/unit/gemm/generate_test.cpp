// SPDX-License-Identifier: Apache-2.0
#include "gemm/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gemm/half.hpp"

namespace tileloom {
namespace {

constexpr std::int64_t many = 200000;

std::vector<double> values(Distribution distribution, std::uint64_t seed, std::int64_t count) {
  std::vector<double> result;
  for (const std::uint16_t bits : generate(distribution, seed, 0, count)) {
    result.push_back(half_to_f64(bits));
  }
  return result;
}

double moment(const std::vector<double>& xs, int power) {
  double sum = 0;
  for (const double x : xs) {
    sum += std::pow(x, power);
  }
  return sum / static_cast<double>(xs.size());
}

// The bits are a promise: results name a seed, and must be reproducible on another machine.
TEST(Generate, GivesTheSameBitsEverywhere) {
  using Bits = std::vector<std::uint16_t>;
  EXPECT_EQ(generate(Distribution::normal, 0, 0, 4), (Bits{0x2C3C, 0x2EA6, 0xBC56, 0xB427}));
  EXPECT_EQ(generate(Distribution::uniform, 7, 1, 4), (Bits{0xB2D0, 0x3BF2, 0x3162, 0xB179}));
  EXPECT_EQ(generate(Distribution::integers, 42, 0, 4), (Bits{0x3C00, 0x4000, 0xC000, 0xBC00}));
}

TEST(Generate, ElementsDoNotDependOnTheCount) {
  const auto few = generate(Distribution::normal, 3, 1, 10);
  const auto more = generate(Distribution::normal, 3, 1, 1000);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
  EXPECT_TRUE(generate(Distribution::normal, 3, 1, 0).empty());
}

TEST(Generate, SeedsAndStreamsDiffer) {
  std::set<std::vector<std::uint16_t>> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t stream = 0; stream < 2; ++stream) {
      seen.insert(generate(Distribution::normal, seed, stream, 16));
    }
  }
  EXPECT_EQ(seen.size(), 16U);
}

TEST(Generate, NormalHasTheMomentsOfTwelveUniforms) {
  const std::vector<double> xs = values(Distribution::normal, 1, many);
  EXPECT_NEAR(moment(xs, 1), 0, 0.01);
  EXPECT_NEAR(moment(xs, 2), 1, 0.015);
  EXPECT_NEAR(moment(xs, 3), 0, 0.03);
  EXPECT_NEAR(moment(xs, 4), 2.9, 0.08);  // 3 - 6/5/12
  for (const double x : xs) {
    ASSERT_LT(std::abs(x), 6);
  }
}

TEST(Generate, UniformFillsItsInterval) {
  const std::vector<double> xs = values(Distribution::uniform, 2, many);
  EXPECT_NEAR(moment(xs, 1), 0, 0.01);
  EXPECT_NEAR(moment(xs, 2), 1.0 / 3, 0.01);
  EXPECT_LE(*std::max_element(xs.begin(), xs.end()), 1);
  EXPECT_GE(*std::min_element(xs.begin(), xs.end()), -1);
}

TEST(Generate, IntegersAreTheFiveSmallOnesEquallyOften) {
  std::array<int, 5> counts{};
  for (const double x : values(Distribution::integers, 3, many)) {
    ASSERT_EQ(x, std::trunc(x));
    ASSERT_LE(std::abs(x), 2);
    ++counts[static_cast<std::size_t>(x + 2)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, many / 5, many / 100);
  }
}

}  // namespace
}  // namespace tileloom
