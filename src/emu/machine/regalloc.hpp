// SPDX-License-Identifier: Apache-2.0
// Places virtual registers in a frame: thousands of single-assignment PTX registers share a few hundred slots, which
// then stay in the first-level caches.
//
// Each lane has its own column of every slot and writes are masked, so the liveness of one thread's control flow is
// enough, whatever the divergence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emu/machine/op.hpp"

namespace tileloom::emu {

struct FrameSize {
  std::uint32_t wide = 0, word = 0, predicate = 0;  // slots
};

// A frame's slots are numbered class by class until all functions are known; then they become byte offsets.
[[nodiscard]] constexpr Slot frame_slot(RegisterClass c, std::uint32_t index) {
  return {Slot::Area::frame, static_cast<std::uint32_t>(c) << 28 | index};
}
[[nodiscard]] constexpr RegisterClass frame_slot_class(Slot s) {
  return static_cast<RegisterClass>(s.value() >> 28);
}
[[nodiscard]] constexpr std::uint32_t frame_slot_index(Slot s) {
  return s.value() & 0x0FFF'FFFF;
}

// Gives each slot of `ops` in area `unplaced` a frame_slot. `first` is the number
// of the first op of the span, as branch targets count; `lists` and `targets` are the program's.
[[nodiscard]] FrameSize allocate_registers(std::span<Op> ops, std::uint32_t first, std::span<Slot> lists,
                                           std::span<const std::uint32_t> targets,
                                           std::span<const RegisterClass> classes);

}  // namespace tileloom::emu
