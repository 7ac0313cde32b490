// SPDX-License-Identifier: Apache-2.0
#include "trace/copy_ends.hpp"

#include <algorithm>
#include <numeric>

namespace tileloom::trace {

using hw::CopyKind;
using hw::SharedOp;
using layout::AnyLayout;
using layout::LayoutRef;

namespace {

constexpr std::int64_t widest = 16;  // bytes a lane moves at most

int values_at_once(const TiledCopy& copy, End end) {
  return static_cast<int>(size(LayoutRef(end == End::source ? copy.atom_source() : copy.atom_destination())[1]).value);
}

std::pair<SharedOp, int> kind_of(const TiledCopy& copy, End shared_end, int width) {
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

std::optional<SharedEnd> shared_end(const OperandPath& path, const std::optional<TiledCopy>& copy, End end) {
  if (!copy || !path.shared) {
    return std::nullopt;
  }
  const Extent extent = copied_extent(path);
  const int at_once = values_at_once(*copy, end);
  SharedEnd result{
      LaneElements(TileTable(*copy, end, extent.rows, extent.columns), at_once, extent.rows), {}, 0, 0, {}};
  result.width = at_once * path.bits / 8;
  std::tie(result.op, result.size) = kind_of(*copy, end, result.width);
  if (result.is_async() && path.global) {
    result.source = global_end(path, *copy, End::source);
  }
  return result;
}

template <class Address>
std::array<Address, warp_size> addresses(const LaneElements::Lanes& lanes, std::span<const std::int64_t> bytes) {
  std::array<Address, warp_size> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((lanes.active >> i & 1U) != 0) {
      all[i] = static_cast<Address>(bytes[static_cast<std::size_t>(lanes.element[i])]);
    }
  }
  return all;
}

}  // namespace

LaneElements::LaneElements(const TileTable& table, int values_at_once, std::int64_t rows) {
  for (int first = 0; first < table.threads(); first += warp_size) {
    for (int value = 0; value + values_at_once <= table.values(); value += values_at_once) {
      Lanes l;
      for (int lane = 0; lane < warp_size && first + lane < table.threads(); ++lane) {
        const hw::MatrixPosition p = table.at(first + lane, value);
        l.element.at(static_cast<std::size_t>(lane)) = static_cast<std::int32_t>(p.row + rows * p.column);
        l.active |= std::uint32_t{1} << lane;
      }
      instructions_.push_back(l);
    }
  }
}

std::vector<std::int64_t> element_bytes(const AnyLayout& tensor, std::int64_t base, int bits, std::int64_t rows,
                                        std::int64_t columns) {
  const std::int64_t pitch = mode_size(tensor, 0);
  std::vector<std::int64_t> bytes;
  bytes.reserve(static_cast<std::size_t>(rows * columns));
  std::visit(
      [&](const auto& l) {
        for (std::int64_t column = 0; column < columns; ++column) {
          for (std::int64_t row = 0; row < rows; ++row) {
            bytes.push_back(base + l(row + pitch * column) * bits / 8);
          }
        }
      },
      tensor);
  return bytes;
}

Extent copied_extent(const OperandPath& path) {
  const bool slab = path.operand == Operand::c && path.shared.has_value();
  // A slab of the epilogue has fewer columns than a third mode makes of it.
  return slab ? Extent{mode_size(*path.shared, 0), mode_size(*path.shared, 1) * mode_size(*path.shared, 2)}
              : Extent{path.rows, path.columns};
}

std::vector<std::int64_t> shared_bytes(const OperandPath& path) {
  const Extent extent = copied_extent(path);
  return element_bytes(*path.shared, path.shared_at, path.bits, extent.rows, extent.columns);
}

std::optional<SharedEnd> write_end(const OperandPath& path) {
  return shared_end(path, path.fill, End::destination);
}

std::optional<SharedEnd> read_end(const OperandPath& path) {
  return shared_end(path, path.drain, End::source);
}

GlobalEnd global_end(const OperandPath& path, const TiledCopy& copy, End end) {
  const Extent extent = copied_extent(path);
  const int at_once = values_at_once(copy, end);
  return {LaneElements(TileTable(copy, end, extent.rows, extent.columns), at_once, extent.rows),
          element_bytes(*path.global, 0, path.bits, extent.rows, extent.columns), at_once * path.bits / 8};
}

SharedCost shared_cost(const SharedEnd& end, std::span<const std::int64_t> bytes) {
  SharedCost cost;
  const auto all = end.lanes.instructions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto shared = addresses<std::uint32_t>(all[i], bytes);
    hw::SharedAccess access{end.op, end.size, shared, {}, all[i].active};
    std::array<std::uint64_t, warp_size> global{};
    if (end.source) {
      global = addresses<std::uint64_t>(end.source->lanes.instructions()[i], end.source->bytes);
      access.global = global;
    }
    const hw::Wavefronts w = hw::shared_wavefronts(access);
    cost.worst = cost.instructions == 0 || w.high > cost.worst.high ? w : cost.worst;
    cost.low += w.low;
    cost.high += w.high;
    cost.ideal += w.ideal;
    ++cost.instructions;
  }
  return cost;
}

GlobalCost global_cost(const GlobalEnd& end, const SharedEnd* write, std::span<const std::int64_t> shared) {
  GlobalCost cost;
  const auto all = end.lanes.instructions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = addresses<std::uint64_t>(all[i], end.bytes);
    hw::GlobalTraffic t = hw::global_traffic({end.width, at, all[i].active});
    if (write != nullptr && write->op == hw::SharedOp::cp_async_cg) {
      const auto to = addresses<std::uint32_t>(write->lanes.instructions()[i], shared);
      t.sectors = hw::bypass_sectors({write->op, write->size, to, at, all[i].active});
    }
    cost.worst = cost.requests == 0 || t.sectors > cost.worst.sectors ? t : cost.worst;
    cost.requests += t.requests;
    cost.sectors += t.sectors;
    cost.ideal_sectors += t.ideal_sectors;
  }
  return cost;
}

int alignment_of(const LaneElements& lanes, std::span<const std::int64_t> bytes) {
  std::int64_t common = widest;
  for (const LaneElements::Lanes& l : lanes.instructions()) {
    for (std::size_t i = 0; i < warp_size; ++i) {
      common = (l.active >> i & 1U) != 0 ? std::gcd(common, bytes[static_cast<std::size_t>(l.element[i])]) : common;
    }
  }
  return static_cast<int>(common);
}

}  // namespace tileloom::trace
