// SPDX-License-Identifier: Apache-2.0
// What one execution of a memory instruction costs, from the addresses of its lanes.
#pragma once

#include <array>
#include <cstdint>

#include "emu/machine/op.hpp"
#include "tileloom/emu/counters.hpp"
#include "tileloom/hw/memory_cost.hpp"

namespace tileloom::emu {

// How the rules see an instruction.
struct AccessForm {
  AccessClass access = AccessClass::none;
  hw::SharedOp op = hw::SharedOp::load;
  std::uint8_t size = 0;             // as hw::SharedAccess has it
  std::uint8_t bytes = 0;            // that a lane moves
  std::uint32_t givers = all_lanes;  // lanes whose addresses count
  bool sized = false;                // cp.async whose source size is an operand
};

// The addresses of one execution, moved by whole 128-byte lines to where the first lane's line always begins: costs do
// not change by that. Absent lanes have zeros, so that equal patterns are equal bytes.
struct AccessPattern {
  alignas(64) std::array<std::uint64_t, lanes> shared{};
  alignas(64) std::array<std::uint64_t, lanes> global{};
  std::uint32_t shared_lanes = 0;
  std::uint32_t global_lanes = 0;  // of cp.async: those that read
  std::uint32_t global_bytes = 0;  // that all lanes move

  bool operator==(const AccessPattern&) const = default;
};

struct Price {
  SharedCount shared;
  GlobalCount global;
};
[[nodiscard]] Price price_of(const AccessForm& form, const AccessPattern& pattern);

}  // namespace tileloom::emu
