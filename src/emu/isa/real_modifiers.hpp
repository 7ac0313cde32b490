// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emu/isa/instruction.hpp"
#include "emu/isa/real.hpp"

namespace tileloom::emu {

struct RealModifiers {
  RealRounding rounding = RealRounding::rn;
  bool ftz = false;
  bool sat = false;
  bool explicit_rounding = false;

  [[nodiscard]] std::uint8_t pack() const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(rounding) | (ftz ? 4U : 0U) | (sat ? 8U : 0U));
  }
  [[nodiscard]] static RealModifiers unpack(std::uint8_t mode) {
    return {static_cast<RealRounding>(mode & 3), (mode & 4) != 0, (mode & 8) != 0, true};
  }
};

// `.rn`, `.rz`, `.rm`, `.rp`, `.ftz` and `.sat` of the instruction.
[[nodiscard]] RealModifiers take_real_modifiers(Instr& in);

}  // namespace tileloom::emu
