// SPDX-License-Identifier: Apache-2.0
// Arithmetic in the rounding modes other than to nearest.
#pragma once

#include "emu/isa/real.hpp"

namespace tileloom::emu {

enum class RealOperation : std::uint8_t { add, subtract, multiply, fused, divide, reciprocal, square_root };

// One lane's result, rounded once as `rounding` says; operands that the operation does not take are ignored.
[[nodiscard]] float rounded(RealOperation operation, RealRounding rounding, float a, float b, float c);
[[nodiscard]] double rounded(RealOperation operation, RealRounding rounding, double a, double b, double c);

// f64 to f32, and 64-bit integers to f32 and f64.
template <class To, class From>
[[nodiscard]] To rounded_conversion(RealRounding rounding, From value);

}  // namespace tileloom::emu
