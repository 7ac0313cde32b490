// SPDX-License-Identifier: Apache-2.0
// The shipped kernels have no race; each that lacks one barrier, wait or commit has one that is found, or is one of a
// few that need no such instruction.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emu/machine/program.hpp"
#include "gemm/emulator_backend.hpp"
#include "gemm/launch.hpp"
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
  GemmConfiguration configuration;
  std::string entry;
};

Prepared prepare(const KernelInstance& instance, int stages, std::int64_t m, std::int64_t n, std::int64_t k) {
  Prepared made;
  made.product = make_case(dense_problem(m, n, k, instance.accumulate), Distribution::normal, 7);
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = std::string(instance.name);
  options.arch = hw::sm_80;
  options.stages = instance.pipelined() ? stages : 0;
  made.configuration = configure(made.product.problem, options);
  const int copy_bytes = static_cast<int>(2 * std::min<std::int64_t>(k & -k, 8));
  made.entry = kernels::entry_name(instance, copy_bytes, copy_bytes);
  return made;
}

// CTAs without edges, with edges, and with rows that allow copies of 8, 4 and 2 bytes only. The K tiles go round the
// stages twice, and the last one lies in the first stage, where the epilogue writes.
std::vector<Prepared> products_of(const KernelInstance& instance) {
  std::vector<Prepared> made;
  for (int stages = instance.min_stages; stages <= instance.max_stages; ++stages) {
    const std::int64_t tiles = 2 * stages;
    const std::int64_t k = tiles * instance.tile_k;
    made.push_back(prepare(instance, stages, instance.tile_m, instance.tile_n, k + instance.tile_k));
    for (const int tail : {8, 4, 2, 1}) made.push_back(prepare(instance, stages, 40, 49, k + tail));
    made.push_back(prepare(instance, stages, instance.tile_m + 8, 17, instance.tile_k));
  }
  return made;
}

struct Outcome {
  std::vector<emu::Finding> findings;
  std::vector<emu::UninitialisedRead> uninitialised_reads;
  std::string failure;  // what the launch threw
  std::vector<std::uint16_t> d;

  [[nodiscard]] bool reported() const { return !findings.empty() || !failure.empty(); }
};

Outcome run_checked(const KernelInstance& instance, const emu::Module& module, Prepared run) {
  GemmCase& c = run.product;
  emu::Memory memory;
  const auto a = memory.wrap_read_only(std::as_bytes(std::span(c.a)), "A");
  const auto b = memory.wrap_read_only(std::as_bytes(std::span(c.b)), "B");
  const auto d = memory.wrap(std::as_writable_bytes(std::span(c.d)), "D").offset(2 * guard_elements);
  const auto pointer = [](emu::DevicePtr at) { return reinterpret_cast<void*>(at.address); };
  const kernels::GemmParams params =
      gemm::kernel_params(c.problem, run.configuration, {pointer(a), pointer(b), pointer(d)});
  emu::LaunchOptions options;
  options.grid = {gemm::checked_grid(instance, c.problem)};
  options.block = {static_cast<std::uint32_t>(instance.threads)};
  options.dynamic_shared_bytes = run.configuration.dynamic_shared_bytes;
  options.arch = hw::sm_80;
  options.check = true;
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
};
constexpr Equivalent equivalents[] = {
    // The barrier after the last slab: nothing writes shared memory any more.
    {"multistage", "epilogue.cuh bar.sync 0 removed", 1, 1},
    // The wait before the epilogue: every tile has been waited for before it was read, later groups are empty.
    {"multistage", "multistage.cuh cp.async.wait_all removed", 1, 1},
    {"multistage", "multistage.cuh cp.async.wait_all -> cp.async.wait_group 1", 1, 1},
    // With two stages, and in `smem`, the wait is cp.async.wait_all, which takes copies that were not committed too.
    {"multistage", "multistage.cuh cp.async.commit_group removed", 2, 0},
    {"smem", "smem.cuh cp.async.commit_group removed", 1, 1},
};

using Counts = std::map<std::pair<std::string, std::string>, int>;  // by entry and mutation

Counts expected_survivors(const KernelInstance& instance) {
  Counts counts;
  const std::string name(instance.name);
  for (const Equivalent& e : equivalents) {
    if (e.family != instance.family) continue;
    counts[{name, std::string(e.mutation)}] = e.in_wide_entry;
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
  [[nodiscard]] std::string_view ptx() const { return gemm::emulator_image(instance(), hw::sm_80).text; }
  [[nodiscard]] emu::Module module() const { return emu::Module::from_ptx(ptx(), "k.ptx"); }
};

TEST_P(RaceMutations, TheOriginalHasNoRace) {
  const emu::Module original = module();
  std::set<std::string> entries;
  for (const Prepared& product : products_of(instance())) {
    const Outcome outcome = run_checked(instance(), original, product);
    EXPECT_EQ(outcome.failure, "");
    for (const emu::Finding& finding : outcome.findings) ADD_FAILURE() << to_string(finding);
    for (const emu::UninitialisedRead& read : outcome.uninitialised_reads) ADD_FAILURE() << to_string(read);
    entries.insert(product.entry);
  }
  EXPECT_EQ(entries.size(), 2U);
}

// A survivor must give the same bits, with copies that arrive as late as they may, and must be one of those that are
// known to need no such instruction.
TEST_P(RaceMutations, EachMutantIsReported) {
  const emu::Module original = module();
  const std::vector<Prepared> products = products_of(instance());
  Counts survivors;
  for (const PtxMutation& mutation : sync_mutations(ptx())) {
    const emu::Module mutant = emu::Module::from_ptx(mutated(ptx(), mutation), "k.ptx");
    bool reported = false;
    std::vector<std::vector<std::uint16_t>> made;
    for (const Prepared& product : products) {
      if (product.entry != mutation.entry) continue;
      Outcome outcome = run_checked(instance(), mutant, product);
      reported = outcome.reported();
      if (reported) break;
      made.push_back(std::move(outcome.d));
    }
    if (reported) continue;
    ++survivors[{mutation.entry, file_of(original, mutation.line) + " " + to_string(mutation)}];
    auto d = made.begin();
    for (const Prepared& product : products) {
      if (product.entry != mutation.entry) continue;
      EXPECT_EQ(*d++, run_checked(instance(), original, product).d)
          << to_string(mutation) << ", line " << mutation.line;
    }
  }
  EXPECT_EQ(survivors, expected_survivors(instance()));
}

std::vector<const KernelInstance*> with_shared_memory() {
  std::vector<const KernelInstance*> all;
  for (const KernelInstance& instance : kernels::instances()) {
    if (instance.uses_shared_memory()) all.push_back(&instance);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shipped, RaceMutations, testing::ValuesIn(with_shared_memory()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

}  // namespace
}  // namespace tileloom::test
