// SPDX-License-Identifier: Apache-2.0
#include "emu/isa/access.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>

namespace tileloom::emu {
namespace {

using ptx::Space;

std::string_view verb(AccessKind kind) {
  return kind == AccessKind::read ? "reads" : kind == AccessKind::write ? "writes" : "updates";
}

// Holds the region of a lane's own local memory, when it is that.
using LocalRegion = std::optional<Region>;

const Region* local_region_of(Warp& w, unsigned lane, LocalRegion& local) {
  local = {w.local[lane].data(), 0, w.local_top[lane], true, "local memory"};
  return &*local;
}

// The region of an address, and the address within the space that the region counts in.
const Region* region_for(Warp& w, unsigned lane, Space space, std::uint64_t& address, LocalRegion& local) {
  const Cta& cta = *w.cta;
  switch (space) {
    case Space::shared:
      return &cta.shared;
    case Space::param:
      return &cta.param;
    case Space::local:
      return local_region_of(w, lane, local);
    default:
      break;
  }
  const std::uint64_t region = region_of(address);
  if (space == Space::generic && region <= param_region && region != 0) {
    address -= region_base(region);
    if (region == shared_region) return &cta.shared;
    return region == param_region ? &cta.param : local_region_of(w, lane, local);
  }
  return cta.find(address);
}

bool inside(const Region& region, std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t at = address - region.base;
  return at <= region.size && region.size - at >= bytes;
}

[[noreturn]] void fail_bounds(const Warp& w, unsigned lane, const LaneAccess& access, const Region* region) {
  if (region == nullptr) {
    w.fail("out of bounds",
           fmt::format("{} {} bytes at {:#x}, which is in no buffer", verb(access.kind), access.bytes, access.address),
           lane);
  }
  const auto at = static_cast<std::int64_t>(access.address - region->base);
  w.fail("out of bounds",
         fmt::format("{} bytes {}..{} of {} ({} bytes)", verb(access.kind), at, at + access.bytes - 1, region->label,
                     region->size),
         lane);
}

std::byte* check(Warp& w, unsigned lane, const LaneAccess& original, LaneAccess access, const Region* region) {
  if (region == nullptr) fail_bounds(w, lane, original, nullptr);
  if (!inside(*region, access.address, access.bytes)) fail_bounds(w, lane, access, region);
  if ((access.address & (access.align - 1)) != 0) {
    w.fail("misaligned",
           fmt::format("{} {} bytes at byte {} of {}, address {:#x}, which is no multiple of {}", verb(access.kind),
                       access.bytes, access.address - region->base, region->label, original.address, access.align),
           lane);
  }
  if (access.kind != AccessKind::read && !region->writable) {
    const std::uint64_t at = access.address - region->base;
    w.fail("read-only",
           fmt::format("{} bytes {}..{} of {}, which is read-only", verb(access.kind), at, at + access.bytes - 1,
                       region->label),
           lane);
  }
  return region->data + (access.address - region->base);
}

// The region that all executing lanes most likely share.
const Region* common_region(Warp& w, Space space, std::uint64_t first, std::uint64_t& origin) {
  origin = 0;
  switch (space) {
    case Space::shared:
      return &w.cta->shared;
    case Space::param:
      return &w.cta->param;
    case Space::local:
      return nullptr;
    default:
      break;
  }
  if (space == Space::generic && region_of(first) == shared_region) {
    origin = region_base(shared_region);
    return &w.cta->shared;
  }
  return region_of(first) >= first_buffer_region ? w.cta->find(first) : nullptr;
}

// All lanes at once; false when one of them needs the slow path.
[[gnu::always_inline]] inline bool all_inside(const std::uint64_t* at, std::uint32_t exec, std::uint64_t base,
                                              std::uint64_t last, std::uint64_t align_mask) {
  std::uint64_t bad = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const std::uint64_t wrong = (at[i] - base > last ? 1U : 0U) | (at[i] & align_mask);
    bad |= (exec >> i & 1) != 0 ? wrong : 0;
  }
  return bad == 0;
}

}  // namespace

const Region* find_region(const LaunchState& launch, std::uint64_t address) {
  const std::uint64_t region = region_of(address);
  if (region >= first_variable_region) {
    const std::uint64_t v = region - first_variable_region;
    return v < launch.variables.size() && launch.variables[v].data != nullptr ? &launch.variables[v] : nullptr;
  }
  const std::uint64_t b = region - first_buffer_region;
  return b < launch.buffers.size() ? &launch.buffers[b] : nullptr;
}

void lane_addresses(const Warp& w, Slot base, bool narrow, std::int64_t offset, std::uint64_t* made) {
  const auto added = static_cast<std::uint64_t>(offset);
  if (narrow) {
    const auto* from = w.reg<std::uint32_t>(base);
    for (unsigned i = 0; i < lanes; ++i)
      made[i] = static_cast<std::uint32_t>(from[i] + static_cast<std::uint32_t>(added));
  } else {
    const auto* from = w.reg<std::uint64_t>(base);
    for (unsigned i = 0; i < lanes; ++i) made[i] = from[i] + added;
  }
}

std::byte* locate_lane(Warp& w, unsigned lane, const LaneAccess& access) {
  LaneAccess within = access;
  LocalRegion local;
  const Region* region = region_for(w, lane, access.space, within.address, local);
  return check(w, lane, access, within, region);
}

void locate(Warp& w, const LanesAccess& access, HostPointers& host) {
  const std::uint64_t* at = access.addresses;
  std::uint64_t origin = 0;
  const Region* region = common_region(w, access.space, at[std::countr_zero(access.lanes)], origin);
  const std::uint32_t bytes = access.bytes;
  if (region != nullptr && (access.kind == AccessKind::read || region->writable) && region->size >= bytes) {
    const std::uint64_t base = region->base + origin;
    if (all_inside(at, access.lanes, base, region->size - bytes, bytes - 1U)) {
      for (unsigned i = 0; i < lanes; ++i) {
        host.at[i] = region->data + ((access.lanes >> i & 1) != 0 ? at[i] - base : 0);
      }
      return;
    }
  }
  for_lanes(access.lanes, [&](unsigned lane) {
    host.at[lane] = locate_lane(w, lane, {access.space, access.kind, at[lane], bytes, bytes});
  });
}

void locate(Warp& w, const Op& op, AccessKind kind, HostPointers& host) {
  alignas(64) std::array<std::uint64_t, lanes> at;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  locate(w, {op.space, kind, op.bytes, w.exec, at.data()}, host);
}

}  // namespace tileloom::emu
