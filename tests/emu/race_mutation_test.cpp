// SPDX-License-Identifier: Apache-2.0
// The shipped kernels have no race; each that lacks one barrier, wait or commit, has one too late, or copies to the
// wrong place or too little is reported, or is one of a few that compute the same. `make test` takes one mutant of
// many, `make test-long` all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emu/machine/program.hpp"
#include "gemm/emulator_backend.hpp"
#include "gemm/launch.hpp"
#include "gemm/plan.hpp"
#include "gemm/problem.hpp"
#include "kernels/instances.hpp"
#include "support/gemm_case.hpp"
#include "support/ptx_mutation.hpp"
#include "tileloom/emu/emulator.hpp"
#include "tileloom/error.hpp"

namespace tileloom::test {
namespace {

using kernels::KernelInstance;

// A product that is ready to run.
struct Prepared {
  GemmCase product;
  gemm::Plan plan;
  std::string entry;
};

struct Shape {
  std::int64_t m, n, k, lda, ldb;
};

// Rows of A and B have gaps of NaN, those of D guards.
Prepared prepare(const KernelInstance& instance, int stages, const Shape& shape) {
  Prepared made;
  const auto& [m, n, k, lda, ldb] = shape;
  made.product = make_case(padded_problem(m, n, k, lda - k, ldb - k, 3, instance.accumulate), Distribution::normal, 7);
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = std::string(instance.name);
  options.arch = hw::sm_90;
  options.stages = instance.pipelined() ? stages : 0;
  made.plan = gemm::make_plan(made.product.problem, options, nullptr);
  const auto copy_bytes = [](std::int64_t ld) { return static_cast<int>(2 * std::min<std::int64_t>(ld & -ld, 8)); };
  made.entry = kernels::entry_name(instance, copy_bytes(lda), copy_bytes(ldb));
  return made;
}

// CTAs without edges and with edges; rows that allow copies of 16, 8, 4 and 2 bytes, the same and different ones for A
// and B, with 6 bytes in the last; K tiles that go round the stages twice, so that the last one lies in the first
// stage, where the epilogue writes; and K that end in the first tiles. Where a tile is one k-block, the loop holds two
// tiles, and each must once begin the last copy and once a whole one. After K there are NaN enough for a whole copy.
std::vector<Prepared> products_of(const KernelInstance& instance) {
  std::vector<Prepared> made;
  const auto add = [&](int stages, const Shape& shape) { made.push_back(prepare(instance, stages, shape)); };
  const std::int64_t m = instance.tile_m;
  const std::int64_t n = instance.tile_n;
  for (int stages = instance.min_stages; stages <= instance.max_stages; ++stages) {
    const std::int64_t k = 2 * stages * instance.tile_k;
    const std::int64_t whole = k + instance.tile_k;
    add(stages, {m, n, whole, whole + 8, whole + 8});
    add(stages, {40, 49, k + 3, k + 16, k + 16});
    add(stages, {m + 8, 17, instance.tile_k, instance.tile_k + 8, instance.tile_k + 8});
    add(stages, {40, 49, k + 3, k + 20, k + 20});
    add(stages, {40, 49, k + 3, k + 18, k + 18});
    add(stages, {40, 49, k + 3, k + 17, k + 17});
    if (stages > 3) continue;
    for (const int tiles : {stages + 3, stages + 2, stages + 1, stages, 1, 0}) {
      if (instance.tile_k > 16 && tiles != stages + 1 && tiles > 1) continue;
      const std::int64_t some = std::int64_t{tiles} * instance.tile_k;
      add(stages, {m - 1, n - 2, some + 3, some + 16, some + 16});
      add(stages, {m - 1, n - 2, some + 3, some + 16, some + 20});
      add(stages, {m - 1, n - 2, some + 3, some + 20, some + 18});
      add(stages, {m - 1, n - 2, some + 3, some + 18, some + 16});
    }
  }
  return made;
}

struct Outcome {
  std::vector<emu::Finding> findings;
  std::vector<emu::UninitialisedRead> uninitialised_reads;
  std::string failure;  // what the launch threw
  std::vector<std::uint16_t> d;

