// SPDX-License-Identifier: Apache-2.0
#include "bench/results.hpp"

#include <gtest/gtest.h>

#include "bench/compare.hpp"
#include "unit/bench/support.hpp"

namespace tileloom::bench {
namespace {

using test::empty_report;
using test::timed;

const Shape small{256, 256, 256, ""};
const Shape large{1024, 512, 2048, "layer"};

// cublas takes 1 s; the kernels as many seconds as given.
Report report_of(std::vector<std::pair<std::string, std::pair<double, double>>> kernels) {
  Report report = empty_report();
  for (const Shape& shape : {small, large}) {
    MeasuredShape& measured = report.shapes.emplace_back();
    measured.shape = shape;
    for (const auto& [label, seconds] : kernels) {
      const double s = shape == small ? seconds.first : seconds.second;
      measured.result.contenders.push_back(timed(shape, label, {s, s, s}));
    }
    measured.result.contenders.push_back(timed(shape, "cublas", {1, 1, 1}, ContenderKind::cublas));
  }
  return report;
}

TEST(Results, OperationsAndBytesOfAProduct) {
  EXPECT_EQ(operations({2, 3, 5}), 60);
  EXPECT_EQ(least_bytes({2, 3, 5}), 2 * (10 + 15 + 6));
}

TEST(Results, GeomeanIsThatOfReciprocals) {
  EXPECT_DOUBLE_EQ(geomean({0.5, 2}), 1);
  EXPECT_DOUBLE_EQ(geomean({8}), 8);
  EXPECT_NEAR(geomean({1.1, 1.3, 0.7}) * geomean({1 / 1.1, 1 / 1.3, 1 / 0.7}), 1, 1e-12);
}

TEST(Results, SpeedsOfOneKernel) {
  const std::vector<RatioSummary> all = summarise(report_of({{"auto", {4, 0.25}}}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].label, "auto");
  EXPECT_EQ(all[0].over, "cublas");
  EXPECT_EQ(all[0].shapes, 2);
  EXPECT_DOUBLE_EQ(all[0].geomean, 1);
  EXPECT_DOUBLE_EQ(all[0].worst, 0.25);
  EXPECT_EQ(all[0].worst_shape, small);
  EXPECT_DOUBLE_EQ(all[0].best, 4);
  EXPECT_EQ(all[0].best_shape, large);
}

// The fastest of several is taken shape by shape; the choice is held against the fastest of the others.
TEST(Results, SpeedsOfSeveralKernels) {
  const std::vector<RatioSummary> all = summarise(report_of({{"x", {0.5, 2}}, {"y", {2, 0.5}}, {"auto", {0.5, 1}}}));
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].label, "fastest of 3");
  EXPECT_DOUBLE_EQ(all[0].geomean, 2);
  EXPECT_DOUBLE_EQ(all[1].geomean, 1);
  EXPECT_EQ(all[4].label, "auto");
  EXPECT_EQ(all[4].over, "fastest other");
  EXPECT_DOUBLE_EQ(all[4].worst, 0.5);
  EXPECT_DOUBLE_EQ(all[4].best, 1);
}

TEST(Results, WithoutABaselineNothingIsSaidAboutIt) {
  Report report = report_of({{"x", {1, 1}}});
  for (MeasuredShape& m : report.shapes) {
    m.result.contenders.pop_back();
  }
  EXPECT_TRUE(summarise(report).empty());
  EXPECT_TRUE(baselines(report).empty());
}

TEST(Results, BothBaselinesAreFound) {
  Report report = report_of({{"x", {1, 1}}});
  report.shapes[1].result.contenders.push_back(
      timed(large, "cublaslt-best", {0.5, 0.5, 0.5}, ContenderKind::cublaslt_best));
  EXPECT_EQ(baselines(report), (std::vector{ContenderKind::cublas, ContenderKind::cublaslt_best}));
  const std::vector<RatioSummary> all = summarise(report);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].over, "cublaslt-best");
  EXPECT_EQ(all[1].shapes, 1) << "the shapes at which both ran";
  EXPECT_DOUBLE_EQ(all[1].geomean, 0.5);
}

