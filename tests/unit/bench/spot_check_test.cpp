// SPDX-License-Identifier: Apache-2.0
#include "bench/spot_check.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gemm/generate.hpp"
#include "support/reference_gemm.hpp"

namespace tileloom::bench {
namespace {

// Whatever the tile size of a kernel from 64 up, every tile has a line that is looked at.
TEST(SampledLines, OneInEveryBandOf64) {
  for (const std::int64_t count : {1, 63, 64, 65, 1000, 4096}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const std::vector<std::int64_t> lines = sampled_lines(count, false, seed);
      ASSERT_EQ(lines.size(), static_cast<std::size_t>((count + 63) / 64)) << count;
      for (std::size_t band = 0; band < lines.size(); ++band) {
        EXPECT_EQ(lines[band] / 64, static_cast<std::int64_t>(band)) << count;
        EXPECT_LT(lines[band], count);
      }
    }
  }
}

TEST(SampledLines, AllOfThem) {
  EXPECT_EQ(sampled_lines(3, true, 7), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(SampledLines, TheSeedChoosesThePlace) {
  EXPECT_NE(sampled_lines(4096, false, 1), sampled_lines(4096, false, 2));
}

class SpotCheckTest : public testing::Test {
 protected:
  // m x n large enough that only a sample is computed again, k small so that it is quick
  void make(std::int64_t m, std::int64_t n, std::int64_t k) {
    problem = dense_problem(m, n, k);
    a = generate(Distribution::normal, 1, 0, m * k);
    b = generate(Distribution::normal, 1, 1, n * k);
    d.assign(static_cast<std::size_t>(m * n), poison);
    test::reference_gemm(problem, hw::sm_90, a.data(), b.data(), d.data());
  }
  [[nodiscard]] SpotCheck check() const { return spot_check(problem, hw::sm_90, {a.data(), b.data()}, d, /*seed=*/1); }

  GemmProblem problem;
  std::vector<std::uint16_t> a, b, d;
};

TEST_F(SpotCheckTest, SmallProductsAreComputedAgainWhole) {
  make(70, 90, 33);
  EXPECT_TRUE(check().ok());
  EXPECT_EQ(check().report.elements, 70 * 90);
  EXPECT_EQ(coverage(check()), "all 6300 elements");
  d[6299] ^= 0x4000U;
  EXPECT_FALSE(check().ok());
  EXPECT_EQ(check().report.first->row, 69);
  EXPECT_EQ(check().report.first->col, 89);
}

TEST_F(SpotCheckTest, AnElementThatWasNotWrittenIsSeenWhereverItIs) {
  make(70, 90, 33);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1234}, d.size() - 1}) {
    const std::uint16_t before = std::exchange(d[at], poison);
    EXPECT_EQ(check().unwritten, 1);
    EXPECT_FALSE(check().ok());
    d[at] = before;
  }
}

TEST_F(SpotCheckTest, AWrongTileOfALargeProductIsSeenAndNamed) {
  make(16384, 8448, 8);
  const SpotCheck good = check();
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good.report.elements, (16384 / 64) * (8448 / 64));
  EXPECT_EQ(coverage(good), "33792 of 138412032 elements, every tile met");
  for (std::int64_t row = 640; row < 704; ++row) {
    for (std::int64_t col = 128; col < 192; ++col) {
      d[static_cast<std::size_t>(row * 8448 + col)] = 0x7BFF;
    }
  }
  const SpotCheck bad = check();
  EXPECT_EQ(bad.report.wrong, 1);
  EXPECT_EQ(bad.report.first->row / 64, 10);
  EXPECT_EQ(bad.report.first->col / 64, 2);
  EXPECT_GT(bad.report.relative_error(), 1);
}

TEST_F(SpotCheckTest, RelativeErrorIsThatOfTheWholeProduct) {
  make(64, 64, 16);
  EXPECT_LT(check().report.relative_error(), 1e-3);
  EXPECT_GT(check().report.relative_error(), 0);
  d[5] = 0x7C00;  // infinity
  EXPECT_EQ(check().report.relative_error(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace tileloom::bench
