// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/check.hpp"

#include <algorithm>

#include "tileloom/hw/limits.hpp"
#include "tileloom/trace/fragment.hpp"
#include "tileloom/trace/overview.hpp"
#include "tileloom/trace/tile_table.hpp"
#include "trace/access_sites.hpp"

namespace tileloom::trace {

using std::to_string;

namespace {

using Properties = std::vector<Property>;

// --- Instructions ------------------------------------------------------------------------------------------------

void check_arch(const Kernel& kernel, Properties& out) {
  std::vector<std::string> missing;
  const auto look = [&](const std::string& name, hw::Arch first, bool only) {
    if (only ? kernel.arch != first : kernel.arch < first) {
      missing.push_back(name + " needs " + hw::to_string(first) + (only ? " exactly" : ""));
    }
  };
  const hw::MmaAtom& mma = kernel.mma.atom();
  look(mma.name, mma.arch, mma.one_arch_only());
  for (const OperandPath& p : kernel.operands) {
    for (const auto* copy : {&p.fill, &p.drain}) {
      if (*copy) {
        look((*copy)->atom().name, (*copy)->atom().arch, false);
      }
    }
  }
  if (missing.empty()) {
    out.push_back({"instructions", Verdict::good, "all on " + hw::to_string(kernel.arch), ""});
  }
  for (const std::string& m : missing) {
    out.push_back({"instructions", Verdict::bad, m + ", the kernel is for " + hw::to_string(kernel.arch), ""});
  }
}

bool check_vectors(const Kernel& kernel, Properties& out) {
  const std::vector<Refusal> all = refusals(kernel);
  for (const Refusal& r : all) {
    out.push_back({"vectors", Verdict::bad, r.message, r.hint});
  }
  if (all.empty()) {
    out.push_back({"vectors", Verdict::good, "the values of every copy lie together", ""});
  }
  return all.empty();
}

void check_alignment(const std::vector<SiteCost>& sites, Properties& out) {
  const std::size_t before = out.size();
  for (const SiteCost& s : sites) {
    if (s.alignment < s.width) {
      out.push_back({"alignment", Verdict::bad,
                     s.site + ", " + s.memory + ": accesses of " + to_string(s.width) +
                         " bytes, known to be at multiples of " + to_string(s.alignment) + "; the limit is " +
                         s.limited_by,
                     s.memory == "global"
                         ? "if a symbol always is a multiple, say so: K{div=8}; else choose a "
                           "narrower instruction"
                         : "choose strides and an offset of whole multiples of " + to_string(s.width) + " bytes"});
    }
  }
  if (out.size() == before) {
    out.push_back({"alignment", Verdict::good, "every access at a multiple of its width", ""});
  }
}

void check_conflicts(const std::vector<SiteCost>& sites, const CheckOptions& options, Properties& out) {
  if (!options.max_conflicts) {
    return;
  }
  const std::size_t before = out.size();
  for (const SiteCost& s : sites) {
    if (s.shared && s.shared->worst.exact && s.shared->worst.high - s.shared->worst.ideal > *options.max_conflicts) {
      out.push_back({"conflicts", Verdict::bad,
                     s.site + ", " + s.memory + ": " + to_string(s.shared->worst.high) + " wavefronts, " +
                         to_string(s.shared->worst.ideal) + " without conflicts",
                     ""});
    }
  }
  if (out.size() == before) {
    out.push_back({"conflicts", Verdict::good,
                   "at most " + to_string(*options.max_conflicts) + " wavefronts more than without conflicts", ""});
  }
}

// --- Who does what -----------------------------------------------------------------------------------------------

void check_threads(const Kernel& kernel, const hw::Limits& limits, Properties& out) {
  const std::int64_t threads = kernel.threads();
  out.push_back({"threads", threads <= limits.threads_per_cta ? Verdict::good : Verdict::bad,
                 to_string(threads) + " of at most " + to_string(limits.threads_per_cta), ""});
  const std::pair<const char*, const std::optional<TiledCopy>*> copies[] = {
      {"g2s.A", &kernel.path(Operand::a).fill},
      {"g2s.B", &kernel.path(Operand::b).fill},
      {"epilogue.s2g", &kernel.path(Operand::c).drain}};
  for (const auto& [name, copy] : copies) {
    if (*copy && (*copy)->threads().value != threads) {
      out.push_back({"threads", Verdict::bad,
                     std::string(name) + " is shared by " + to_string((*copy)->threads().value) +
                         " threads, the tiled MMA has " + to_string(threads),
                     "choose a thr layout of " + to_string(threads) + " threads"});
    }
  }
}

void check_once(const TileTable& table, const std::string& what, std::int64_t rows, Properties& out) {
  const std::vector<int> counts = table.occurrences();
  const auto wrong = std::ranges::find_if(counts, [](int n) { return n != 1; });
  if (wrong == counts.end()) {
    out.push_back({"coverage", Verdict::good, what + ": each element once", ""});
    return;
  }
  const std::int64_t at = wrong - counts.begin();
  const auto bad = std::ranges::count_if(counts, [](int n) { return n != 1; });
  out.push_back({"coverage", Verdict::bad,
                 what + ": " + to_string(bad) + " elements not once; the first is (" + to_string(at % rows) + "," +
                     to_string(at / rows) + "), " + to_string(*wrong) + " times",
                 "make thr and val cover the tile without holes and overlaps"});
}

void check_coverage(const Kernel& kernel, Properties& out) {
  for (const OperandPath& p : kernel.operands) {
    const bool output = p.operand == Operand::c;
    const std::string x(1, letter(p.operand));
    if (p.fill && !output) {
      check_once(TileTable(*p.fill, End::destination, p.rows, p.columns), x + " into shared memory", p.rows, out);
    }
    if (output) {
      check_once(TileTable(kernel.mma, p.operand, p.rows, p.columns), "D in registers", p.rows, out);
      if (p.drain) {
        const std::int64_t rows = mode_size(*p.shared, 0);
        const std::int64_t columns = mode_size(*p.shared, 1) * mode_size(*p.shared, 2);
        check_once(TileTable(*p.drain, End::destination, rows, columns), "a slab of D into global memory", rows, out);
      }
    }
  }
}

// --- Shared memory -----------------------------------------------------------------------------------------------

// No two elements of A and B, in any stage, share a byte.
void check_overlap(const Kernel& kernel, Properties& out) {
  std::vector<char> owner(static_cast<std::size_t>(kernel.shared_bytes), 0);
  bool any = false;
  for (const Operand o : {Operand::a, Operand::b}) {
    const OperandPath& p = kernel.path(o);
    if (!p.shared) {
      continue;
    }
    any = true;
    const std::int64_t count = p.elements() * mode_size(*p.shared, 2);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t bit = 8 * p.shared_at + std::visit([&](const auto& l) { return l(i); }, *p.shared) * p.bits;
      char& byte = owner.at(static_cast<std::size_t>(bit / 8));
      if (byte != 0 && p.bits >= 8) {
        out.push_back({"overlap", Verdict::bad,
                       std::string("shared byte ") + to_string(bit / 8) + " belongs to " + byte + " and to " +
                           letter(o) + (byte == letter(o) ? " again" : ""),
                       "give the layouts distinct offsets, or smem.at"});
        return;
      }
      byte = letter(o);
    }
  }
  if (any) {
    out.push_back({"overlap", Verdict::good, "no two elements of A and B share a byte of shared memory", ""});
  }
}

void check_epilogue(const Kernel& kernel, Properties& out) {
  const OperandPath& c = kernel.path(Operand::c);
  if (!c.shared) {
    return;
  }
  std::int64_t stage = 0;
  for (const Operand o : {Operand::a, Operand::b}) {
    const OperandPath& p = kernel.path(o);
    stage += p.shared ? p.elements() * p.bits / 8 : 0;
  }
  const std::int64_t bytes = cosize(domain(*c.shared)).value * c.bits / 8;
  const bool fits = stage == 0 || bytes <= stage;
  out.push_back({"epilogue", fits ? Verdict::good : Verdict::bad,
                 "C's " + to_string(bytes) + " bytes in shared memory, one stage of A and B has " + to_string(stage),
                 fits ? "" : "write C in smaller parts"});
}

// --- Occupancy ---------------------------------------------------------------------------------------------------

std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

void check_occupancy(const Kernel& kernel, const CheckOptions& options, const hw::Limits& limits, Properties& out) {
  const std::int64_t shared = kernel.shared_bytes;
  out.push_back({"shared memory", shared <= limits.shared_bytes_per_cta ? Verdict::good : Verdict::bad,
                 to_string(shared) + " bytes of at most " + to_string(limits.shared_bytes_per_cta),
                 shared <= limits.shared_bytes_per_cta ? "" : "fewer stages or a smaller tile"});
  std::int64_t fragments = 0;
  for (const OperandPath& p : kernel.operands) {
    fragments += registers_of(p.fragment, hw::bits(kernel.mma.operand(p.operand).type));
  }
  // The accumulators live all the time; of A and B a compiler keeps one or two k-blocks.
  const OperandPath& c = kernel.path(Operand::c);
  const std::int64_t sums = registers_of(c.fragment, hw::bits(kernel.mma.operand(Operand::c).type));
  const std::int64_t k_blocks = mode_size(layout::AnyLayout(kernel.path(Operand::a).fragment), 2);
  const std::int64_t estimate = sums + (fragments - sums) * std::min<std::int64_t>(2, k_blocks) / k_blocks + 32;
  const std::int64_t registers = options.registers.value_or(static_cast<int>(estimate));
  const bool few = registers <= limits.registers_per_thread;
  out.push_back({"registers",
                 few                 ? Verdict::good
                 : options.registers ? Verdict::bad
                                     : Verdict::note,
                 to_string(registers) + " a thread " +
                     (options.registers ? "(ptxas)" : "(estimate: sums, two k-blocks of A and B, 32 more)") +
                     " of at most " + to_string(limits.registers_per_thread),
                 few ? "" : "a smaller tile, or more threads"});
  const std::int64_t warps = (kernel.threads() + 31) / 32;
  const std::int64_t of_warp =
      round_up(std::min<std::int64_t>(registers, limits.registers_per_thread) * 32, limits.register_allocation_unit);
  const std::int64_t of_cta = round_up(shared + limits.reserved_shared_bytes_per_cta, limits.shared_allocation_unit);
  const std::int64_t by_registers = limits.registers_per_sm / (of_warp * warps);
  const std::int64_t by_shared = limits.shared_bytes_per_sm / of_cta;
  const std::int64_t by_threads = std::min(limits.threads_per_sm / kernel.threads(), limits.warps_per_sm / warps);
  const std::int64_t ctas =
      std::min({by_registers, by_shared, by_threads, static_cast<std::int64_t>(limits.ctas_per_sm)});
  const std::string limit = ctas == by_shared      ? "shared memory"
                            : ctas == by_registers ? "registers"
                            : ctas == by_threads   ? "threads"
                                                   : "CTAs";
  out.push_back({"occupancy", ctas > 0 ? Verdict::note : Verdict::bad,
                 to_string(ctas) + (ctas == 1 ? " CTA, " : " CTAs, ") + to_string(ctas * warps) +
                     " warps an SM, limited by " + limit,
                 ""});
}

}  // namespace

bool CheckReport::ok() const {
  return std::ranges::none_of(properties, [](const Property& p) { return p.verdict == Verdict::bad; });
}

CheckReport check_kernel(const Kernel& kernel, const CheckOptions& options) {
  const hw::Limits limits = hw::limits(kernel.arch);
  CheckReport report;
  Properties& out = report.properties;
  check_arch(kernel, out);
  if (check_vectors(kernel, out)) {
    report.sites = access_sites(kernel);  // an instruction whose values lie apart has no one address
    check_alignment(report.sites, out);
    check_conflicts(report.sites, options, out);
  }
  check_threads(kernel, limits, out);
  check_coverage(kernel, out);
  check_overlap(kernel, out);
  check_epilogue(kernel, out);
  check_occupancy(kernel, options, limits, out);
  return report;
}

}  // namespace tileloom::trace
