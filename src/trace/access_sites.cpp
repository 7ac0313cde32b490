// SPDX-License-Identifier: Apache-2.0
#include "trace/access_sites.hpp"

#include <numeric>

#include "trace/copy_ends.hpp"
#include "trace/steps.hpp"

namespace tileloom::trace {

namespace {

constexpr std::int64_t widest = 16;  // bytes a lane moves at most

// --- Alignment ---------------------------------------------------------------------------------------------------

// The tile of a matrix: its sizes known, its strides perhaps not.
layout::SymbolicLayout tile_of(const OperandPath& path) {
  const layout::SymbolicLayout& l = *path.matrix_symbols;
  if (l.shape.symbols().size() != 2) {
    return l;
  }
  const layout::Tree shape =
      layout::Tree::tuple({layout::Int::make_static(path.rows), layout::Int::make_static(path.columns)});
  return {layout::SymbolicTree(shape, {{}, {}}), l.stride};
}

// The stride of which least is known: its symbol, or its number.
std::string limiting_stride(const layout::SymbolicLayout& l) {
  const std::vector<std::int64_t> divisors = divisibility(l).stride;
  std::string name = "strides none of which is _1";
  std::int64_t least = INT64_MAX;
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    const std::string& symbol = l.stride.symbols()[i].name;
    if ((!symbol.empty() || divisors[i] != 1) && divisors[i] < least) {
      least = divisors[i];
      name = symbol.empty() ? "a stride of " + std::to_string(divisors[i]) : symbol;
    }
  }
  return name;
}

void align_global(SiteCost& site, const OperandPath& path) {
  const layout::SymbolicLayout tile = tile_of(path);
  const std::int64_t bytes = max_alignment(tile) * path.bits / 8;
  site.alignment = static_cast<int>(std::gcd(bytes, widest));
  site.limited_by = site.alignment < site.width ? limiting_stride(tile) : "";
}

// --- Sites -------------------------------------------------------------------------------------------------------

SiteCost shared_site(const OperandPath& path, Step step, const TiledCopy& copy, const SharedEnd& end) {
  SiteCost s{step_name(path, step), "shared", copy.atom().name, end.width, 0, {}, {}, {}};
  const std::vector<std::int64_t> bytes = shared_bytes(path);
  s.alignment = alignment_of(end.lanes, bytes);
  s.limited_by = s.alignment < s.width ? "the layout in shared memory" : "";
  if (s.alignment >= s.width && end.has_cost()) {
    s.shared = shared_cost(end, bytes);
  }
  return s;
}

SiteCost global_site(const OperandPath& path, const std::string& name, const std::string& atom, const GlobalEnd& end,
                     const std::optional<SharedEnd>& write = {}) {
  SiteCost s{name, "global", atom, end.width, 0, {}, {}, {}};
  align_global(s, path);
  if (s.alignment >= s.width) {
    s.global = write ? global_cost(end, &*write, shared_bytes(path)) : global_cost(end);
  }
  return s;
}

void add_global(std::vector<SiteCost>& sites, const OperandPath& path, Step step, const TiledCopy& copy, End end) {
  if (path.global) {
    sites.push_back(global_site(path, step_name(path, step), copy.atom().name, global_end(path, copy, end),
                                end == End::source ? write_end(path) : std::nullopt));
  }
}

// Without shared memory: each value by an access of its own.
SiteCost direct_site(const Kernel& kernel, const OperandPath& path) {
  const GlobalEnd end{LaneElements(TileTable(kernel.mma, path.operand, path.rows, path.columns), 1, path.rows),
                      element_bytes(*path.global, 0, path.bits, path.rows, path.columns), path.bits / 8};
  const std::string name = std::string(1, letter(path.operand)) +
                           (path.operand == Operand::c ? ": registers -> global" : ": global -> registers");
  return global_site(path, name, "", end);
}

}  // namespace

// In the order of the data: C leaves, A and B come.
std::vector<SiteCost> access_sites(const Kernel& kernel) {
  std::vector<SiteCost> sites;
  for (const OperandPath& p : kernel.operands) {
    const bool output = p.operand == Operand::c;
    if (p.fill && !output) {
      add_global(sites, p, Step::fill, *p.fill, End::source);
    }
    if (const auto write = write_end(p)) {
      sites.push_back(shared_site(p, Step::fill, *p.fill, *write));
    }
    if (const auto read = read_end(p)) {
      sites.push_back(shared_site(p, Step::drain, *p.drain, *read));
    }
    if (p.drain && output) {
      add_global(sites, p, Step::drain, *p.drain, End::destination);
    }
    if (!p.shared && !p.drain && p.global) {
      sites.push_back(direct_site(kernel, p));
    }
  }
  return sites;
}

}  // namespace tileloom::trace
