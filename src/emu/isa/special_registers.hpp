// SPDX-License-Identifier: Apache-2.0
// Special registers with a value that a warp keeps for its whole life: 32-bit lanes, filled when a CTA starts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emu/machine/cta.hpp"

namespace tileloom::emu {

// Its number; nothing for a register that is unknown or changes (`%clock`).
[[nodiscard]] std::optional<std::uint32_t> find_special(std::string_view name);
[[nodiscard]] inline Slot special_slot(std::uint32_t number) {
  return {Slot::Area::special, number * bytes_of(RegisterClass::word)};
}
[[nodiscard]] std::uint32_t special_area_bytes();
// Writes the warp's values into Warp::special.
void fill_specials(Warp& warp);

}  // namespace tileloom::emu