  [[nodiscard]] bool reported() const { return !findings.empty() || !uninitialised_reads.empty() || !failure.empty(); }
};

struct Order {
  bool check = true;
  emu::Delivery delivery = {};
  std::optional<std::uint64_t> schedule = {};
};

Outcome run_in(const Order& order, const KernelInstance& instance, const emu::Module& module, Prepared run) {
  GemmCase& c = run.product;
  emu::Memory memory;
  const auto a = memory.wrap_read_only(std::as_bytes(std::span(c.a)), "A");
  const auto b = memory.wrap_read_only(std::as_bytes(std::span(c.b)), "B");
  const auto d = memory.wrap(std::as_writable_bytes(std::span(c.d)), "D").offset(2 * guard_elements);
  const auto pointer = [](emu::DevicePtr at) { return reinterpret_cast<void*>(at.address); };
  const kernels::GemmParams params = gemm::kernel_params(c.problem, run.plan, {pointer(a), pointer(b), pointer(d)});
  emu::LaunchOptions options;
  options.grid = {gemm::checked_grid(instance, c.problem)};
  options.block = {static_cast<std::uint32_t>(instance.threads)};
  options.dynamic_shared_bytes = run.plan.dynamic_shared_bytes;
  options.arch = hw::sm_90;
  options.check = order.check;
  options.delivery = order.delivery;
  options.schedule = order.schedule;
  Outcome outcome;
  try {
    emu::LaunchReport report = emu::launch(module, run.entry, options, std::as_bytes(std::span(&params, 1)), memory);
    outcome.findings = std::move(report.findings);
    outcome.uninitialised_reads = std::move(report.uninitialised_reads);
  } catch (const Error& error) {
    outcome.failure = error.what();
  }
  outcome.d = std::move(c.d);
  return outcome;
}

// Mutants that compute the same in every order, with how many there are in an entry, and why.
struct Equivalent {
  std::string_view family;
  std::string_view mutation;  // the file that the instruction comes from, and what was done to it
  int in_wide_entry, in_narrow_entry;
  int tile_k = 0;  // of instances with this K tile; 0: of all
};
constexpr Equivalent equivalents[] = {
    // The barrier after the last slab: nothing writes shared memory any more.
    {"multistage", "epilogue.cuh bar.sync 0 removed", 1, 1},
    // The wait before the epilogue: every tile has been waited for before it was read, later groups are empty.
    {"multistage", "cp_async.cuh cp.async.wait_all removed", 1, 1},
    {"multistage", "cp_async.cuh cp.async.wait_all -> cp.async.wait_group 1", 1, 1},
    // With two stages, and in `smem`, the wait is cp.async.wait_all, which takes copies that were not committed too.
    {"multistage", "cp_async.cuh cp.async.commit_group removed", 2, 0},
    {"smem", "cp_async.cuh cp.async.commit_group removed", 1, 1},
    {"handwritten", "cp_async.cuh cp.async.commit_group removed", 3, 0, 32},
    {"handwritten", "cp_async.cuh cp.async.commit_group removed", 4, 0, 16},  // two tiles in the loop
};

using Counts = std::map<std::pair<std::string, std::string>, int>;  // by entry and mutation

Counts expected_survivors(const KernelInstance& instance) {
  Counts counts;
  const std::string name(instance.name);
  for (const Equivalent& e : equivalents) {
    if (e.family != instance.family || (e.tile_k != 0 && e.tile_k != instance.tile_k)) continue;
    if (e.in_wide_entry > 0) counts[{name, std::string(e.mutation)}] = e.in_wide_entry;
    if (e.in_narrow_entry > 0) counts[{name + "_narrow", std::string(e.mutation)}] = e.in_narrow_entry;
  }
  return counts;
}

std::string file_of(const emu::Module& module, std::uint32_t line) {
  const emu::Program& program = module.impl().program;
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    if (program.sources[op].line == line) return program.instruction_place(op).file;
  }
  return "";
}

class RaceMutations : public testing::TestWithParam<const KernelInstance*> {
 protected:
  [[nodiscard]] const KernelInstance& instance() const { return *GetParam(); }
  [[nodiscard]] std::string_view ptx() const { return kernels::ptx_text(instance(), hw::sm_90); }

  // Of `make test` every TILELOOM_MUTANT_STEP-th, each kernel's beginning with another.
  [[nodiscard]] std::vector<PtxMutation> mutations() const {
    std::vector<PtxMutation> all = sync_mutations(ptx());
    const std::vector<PtxMutation> copies = copy_mutations(ptx(), instance().pipelined() ? instance().stage_bytes : 0);
    all.insert(all.end(), copies.begin(), copies.end());
    EXPECT_GE(all.size(), 30U);
    std::vector<PtxMutation> sample;
    const auto first = static_cast<std::size_t>(&instance() - kernels::instances().data());
    for (std::size_t i = first % TILELOOM_MUTANT_STEP; i < all.size(); i += TILELOOM_MUTANT_STEP) {
      sample.push_back(all[i]);
    }
    return sample;
  }

