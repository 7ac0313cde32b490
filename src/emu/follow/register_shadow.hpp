// SPDX-License-Identifier: Apache-2.0
// The names in a warp's registers: one for each 16-bit half of each lane, at half the byte offset of the value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "emu/machine/program.hpp"
#include "tileloom/emu/provenance.hpp"

namespace tileloom::emu {

// Names of one frame. Few registers have any, so a flag for each tells which may.
class RegisterShadow {
 public:
  explicit RegisterShadow(const Program& program)
      : program_(&program), names_(program.frame_bytes / 2), used_(program.frame_bytes / register_bytes + 1) {}

  // Names of a register, halves of a lane side by side; null where there are none.
  [[nodiscard]] const Name* find(Slot slot) const {
    return slot.used() && slot.area() == Slot::Area::frame && used_[slot.value() / register_bytes] != 0
               ? names_.data() + slot.value() / 2
               : nullptr;
  }
  // 2 or 4; 0 of a predicate, which has no names.
  [[nodiscard]] unsigned halves(Slot slot) const {
    const RegisterClass c = program_->class_of_slot(slot);
    return c == RegisterClass::wide ? 4 : c == RegisterClass::word ? 2 : 0;
  }
  void clear(Slot slot, std::uint32_t exec) {
    if (find(slot) == nullptr) return;
    write(slot, exec, [](unsigned, unsigned) { return Name{0}; });
  }
  // Sets the lanes' halves to what `name(lane, half)` says.
  template <class F>
  void write(Slot slot, std::uint32_t exec, F name) {
    if (!slot.used() || slot.area() != Slot::Area::frame) return;
    const unsigned count = halves(slot);
    Name* to = names_.data() + slot.value() / 2;
    Name any = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (unsigned h = 0; h < count; ++h) {
        Name& one = to[count * lane + h];
        if ((exec >> lane & 1) != 0) one = name(lane, h);
        any |= one;
      }
    }
    used_[slot.value() / register_bytes] = any != 0 ? 1 : 0;
  }
  void clear_all() {
    std::ranges::fill(names_, 0);
    std::ranges::fill(used_, 0);
  }

 private:
  static constexpr std::uint32_t register_bytes = bytes_of(RegisterClass::word);

  const Program* program_;
  std::vector<Name> names_;
  std::vector<std::uint8_t> used_;  // by register
};

}  // namespace tileloom::emu
