// SPDX-License-Identifier: Apache-2.0
#include "trace/access_sites.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "tileloom/trace/tile_table.hpp"
#include "trace/steps.hpp"

namespace tileloom::trace {

using hw::CopyKind;
using hw::SharedOp;
using layout::AnyLayout;
using layout::LayoutRef;

namespace {

constexpr int warp_size = 32;
constexpr int widest = 16;  // bytes a lane moves at most

// What a warp does at one end: the first byte of each lane, instruction after instruction.
struct Lanes {
  std::array<std::uint64_t, warp_size> address{};
  std::uint32_t active = 0;
};

// Addresses of one end of a copy, of a tensor whose first element is at byte `base`.
class EndAddresses {
 public:
  EndAddresses(TileTable table, int values_at_once, const AnyLayout& tensor, std::int64_t base, int bits)
      : table_(std::move(table)), at_once_(values_at_once), tensor_(&tensor), base_(base), bits_(bits) {}

  [[nodiscard]] int warps() const { return (table_.threads() + warp_size - 1) / warp_size; }
  [[nodiscard]] int instructions() const { return table_.values() / at_once_; }
  [[nodiscard]] int width() const { return at_once_ * bits_ / 8; }
  [[nodiscard]] Lanes lanes(int warp, int instruction) const {
    Lanes l;
    for (int lane = 0; lane < warp_size && warp * warp_size + lane < table_.threads(); ++lane) {
      const hw::MatrixPosition p = table_.at(warp * warp_size + lane, instruction * at_once_);
      const std::int64_t rows = mode_size(*tensor_, 0);
      // A slab of the epilogue has fewer columns than a third mode makes of it.
      const std::int64_t columns = mode_size(*tensor_, 1);
      l.address.at(static_cast<std::size_t>(lane)) = static_cast<std::uint64_t>(
          base_ + offset_at(*tensor_, p.row % rows, p.column % columns, p.column / columns) * bits_ / 8);
      l.active |= std::uint32_t{1} << lane;
    }
    return l;
  }

