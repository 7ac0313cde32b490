// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tileloom::emu {

// What a CTA barrier instruction does, as Op::mode carries it.
struct BarrierMode {
  enum Action : std::uint8_t { sync, arrive, reduce_popc, reduce_and, reduce_or } action = sync;
  bool negated = false;  // the predicate of a reduction

  [[nodiscard]] std::uint8_t pack() const { return static_cast<std::uint8_t>(action | (negated ? 8 : 0)); }
  [[nodiscard]] static BarrierMode unpack(std::uint8_t mode) {
    return {static_cast<Action>(mode & 7), (mode & 8) != 0};
  }
};

}  // namespace tileloom::emu
