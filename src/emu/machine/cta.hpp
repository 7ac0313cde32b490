// SPDX-License-Identifier: Apache-2.0
// One CTA and what its launch shares.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/machine/address.hpp"
#include "emu/machine/warp.hpp"
#include "tileloom/emu/emulator.hpp"
#include "tileloom/hw/mma_numerics.hpp"

namespace tileloom::emu {

struct Program;

// Read-only for the CTAs, which run on several host threads.
struct LaunchState {
  const Program* program = nullptr;
  std::uint32_t entry = 0;  // function
  LaunchOptions options;
  std::vector<std::byte> constants;  // with this launch's addresses filled in
  std::vector<std::byte> parameters;
  std::vector<std::vector<std::byte>> variable_bytes;
  std::vector<Region> variables;  // by variable; size 0 and no data for those that are not in global memory
  std::span<const Region> buffers;
  std::uint32_t shared_bytes = 0;  // static and dynamic
  hw::MmaNumerics mma{};
  std::atomic<bool> stop{false};
};

// The buffer or module variable that a global address belongs to; nothing when it is none's.
[[nodiscard]] const Region* find_region(const LaunchState& launch, std::uint64_t address);

// A named barrier (bar.sync and its kin).
struct Barrier {
  std::uint32_t arrived = 0;  // threads
  std::uint32_t expected = 0;
  bool counted = false;  // by a stated number; else it waits for all threads that have not exited
  bool in_use = false;
  bool all = true, any = false;
  std::uint32_t count = 0;  // of true predicates
};

struct Cta {
  static constexpr std::size_t barrier_count = 16;

  LaunchState* launch = nullptr;
  Dim3 index;
  std::vector<Warp> warps;
  Region shared;
  Region param;
  std::vector<std::byte> shared_bytes;
  std::array<Barrier, barrier_count> barriers;
  std::uint64_t instructions = 0;

  [[nodiscard]] const Region* find(std::uint64_t address) const { return find_region(*launch, address); }
};

}  // namespace tileloom::emu
