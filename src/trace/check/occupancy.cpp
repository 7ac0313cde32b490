// SPDX-License-Identifier: Apache-2.0
// Registers, and how many CTAs an SM takes.
#include <algorithm>

#include "tileloom/hw/occupancy.hpp"
#include "tileloom/trace/fragment.hpp"
#include "trace/check/properties.hpp"

namespace tileloom::trace {

using std::to_string;

namespace {

constexpr std::int64_t most_registers = 255;

std::int64_t fragment_registers(const Kernel& kernel, Operand o) {
  return registers_of(kernel.path(o).fragment, hw::bits(kernel.mma.operand(o).type));
}

int registers_of_thread(const Kernel& kernel, const CheckOptions& options) {
  return options.registers.value_or(estimate_registers(kernel));
}

}  // namespace

// Least squares over what ptxas gave the shipped kernels for sm_80 and sm_90, rounded to simple fractions: all sums,
// less than half of two k-blocks of A and B (loads overlap with use), addresses and counters, and the bookkeeping of
// copies in flight.
int estimate_registers(const Kernel& kernel) {
  const std::int64_t sums = fragment_registers(kernel, Operand::c);
  const std::int64_t k_blocks = mode_size(layout::AnyLayout(kernel.path(Operand::a).fragment), 2);
  const std::int64_t loaded = (fragment_registers(kernel, Operand::a) + fragment_registers(kernel, Operand::b)) *
                              std::min<std::int64_t>(2, k_blocks) / k_blocks;
  const std::int64_t copies = kernel.config.stages > 1 ? 30 : 0;
  return static_cast<int>(std::min(sums * 9 / 8 + loaded * 3 / 8 + copies + 58, most_registers));
}

void check_registers(const Kernel& kernel, const CheckOptions& options, const hw::Limits& limits, Properties& out) {
  const int registers = registers_of_thread(kernel, options);
  if (options.registers) {
    const bool few = static_cast<std::uint32_t>(registers) <= limits.registers_per_thread;
    out.push_back({"registers", few ? Verdict::good : Verdict::bad,
                   to_string(registers) + " a thread (ptxas) of at most " + to_string(limits.registers_per_thread),
                   few ? "" : "a smaller tile, or more threads"});
    return;
  }
  const bool few = registers < most_registers;
  out.push_back({"registers", Verdict::note,
                 (few ? "about " + to_string(registers) : "all") +
                     (few ? " a thread" : std::string(" 255 of a thread")) + " (estimate, +-30)",
                 few ? "" : "may spill: a smaller tile, or more threads"});
}

void check_occupancy(const Kernel& kernel, const CheckOptions& options, const hw::Limits& limits, Properties& out) {
  const auto registers =
      std::min(static_cast<std::uint32_t>(registers_of_thread(kernel, options)), limits.registers_per_thread);
  const auto threads = static_cast<std::uint32_t>(kernel.threads());
  const auto shared = static_cast<std::uint32_t>(kernel.shared_bytes + kernel.config.smem_static);
  const hw::Occupancy fits = hw::occupancy({threads, registers, shared}, limits);
  const std::uint32_t ctas = fits.ctas();
  const std::string limit = ctas == fits.by_shared      ? "shared memory"
                            : ctas == fits.by_registers ? "registers"
                            : ctas == fits.by_threads   ? "threads"
                                                        : "CTAs";
  const bool judged = options.registers || ctas == fits.by_shared || ctas == fits.by_threads;
  out.push_back({"occupancy", ctas == 0 && judged ? Verdict::bad : Verdict::note,
                 to_string(ctas) + (ctas == 1 ? " CTA, " : " CTAs, ") + to_string(ctas * ((threads + 31) / 32)) +
                     " warps an SM, limited by " + limit +
                     (ctas == fits.by_registers && ctas != fits.by_shared && !options.registers ? " (estimate)" : ""),
                 ""});
}

}  // namespace tileloom::trace
