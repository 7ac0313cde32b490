// SPDX-License-Identifier: Apache-2.0
// f32 and f64 rules that several instructions share.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tileloom::emu {

inline constexpr std::uint32_t canonical_nan_f32 = 0x7FFF'FFFF;

// `.ftz`: a subnormal becomes a zero of its sign.
[[gnu::always_inline]] inline float flush(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7F80'0000U) == 0 ? bits & 0x8000'0000U : bits);
}
[[gnu::always_inline]] inline double flush(double x) {
  return x;
}

// A NaN result of arithmetic: one pattern for f32. f64 keeps payloads (PTX ISA, "Floating-Point Instructions"): here
// always those of the first NaN operand, made quiet, so that no host or compiler decides.
[[gnu::always_inline]] inline float canonical(float x) {
  return x != x ? std::bit_cast<float>(canonical_nan_f32) : x;
}
[[gnu::always_inline]] inline float settle_nan(float result, float, float, float) {
  return canonical(result);
}
[[gnu::always_inline]] inline double settle_nan(double result, double a, double b, double c) {
  constexpr std::uint64_t quiet = std::uint64_t{1} << 51;
  const std::uint64_t made = b != b   ? std::bit_cast<std::uint64_t>(b) | quiet
                             : c != c ? std::bit_cast<std::uint64_t>(c) | quiet
                             : a != a ? std::bit_cast<std::uint64_t>(a) | quiet
                                      : 0xFFF8'0000'0000'0000U;
  return result != result ? std::bit_cast<double>(made) : result;
}

// Of rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 only the high words of operand and result count, and subnormals are
// zeros.
inline double high_word(double x) {
  const std::uint64_t high = std::bit_cast<std::uint64_t>(x) >> 32 << 32;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  constexpr std::uint64_t exponent = std::uint64_t{0x7FF} << 52;
  return std::bit_cast<double>((high & exponent) == 0 ? high & sign : high);
}
inline double approximate_result(double x) {
  return high_word(x != x ? std::bit_cast<double>(std::uint64_t{canonical_nan_f32} << 32) : x);
}

// `.sat`: to [0, 1], NaN to 0.
template <class T>
[[gnu::always_inline]] inline T saturate_unit(T x) {
  return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}

enum class RealRounding : std::uint8_t { rn, rz, rm, rp };

}  // namespace tileloom::emu
