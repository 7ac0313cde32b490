// SPDX-License-Identifier: Apache-2.0
#include "ablation/counting.hpp"

#include <span>
#include <vector>

#include "gemm/generate.hpp"
#include "tileloom/emu/counters.hpp"
#include "tileloom/emu/emulator.hpp"

namespace tileloom::ablation {
namespace {

constexpr int tiles = 12;  // a multiple of 2, 3 and 4 stages, so that two runs that differ by it end at the same stage
                           // (5 stages: the count does not depend on where they end)

ClassCost& operator+=(ClassCost& to, const emu::ClassCount& from) {
  to.executions += static_cast<double>(from.executions);
  to.wavefronts += static_cast<double>(from.shared.wavefronts_high);
  to.ideal_wavefronts += static_cast<double>(from.shared.ideal);
  to.sectors += static_cast<double>(from.global.sectors);
  to.ideal_sectors += static_cast<double>(from.global.ideal_sectors);
  return to;
}

// (longer + factor * shorter) / divisor, field by field.
Costs combine(const Costs& longer, double factor, const Costs& shorter, double divisor) {
  Costs result;
  for (const auto& [name, cost] : longer) {
    const auto found = shorter.find(name);
    const ClassCost other = found == shorter.end() ? ClassCost{} : found->second;
    const auto field = [&](double ClassCost::*f) { return (cost.*f + factor * other.*f) / divisor; };
    result[name] = {field(&ClassCost::executions), field(&ClassCost::wavefronts), field(&ClassCost::ideal_wavefronts),
                    field(&ClassCost::sectors), field(&ClassCost::ideal_sectors)};
  }
  return result;
}

Costs run(const Kernel& kernel, const emu::Module& module, int k_tiles) {
  const GemmProblem problem =
      dense_problem(kernel.tile_m, kernel.tile_n, std::int64_t{k_tiles} * kernel.tile_k, kernel.accumulate);
  emu::Memory memory;
  const auto operand = [&](std::uint64_t stream, std::int64_t count, const char* name) {
    const std::vector<std::uint16_t> values = generate(Distribution::normal, 1, stream, count);
    const emu::DevicePtr at = memory.allocate(values.size() * 2, name);
    memory.write(at, std::as_bytes(std::span(values)));
    return reinterpret_cast<void*>(
        at.address);  // NOLINT(performance-no-int-to-ptr): an address of the emulator's memory
  };
  const GemmOperands operands{operand(0, problem.m * problem.k, "A"), operand(1, problem.n * problem.k, "B"),
                              operand(2, problem.m * problem.n, "D")};
  const kernels::GemmParams parameters = params({"", "", &kernel, 0, true}, problem, operands);
  emu::LaunchOptions options;
  options.grid = {1};
  options.block = {static_cast<std::uint32_t>(kernel.threads)};
  options.dynamic_shared_bytes = static_cast<std::uint32_t>(kernel.shared_bytes());
  options.count = true;
  const emu::LaunchReport report =
      emu::launch(module, kernel.entry(), options, std::as_bytes(std::span(&parameters, 1)), memory);
  Costs costs;
  for (const emu::ClassCount& c : emu::by_class(*report.counters)) {
    costs[c.name] += c;
  }
  return costs;
}

double sum(const Costs& costs, double ClassCost::*field) {
  double total = 0;
  for (const auto& [name, cost] : costs) {
    total += cost.*field;
  }
  return total;
}

}  // namespace

double KernelCosts::per_tile_instructions() const {
  return sum(per_tile, &ClassCost::executions);
}

double KernelCosts::per_tile_wavefronts() const {
  return sum(per_tile, &ClassCost::wavefronts);
}

KernelCosts count(const Kernel& kernel) {
  const emu::Module module = emu::Module::from_ptx(kernel.ptx, kernel.name + ".ptx");
  const Costs shorter = run(kernel, module, tiles);
  const Costs longer = run(kernel, module, 2 * tiles);
  return {combine(longer, -1, shorter, tiles), combine(shorter, -1, combine(longer, -1, shorter, 1), 1)};
}

}  // namespace tileloom::ablation
