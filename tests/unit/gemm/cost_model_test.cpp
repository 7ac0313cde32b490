// SPDX-License-Identifier: Apache-2.0
// The estimate that kernels are chosen by: its laws. tests/unit/bench/choice_test.cpp compares it with measured times.
#include "gemm/cost_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tileloom::gemm {
namespace {

const std::vector<std::int64_t> sizes{1, 16, 100, 512, 2000, 8192};

std::vector<GemmProblem> problems(Accumulate accumulate) {
  std::vector<GemmProblem> all;
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) {
        all.push_back(dense_problem(m, n, k, accumulate));
      }
    }
  }
  return all;
}

double seconds(const GemmProblem& problem, const kernels::KernelInstance& instance) {
  return estimate(problem, instance, typical_target(hw::sm_90)).seconds;
}

TEST(CostModel, MoreWorkNeverTakesLess) {
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    for (const GemmProblem& p : problems(instance.accumulate)) {
      const double now = seconds(p, instance);
      EXPECT_LE(now, seconds(dense_problem(p.m, p.n, p.k + 64, p.accumulate), instance))
          << instance.name << to_string(p);
      EXPECT_LE(now, seconds(dense_problem(2 * p.m, p.n, p.k, p.accumulate), instance))
          << instance.name << to_string(p);
      EXPECT_LE(now, seconds(dense_problem(p.m, 2 * p.n, p.k, p.accumulate), instance))
          << instance.name << to_string(p);
    }
  }
}

// A GPU with more SMs is not slower.
TEST(CostModel, MoreMultiprocessorsNeverTakeLonger) {
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    for (const GemmProblem& p : problems(instance.accumulate)) {
      EXPECT_LE(estimate(p, instance, {hw::sm_90, 264}).seconds, estimate(p, instance, {hw::sm_90, 132}).seconds)
          << instance.name << to_string(p);
    }
  }
}

TEST(CostModel, RanksEveryInstanceOfTheFamilyThatFitsTheFastestFirst) {
  for (const Accumulate accumulate : {Accumulate::f32, Accumulate::f16}) {
    const auto ranked = rank(dense_problem(1000, 900, 800, accumulate), "multistage", typical_target(hw::sm_90));
    EXPECT_TRUE(std::ranges::is_sorted(ranked, {}, &Estimate::seconds));
    std::set<std::string_view> names;
    for (const Estimate& e : ranked) {
      names.insert(e.instance->name);
    }
    std::set<std::string_view> expected;
    for (const kernels::KernelInstance& instance : kernels::instances()) {
      if (instance.family == "multistage" && instance.accumulate == accumulate) {
        expected.insert(instance.name);
      }
    }
    EXPECT_EQ(names, expected);
  }
}

// 99 KiB a CTA on sm_89: kernels whose stages do not fit are left out.
TEST(CostModel, LeavesOutWhatDoesNotFit) {
  for (const Estimate& e : rank(dense_problem(8192, 8192, 8192), "multistage", typical_target(hw::sm_89))) {
    EXPECT_LE(e.instance->shared_bytes(e.instance->default_stages), 101376U) << e.instance->name;
  }
}

TEST(CostModel, SmallProductsTakeSmallTilesAndLargeOnesLarge) {
  const auto best = [](std::int64_t size) {
    return rank(dense_problem(size, size, size, Accumulate::f16), "multistage", typical_target(hw::sm_90)).front();
  };
  EXPECT_EQ(best(256).instance->name, "multistage_32x32x64_f16");
  EXPECT_EQ(best(16384).instance->name, "multistage_256x256x64_f16");
  EXPECT_EQ(best(16384).bound, "power");
}

TEST(CostModel, Prints) {
  const Estimate e{.seconds = 7.4e-6, .ctas = 128, .ctas_per_sm = 2, .waves = 1, .bound = "latency of copies"};
  EXPECT_EQ(to_string(e), "7.4 us estimated: 128 CTAs, 2 an SM, 1 wave, bound by latency of copies");
  const Estimate one{.seconds = 1.234e-3, .ctas = 1, .ctas_per_sm = 1, .waves = 2, .bound = "power"};
  EXPECT_EQ(to_string(one), "1.23e+03 us estimated: 1 CTA, 1 an SM, 2 waves, bound by power");
}

// Those that run together read the least where a band is about as high as it is wide.
TEST(CostModel, BandsAreAboutSquare) {
  for (const kernels::KernelInstance& i : kernels::instances()) {
    const double width = double(raster_width(i, 132)) * i.tile_n;
    const double height = 132.0 / raster_width(i, 132) * i.tile_m;
    EXPECT_GE(height, 0.99 * width) << i.name;
    EXPECT_LT(height, 4 * width) << i.name;
  }
  EXPECT_EQ(raster_width(*kernels::find_instance("multistage_128x128x64_f32"), 1), 1U);
}

}  // namespace
}  // namespace tileloom::gemm