 private:
  TileTable table_;
  int at_once_;
  const AnyLayout* tensor_;
  std::int64_t base_;
  int bits_;
};

int at_once(const TiledCopy& copy, End end) {
  return static_cast<int>(size(LayoutRef(end == End::source ? copy.atom_source() : copy.atom_destination())[1]).value);
}

// --- Costs -------------------------------------------------------------------------------------------------------

struct SharedKind {
  SharedOp op;
  int size;  // as hw::SharedAccess has it
};

SharedKind kind_of(const TiledCopy& copy, End shared_end, int width) {
  const hw::CopyAtom& atom = copy.atom();
  switch (atom.kind) {
    case CopyKind::cp_async:
      return {atom.name.find("CACHEGLOBAL") != std::string::npos ? SharedOp::cp_async_cg : SharedOp::cp_async_ca,
              width};
    case CopyKind::ldmatrix:
    case CopyKind::stmatrix: {
      const auto bits = cosize(atom.reference_bits).value;
      return {atom.kind == CopyKind::ldmatrix ? SharedOp::ldmatrix : SharedOp::stmatrix, static_cast<int>(bits / 1024)};
    }
    case CopyKind::universal:
    case CopyKind::automatic:
      break;
  }
  return {shared_end == End::source ? SharedOp::load : SharedOp::store, width};
}

SharedCost shared_cost(const EndAddresses& shared, const EndAddresses* global, SharedKind kind) {
  SharedCost cost;
  for (int warp = 0; warp < shared.warps(); ++warp) {
    for (int i = 0; i < shared.instructions(); ++i) {
      const Lanes at = shared.lanes(warp, i);
      std::array<std::uint32_t, warp_size> address{};
      std::ranges::transform(at.address, address.begin(),
                             [](std::uint64_t a) { return static_cast<std::uint32_t>(a); });
      const Lanes from = global != nullptr ? global->lanes(warp, i) : Lanes{};
      hw::SharedAccess access{kind.op, kind.size, address, {}, at.active};
      if (global != nullptr) {
        access.global = from.address;
      }
      const hw::Wavefronts w = hw::shared_wavefronts(access);
      cost.worst = cost.instructions == 0 || w.high > cost.worst.high ? w : cost.worst;
      cost.low += w.low;
      cost.high += w.high;
      cost.ideal += w.ideal;
      ++cost.instructions;
    }
  }
  return cost;
}

GlobalCost global_cost(const EndAddresses& global) {
  GlobalCost cost;
  for (int warp = 0; warp < global.warps(); ++warp) {
    for (int i = 0; i < global.instructions(); ++i) {
      const Lanes at = global.lanes(warp, i);
      const hw::GlobalTraffic t = hw::global_traffic({global.width(), at.address, at.active});
      cost.worst = cost.requests == 0 || t.sectors > cost.worst.sectors ? t : cost.worst;
      cost.requests += t.requests;
      cost.sectors += t.sectors;
      cost.ideal_sectors += t.ideal_sectors;
    }
  }
  return cost;
}

// --- Alignment ---------------------------------------------------------------------------------------------------

int shared_alignment(const EndAddresses& shared) {
  std::uint64_t common = widest;
  for (int warp = 0; warp < shared.warps(); ++warp) {
    for (int i = 0; i < shared.instructions(); ++i) {
      for (const std::uint64_t a : shared.lanes(warp, i).address) {
        common = std::gcd(common, a);
      }
    }
  }
  return static_cast<int>(common);
}

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
  site.alignment = static_cast<int>(std::gcd(bytes, std::int64_t{widest}));
  site.limited_by = site.alignment < site.width ? limiting_stride(tile) : "";
}

void align_shared(SiteCost& site, const EndAddresses& shared) {
  site.alignment = shared_alignment(shared);
  site.limited_by = site.alignment < site.width ? "the layout in shared memory" : "";
}

// --- Sites -------------------------------------------------------------------------------------------------------

SiteCost shared_site(const OperandPath& path, Step step, const TiledCopy& copy, End end, const EndAddresses& shared,
                     const EndAddresses* global) {
  SiteCost s{step_name(path, step), "shared", copy.atom().name, shared.width(), 0, {}, {}, {}};
  align_shared(s, shared);
  const bool async = copy.atom().kind == CopyKind::cp_async;
  if (s.alignment >= s.width && (!async || global != nullptr)) {
    s.shared = shared_cost(shared, async ? global : nullptr, kind_of(copy, end, shared.width()));
  }
  return s;
}

SiteCost global_site(const OperandPath& path, Step step, const std::string& atom, const EndAddresses& global) {
  SiteCost s{step_name(path, step), "global", atom, global.width(), 0, {}, {}, {}};
  align_global(s, path);
  if (s.alignment >= s.width) {
    s.global = global_cost(global);
  }
  return s;
}

// Sites of one copy between global and shared memory, in the order of the data. `columns`: of what one round covers.
void between_memories(std::vector<SiteCost>& sites, const OperandPath& path, Step step, const TiledCopy& copy,
                      std::int64_t rows, std::int64_t columns) {
  const bool load = step == Step::fill;
  const End shared_end = load ? End::destination : End::source;
  const End global_end = load ? End::source : End::destination;
  const EndAddresses shared(TileTable(copy, shared_end, rows, columns), at_once(copy, shared_end), *path.shared,
                            path.shared_at, path.bits);
  if (!path.global) {
    sites.push_back(shared_site(path, step, copy, shared_end, shared, nullptr));
    return;
  }
  const EndAddresses global(TileTable(copy, global_end, rows, columns), at_once(copy, global_end), *path.global, 0,
                            path.bits);
  SiteCost of_shared = shared_site(path, step, copy, shared_end, shared, &global);
  SiteCost of_global = global_site(path, step, copy.atom().name, global);
  sites.push_back(load ? of_global : of_shared);
  sites.push_back(load ? std::move(of_shared) : std::move(of_global));
}

void with_registers(std::vector<SiteCost>& sites, const OperandPath& path, Step step, const TiledCopy& copy,
                    std::int64_t rows, std::int64_t columns) {
  const End end = step == Step::drain ? End::source : End::destination;
  const EndAddresses shared(TileTable(copy, end, rows, columns), at_once(copy, end), *path.shared, path.shared_at,
                            path.bits);
  sites.push_back(shared_site(path, step, copy, end, shared, nullptr));
}

// Without shared memory: each value by an access of its own.
void directly(std::vector<SiteCost>& sites, const Kernel& kernel, const OperandPath& path) {
  const EndAddresses global(TileTable(kernel.mma, path.operand, path.rows, path.columns), 1, *path.global, 0,
                            path.bits);
  SiteCost s = global_site(path, Step::drain, "", global);
  s.site = std::string(1, letter(path.operand)) +
           (path.operand == Operand::c ? ": registers -> global" : ": global -> registers");
  sites.push_back(std::move(s));
}

}  // namespace

std::vector<SiteCost> access_sites(const Kernel& kernel) {
  std::vector<SiteCost> sites;
  for (const OperandPath& p : kernel.operands) {
    const bool output = p.operand == Operand::c;
    const std::int64_t rows = output && p.shared ? mode_size(*p.shared, 0) : p.rows;
    const std::int64_t columns = output && p.shared ? mode_size(*p.shared, 1) * mode_size(*p.shared, 2) : p.columns;
    if (p.fill) {
      output ? with_registers(sites, p, Step::fill, *p.fill, rows, columns)
             : between_memories(sites, p, Step::fill, *p.fill, rows, columns);
    }
    if (p.drain) {
      output ? between_memories(sites, p, Step::drain, *p.drain, rows, columns)
             : with_registers(sites, p, Step::drain, *p.drain, rows, columns);
    }
    if (!p.shared && p.global) {
      directly(sites, kernel, p);
    }
  }
  return sites;
}

}  // namespace tileloom::trace
