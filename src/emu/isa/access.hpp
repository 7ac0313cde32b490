// SPDX-License-Identifier: Apache-2.0
// From the lanes' addresses to host memory, with every check on the way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emu/machine/cta.hpp"

namespace tileloom::emu {

enum class AccessKind : std::uint8_t { read, write, update };

struct HostPointers {
  std::array<std::byte*, lanes> at;
};

// Where one lane's access goes. `bytes` is a power of two, or 0 for no access at all.
struct LaneAccess {
  ptx::Space space;
  AccessKind kind;
  std::uint64_t address;
  std::uint32_t bytes;
  std::uint32_t align;
};

// The addresses op.a + op.imm of all lanes.
void lane_addresses(const Warp& w, Slot base, bool narrow, std::int64_t offset, std::uint64_t* made);

// Accesses of several lanes of one width, at their natural alignment.
struct LanesAccess {
  ptx::Space space;
  AccessKind kind;
  std::uint32_t bytes;
  std::uint32_t lanes;             // mask, not empty
  const std::uint64_t* addresses;  // of all 32 lanes
};

// Fills in the lanes of the mask; an op's executing lanes. Throws Error(check_failed) for an access that is out of
// bounds, misaligned, or a write to read-only memory.
void locate(Warp& w, const LanesAccess& access, HostPointers& host);
void locate(Warp& w, const Op& op, AccessKind kind, HostPointers& host);
[[nodiscard]] std::byte* locate_lane(Warp& w, unsigned lane, const LaneAccess& access);

}  // namespace tileloom::emu
