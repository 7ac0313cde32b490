// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>

#include "emu/machine/warp.hpp"

namespace tileloom::emu {

// What a cp.async copies, of all 32 lanes.
struct CopyOperands {
  alignas(64) std::array<std::uint64_t, lanes> to;    // shared addresses
  alignas(64) std::array<std::uint64_t, lanes> from;  // global addresses
  std::array<std::uint32_t, lanes> source_bytes;      // the others are zeros
};
[[nodiscard]] CopyOperands copy_operands(const Warp& w, const Op& op);

// Completes the pending copies of the executing lanes for which `due(lane, group)`.
template <class F>
void deliver_copies(Warp& w, F due) {
  for (PendingCopy& copy : w.copies) {
    for_lanes(copy.waiting & w.exec, [&](unsigned lane) {
      if (!due(lane, copy.group[lane])) return;
      const std::size_t count = copy.source_bytes[lane];
      if (count == 16) {
        std::memcpy(copy.to[lane], copy.from[lane], 16);  // the common size, without a call
      } else {
        if (count > 0) std::memcpy(copy.to[lane], copy.from[lane], count);
        std::memset(copy.to[lane] + count, 0, copy.bytes - count);
      }
      copy.waiting &= ~(1U << lane);
    });
  }
  std::erase_if(w.copies, [](const PendingCopy& copy) { return copy.waiting == 0; });
}

// The lanes exit: what they started completes.
void deliver_all_copies(Warp& w, std::uint32_t mask);

}  // namespace tileloom::emu
