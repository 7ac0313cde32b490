// SPDX-License-Identifier: Apache-2.0
// f16 patterns to and from the host's types; short names for tileloom/emu/float16.hpp.
#pragma once

#include <cstdint>

#include "tileloom/emu/float16.hpp"

namespace tileloom {

[[nodiscard]] inline double half_to_f64(std::uint16_t x) {
  return emu::to_f64<emu::f16_format>(x);
}
[[nodiscard]] inline float half_to_f32(std::uint16_t x) {
  return emu::to_f32<emu::f16_format>(x);
}

// To nearest, ties to even.
[[nodiscard]] inline std::uint16_t half_from(double x) {
  return emu::from_f64<emu::f16_format>(x);
}
[[nodiscard]] inline std::uint16_t half_from(float x) {
  return emu::from_f32<emu::f16_format>(x);
}

}  // namespace tileloom
