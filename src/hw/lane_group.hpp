// SPDX-License-Identifier: Apache-2.0
// The groups of lanes that pass the shared-memory pipe together.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tileloom::hw {

template <class F>
void for_each_lane(std::uint32_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) {
    f(std::countr_zero(lanes));
  }
}

// The active lanes of each group: one group of 32 lanes for up to 4 bytes a lane, two of 16 for 8, four of 8 for 16.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> lane_groups(int bytes, std::uint32_t active) noexcept {
  if (bytes <= 4) {
    return {active, 0, 0, 0};
  }
  if (bytes == 8) {
    return {active & 0xFFFF, active & 0xFFFF'0000, 0, 0};
  }
  return {active & 0xFF, active & 0xFF00, active & 0xFF'0000, active & 0xFF00'0000};
}

[[nodiscard]] constexpr int active_groups(int bytes, std::uint32_t active) noexcept {
  int count = 0;
  for (const std::uint32_t group : lane_groups(bytes, active)) {
    count += group != 0 ? 1 : 0;
  }
  return count;
}

}  // namespace tileloom::hw
