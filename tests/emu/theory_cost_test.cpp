// SPDX-License-Identifier: Apache-2.0
// Theory = run: what `check` computes from a kernel's configuration is what the emulator counts when the kernel runs.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/config_file.hpp"
#include "gemm/generate.hpp"
#include "kernels/instances.hpp"
#include "tileloom/gemm.hpp"
#include "tileloom/trace/check.hpp"

namespace tileloom {
namespace {

struct Cost {
  std::int64_t low = 0, high = 0, ideal = 0, shared_requests = 0;
  std::int64_t sectors = 0, ideal_sectors = 0, requests = 0;
  bool operator==(const Cost&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Cost& c) {
  return out << "wavefronts " << c.low << ".." << c.high << " ideal " << c.ideal << " in " << c.shared_requests
             << ", sectors " << c.sectors << " ideal " << c.ideal_sectors << " in " << c.requests;
}

using Costs = std::map<std::string, Cost>;  // by emu::ClassCount::name

constexpr std::int64_t tiles_m = 2, tiles_n = 2, tiles_k = 4;

GemmProblem whole_tiles(const kernels::KernelInstance& k) {
  return dense_problem(tiles_m * k.tile_m, tiles_n * k.tile_n, tiles_k * k.tile_k, k.accumulate);
}

// The instruction that stands for a site of `check`.
std::string name_of(const trace::SiteCost& site) {
  if (site.atom.find("LDSM") != std::string::npos) return "ldmatrix";
  if (site.atom.find("CP_ASYNC") != std::string::npos) return "cp.async";
  const bool load = site.site.find(site.memory + " ->") != std::string::npos;
  return (load ? "ld." : "st.") + site.memory;
}

Costs predicted(const kernels::KernelInstance& instance, const GemmProblem& p) {
  const trace::Kernel kernel =
      build_kernel(cli::read_kernel_config(std::string(instance.name), {}),
                   {{"M", p.m}, {"N", p.n}, {"K", p.k}, {"lda", p.lda}, {"ldb", p.ldb}, {"ldd", p.ldd}});
  const trace::OperandPath& c = kernel.path(trace::Operand::c);
  const std::int64_t slab = c.shared ? size(domain(*c.shared)).value : c.elements();
  Costs costs;
  for (const trace::SiteCost& site : check_kernel(kernel).sites) {
    const std::int64_t times = tiles_m * tiles_n * (site.site.front() == 'C' ? c.elements() / slab : tiles_k);
    Cost& cost = costs[name_of(site)];
    if (site.shared) {
      cost.low += times * site.shared->low;
      cost.high += times * site.shared->high;
      cost.ideal += times * site.shared->ideal;
      cost.shared_requests += times * site.shared->instructions;
    }
    if (site.global) {
      cost.sectors += times * site.global->sectors;
      cost.ideal_sectors += times * site.global->ideal_sectors;
      cost.requests += times * site.global->requests;
    }
  }
  return costs;
}

emu::Counters count(const kernels::KernelInstance& instance, const GemmProblem& p, unsigned threads = 1,
                    bool check = false) {
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = instance.name;
  const std::vector<std::uint16_t> a = generate(Distribution::normal, 1, 0, p.m * p.lda);
  const std::vector<std::uint16_t> b = generate(Distribution::normal, 1, 1, p.n * p.ldb);
  std::vector<std::uint16_t> d(static_cast<std::size_t>(p.m * p.n));
  LaunchControl control;
  control.count = true;
  control.host_threads = threads;
  control.check = check;
  return *launch_host(p, configure(p, options), {a.data(), b.data(), d.data()}, control).counters;
}

Costs observed(const emu::Counters& counters) {
  Costs costs;
  for (const emu::ClassCount& c : by_class(counters)) {
    if (c.access == emu::AccessClass::none) continue;
    EXPECT_TRUE(c.shared.exact) << c.name;
    const auto n = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
    costs[c.name] = {n(c.shared.wavefronts_low), n(c.shared.wavefronts_high), n(c.shared.ideal),   n(c.shared.requests),
                     n(c.global.sectors),        n(c.global.ideal_sectors),   n(c.global.requests)};
  }
  return costs;
}

class TheoryIsRun : public testing::TestWithParam<std::size_t> {};

TEST_P(TheoryIsRun, WhatCheckComputesIsWhatTheRunCosts) {
  const kernels::KernelInstance& instance = kernels::instances()[GetParam()];
  const GemmProblem problem = whole_tiles(instance);
  EXPECT_EQ(observed(count(instance, problem)), predicted(instance, problem));
}

// 16 bytes off a multiple of 32 in every other row.
TEST_P(TheoryIsRun, RowsBetweenSectorsCostTheSameInBoth) {
  const kernels::KernelInstance& instance = kernels::instances()[GetParam()];
  GemmProblem problem = whole_tiles(instance);
  problem.lda += 8;
  problem.ldb += 24;
  const Costs aligned = predicted(instance, whole_tiles(instance));
  const Costs costs = predicted(instance, problem);
  EXPECT_EQ(observed(count(instance, problem)), costs);
  if (costs.contains("cp.async")) {
    EXPECT_GT(costs.at("cp.async").sectors, aligned.at("cp.async").sectors);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TheoryIsRun, testing::Range(std::size_t{0}, kernels::instances().size()),
                         [](const auto& i) { return std::string(kernels::instances()[i.param].name); });

TEST(Counters, DoNotDependOnThreadsOrChecks) {
  const kernels::KernelInstance& instance = *kernels::find_instance("multistage_64x64x64_f32");
  const GemmProblem problem = dense_problem(130, 200, 100);
  const emu::Counters one = count(instance, problem);
  const emu::Counters several = count(instance, problem, 4, true);
  ASSERT_EQ(one.instructions.size(), several.instructions.size());
  for (std::size_t i = 0; i < one.instructions.size(); ++i) {
    EXPECT_EQ(one.instructions[i].executions, several.instructions[i].executions);
    EXPECT_EQ(one.instructions[i].lanes, several.instructions[i].lanes);
    EXPECT_EQ(one.instructions[i].shared, several.instructions[i].shared);
    EXPECT_EQ(one.instructions[i].global, several.instructions[i].global);
  }
}

}  // namespace
}  // namespace tileloom