  // Whether a run of the mutant was found wrong: by a check, or by its result.
  [[nodiscard]] bool is_noticed(const emu::Module& mutant, const std::string& entry) {
    for (std::size_t i = 0; i < products_.size(); ++i) {
      if (products_[i].entry != entry) continue;
      const Outcome outcome = run_in({}, instance(), mutant, products_[i]);
      if (outcome.reported() || outcome.d != expected_d(i)) return true;
    }
    return false;
  }

  // A survivor must give the same bits whenever its copies arrive and whoever runs when.
  void expect_equal_in_every_order(const emu::Module& mutant, const PtxMutation& mutation) {
    using Schedule = std::optional<std::uint64_t>;
    for (std::size_t i = 0; i < products_.size(); ++i) {
      if (products_[i].entry != mutation.entry) continue;
      for (const auto when : {emu::Delivery::When::late, emu::Delivery::When::early}) {
        for (const Schedule schedule : {Schedule{}, Schedule{1}, Schedule{2}}) {
          const Outcome outcome = run_in({false, {when, 0}, schedule}, instance(), mutant, products_[i]);
          EXPECT_EQ(outcome.failure, "");
          EXPECT_TRUE(outcome.d == expected_d(i)) << mutation.what << ", line " << mutation.line;
        }
      }
    }
  }

  const std::vector<std::uint16_t>& expected_d(std::size_t product) {
    std::vector<std::uint16_t>& d = expected_[product];
    if (d.empty()) d = run_in({false}, instance(), original_, products_[product]).d;
    return d;
  }

  emu::Module original_ = emu::Module::from_ptx(ptx(), "k.ptx");
  std::vector<Prepared> products_ = products_of(instance());
  std::map<std::size_t, std::vector<std::uint16_t>> expected_;  // by product
};

TEST_P(RaceMutations, TheOriginalHasNoRace) {
  using Schedule = std::optional<std::uint64_t>;
  std::set<std::string> entries;
  for (const Prepared& product : products_) {
    for (const Schedule schedule : {Schedule{}, Schedule{1}, Schedule{2}}) {
      if (schedule && TILELOOM_MUTANT_STEP > 1) continue;
      const Outcome outcome = run_in({true, {}, schedule}, instance(), original_, product);
      EXPECT_EQ(outcome.failure, "");
      for (const emu::Finding& finding : outcome.findings) ADD_FAILURE() << to_string(finding);
      for (const emu::UninitialisedRead& read : outcome.uninitialised_reads) ADD_FAILURE() << to_string(read);
      entries.insert(product.entry);
    }
  }
  EXPECT_EQ(entries.size(), 2U);
}

TEST_P(RaceMutations, EachMutantIsReported) {
  Counts survivors;
  const std::vector<PtxMutation> all = mutations();
  std::size_t survived = 0;
  for (const PtxMutation& mutation : all) {
    const emu::Module mutant = emu::Module::from_ptx(mutated(ptx(), mutation), "k.ptx");
    if (is_noticed(mutant, mutation.entry)) continue;
    ++survived;
    ++survivors[{mutation.entry, file_of(original_, mutation.line) + " " + mutation.what}];
    expect_equal_in_every_order(mutant, mutation);
  }
  RecordProperty("mutants", static_cast<int>(all.size()));
  RecordProperty("survivors", static_cast<int>(survived));
  const Counts expected = expected_survivors(instance());
  if (TILELOOM_MUTANT_STEP == 1) {
    EXPECT_EQ(survivors, expected);
    EXPECT_LE(20 * survived, all.size()) << "fewer than 95 % are noticed";
    std::printf("%s: %zu mutants, %zu compute the same\n", instance().name.data(), all.size(), survived);
    return;
  }
  for (const auto& [key, count] : survivors) {
    const auto known = expected.find(key);
    EXPECT_TRUE(known != expected.end() && count <= known->second) << key.first << ": " << key.second;
  }
}

// Where fewer stages than 5 fit, the loops of the others are code that never runs, and its mutants cannot be noticed;
// such kernels are made from the same source as those that are here.
std::vector<const KernelInstance*> with_shared_memory() {
  std::vector<const KernelInstance*> all;
  for (const KernelInstance& instance : kernels::instances()) {
    const bool all_code_runs = !instance.pipelined() || instance.max_stages == 5;
    if (instance.uses_shared_memory() && all_code_runs) all.push_back(&instance);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shipped, RaceMutations, testing::ValuesIn(with_shared_memory()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

}  // namespace
}  // namespace tileloom::test