TEST(Results, NoisyTimingsAreCounted) {
  Report report = report_of({{"x", {1, 1}}});
  report.shapes[0].result.contenders[0] = timed(small, "x", {1, 1.2, 0.8});
  EXPECT_EQ(noise(report).timings, 4);
  EXPECT_EQ(noise(report).noisy, 1);
}

TEST(Results, CeilingsAreFoundByName) {
  Report report = empty_report();
  EXPECT_EQ(ceiling(report, "mma.sync f16"), std::nullopt);
  report.ceilings = {{"mma.sync f32", "TFLOPS", 700, 600, {}, {}}, {"mma.sync f16", "TFLOPS", 710, 640, {}, {}}};
  EXPECT_EQ(ceiling(report, mma_ceiling_name(Accumulate::f16)), 640);
  EXPECT_EQ(ceiling(report, mma_ceiling_name(Accumulate::f32)), 600);
}

// --- Two runs ----------------------------------------------------------------------------------------------------

TEST(Compare, ARunIsEqualToItself) {
  const Report report = report_of({{"x", {2, 3}}});
  const Comparison comparison = compare(report, report);
  EXPECT_EQ(comparison.changes.size(), 4U);
  for (const Change& change : comparison.changes) {
    EXPECT_EQ(change.speed, 1);
    EXPECT_FALSE(change.real());
  }
  EXPECT_EQ(comparison.only_before, 0);
  EXPECT_EQ(comparison.only_after, 0);
}

TEST(Compare, ExchangedRunsGiveReciprocals) {
  const Report a = report_of({{"x", {2, 3}}});
  const Report b = report_of({{"x", {1, 6}}});
  const Comparison there = compare(a, b);
  const Comparison back = compare(b, a);
  EXPECT_DOUBLE_EQ(there.changes[0].speed, 2) << "half the time is twice the speed";
  EXPECT_DOUBLE_EQ(there.changes[0].after / there.changes[0].before, 2);
  for (std::size_t i = 0; i < there.changes.size(); ++i) {
    EXPECT_DOUBLE_EQ(there.changes[i].speed * back.changes[i].speed, 1);
    EXPECT_EQ(there.changes[i].real(), back.changes[i].real());
  }
  EXPECT_EQ(there.summary[0].faster, 1);
  EXPECT_EQ(there.summary[0].slower, 1);
  EXPECT_DOUBLE_EQ(there.summary[0].geomean, 1);
  EXPECT_EQ(there.summary[1].faster + there.summary[1].slower, 0) << "cublas did not change";
}

TEST(Compare, ADifferenceWithinTheTwoSpreadsIsNone) {
  Report before = report_of({{"x", {1, 1}}});
  Report after = before;
  before.shapes[0].result.contenders[0] = timed(small, "x", {0.96, 1, 1.04});    // quartiles 4 % apart
  after.shapes[0].result.contenders[0] = timed(small, "x", {0.93, 0.95, 0.97});  // 2.1 %, and 5.3 % faster
  EXPECT_FALSE(compare(before, after).changes[0].real());
  after.shapes[0].result.contenders[0] = timed(small, "x", {0.915, 0.935, 0.955});  // 7.0 % faster
  EXPECT_TRUE(compare(before, after).changes[0].real());
}

TEST(Compare, WhatOneRunAloneHasIsCounted) {
  const Report before = report_of({{"x", {1, 1}}, {"old", {1, 1}}});
  Report after = report_of({{"x", {1, 1}}});
  after.shapes.push_back(after.shapes[0]);
  after.shapes.back().shape = {7, 7, 7, ""};
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.changes.size(), 4U);
  EXPECT_EQ(comparison.only_before, 2);
  EXPECT_EQ(comparison.only_after, 2);
}

}  // namespace
}  // namespace tileloom::bench
