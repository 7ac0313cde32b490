// SPDX-License-Identifier: Apache-2.0
// f16 (IEEE binary16) and bf16 on bit patterns: exact conversions and correctly rounded arithmetic, as PTX has them.
//
// Subnormals are kept everywhere, inputs and results. Every NaN result is the canonical one (0x7FFF for both formats),
// whatever the payload of its source. Each operation rounds once. The host must be in its default rounding mode
// (nearest even). Defined for f16_format and bf16_format: `add<f16_format>(x, y)`.
#pragma once

#include <bit>
#include <cstdint>

namespace tileloom::emu {

// PTX `.rn` (nearest, ties to even), `.rz` (toward zero), `.rm` (down), `.rp` (up), `.rna` (nearest, ties away).
enum class Rounding { rn, rz, rm, rp, rna };

// A binary floating-point format of 16 bits, with infinities and subnormals: sign, exponent, fraction.
struct FloatFormat {
  int exponent_bits;
  int fraction_bits;

  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr int min_exponent() const { return 1 - bias(); }  // of the smallest normal number
  [[nodiscard]] constexpr std::uint16_t sign_mask() const {
    return static_cast<std::uint16_t>(1U << (exponent_bits + fraction_bits));
  }
  [[nodiscard]] constexpr std::uint16_t fraction_mask() const {
    return static_cast<std::uint16_t>((1U << fraction_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint16_t infinity() const {
    return static_cast<std::uint16_t>(((1U << exponent_bits) - 1) << fraction_bits);
  }
  [[nodiscard]] constexpr std::uint16_t max_finite() const { return static_cast<std::uint16_t>(infinity() - 1); }
  [[nodiscard]] constexpr std::uint16_t canonical_nan() const { return static_cast<std::uint16_t>(sign_mask() - 1); }
};

inline constexpr FloatFormat f16_format{5, 10};
inline constexpr FloatFormat bf16_format{8, 7};
inline constexpr std::uint32_t f32_canonical_nan = 0x7FFFFFFF;

// -- Classes of a pattern ---------------------------------------------------------------------------------------------

template <FloatFormat F>
[[nodiscard]] constexpr std::uint16_t magnitude(std::uint16_t x) {
  return x & static_cast<std::uint16_t>(F.sign_mask() - 1);
}
template <FloatFormat F>
[[nodiscard]] constexpr bool is_nan(std::uint16_t x) {
  return magnitude<F>(x) > F.infinity();
}
template <FloatFormat F>
[[nodiscard]] constexpr bool is_infinite(std::uint16_t x) {
  return magnitude<F>(x) == F.infinity();
}

// -- Conversions ------------------------------------------------------------------------------------------------------

// Exact, for a finite pattern in the low half of `x` (precondition; the high half is zero). Without branches, so that
// loops over it vectorise.
template <FloatFormat F>
[[nodiscard]] constexpr float finite_to_f32(std::uint32_t x) {
  constexpr int shift = 23 - F.fraction_bits;
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - F.bias()) << 23;
  const std::uint32_t sign = (x & F.sign_mask()) << 16;
  const std::uint32_t shifted = (x & (F.sign_mask() - 1U)) << shift;
  if constexpr (rebias == 0) {
    return std::bit_cast<float>(shifted | sign);
  }
  // A subnormal is read as the normal number of the same fraction and the smallest exponent, less that number's 1.
  constexpr std::uint32_t one = rebias + (1U << 23);
  const float subnormal = std::bit_cast<float>(shifted + one) - std::bit_cast<float>(one);
  const std::uint32_t absolute = shifted < (1U << 23) ? std::bit_cast<std::uint32_t>(subnormal) : shifted + rebias;
  return std::bit_cast<float>(absolute | sign);
}

// Exact; any NaN gives 0x7FFFFFFF.
template <FloatFormat F>
[[nodiscard]] constexpr float to_f32(std::uint16_t x) {
  const std::uint32_t sign = static_cast<std::uint32_t>(x & F.sign_mask()) << 16;
  const std::uint32_t infinity = 0x7F800000U | sign;
  return is_nan<F>(x)        ? std::bit_cast<float>(f32_canonical_nan)
         : is_infinite<F>(x) ? std::bit_cast<float>(infinity)
                             : finite_to_f32<F>(x);
}
template <FloatFormat F>
[[nodiscard]] constexpr double to_f64(std::uint16_t x) {
  return to_f32<F>(x);
}

// Rounded once, straight from the f64. Overflow gives infinity or the largest finite number, as the rounding mode says.
template <FloatFormat F>
[[nodiscard]] std::uint16_t from_f64(double x, Rounding rounding = Rounding::rn);
template <FloatFormat F>
[[nodiscard]] std::uint16_t from_f32(float x, Rounding rounding = Rounding::rn) {
  return from_f64<F>(x, rounding);
}

// PTX `.satfinite`, applied to a converted result: an infinity becomes the largest finite number of its sign.
template <FloatFormat F>
[[nodiscard]] constexpr std::uint16_t saturate_finite(std::uint16_t x) {
  return is_infinite<F>(x) ? static_cast<std::uint16_t>(x - 1) : x;
}

// -- Arithmetic, rounded to nearest even ------------------------------------------------------------------------------

template <FloatFormat F>
[[nodiscard]] std::uint16_t add(std::uint16_t a, std::uint16_t b);
template <FloatFormat F>
[[nodiscard]] std::uint16_t subtract(std::uint16_t a, std::uint16_t b);
template <FloatFormat F>
[[nodiscard]] std::uint16_t multiply(std::uint16_t a, std::uint16_t b);
template <FloatFormat F>
[[nodiscard]] std::uint16_t fused_multiply_add(std::uint16_t a, std::uint16_t b, std::uint16_t c);  // a * b + c

// -- Sign and order ---------------------------------------------------------------------------------------------------

template <FloatFormat F>
[[nodiscard]] constexpr std::uint16_t negate(std::uint16_t x) {
  return is_nan<F>(x) ? F.canonical_nan() : static_cast<std::uint16_t>(x ^ F.sign_mask());
}
template <FloatFormat F>
[[nodiscard]] constexpr std::uint16_t absolute(std::uint16_t x) {
  return is_nan<F>(x) ? F.canonical_nan() : magnitude<F>(x);
}

enum class Order { less, equal, greater, unordered };  // unordered: one of the two is NaN

// -0 equals +0.
template <FloatFormat F>
[[nodiscard]] constexpr Order compare(std::uint16_t a, std::uint16_t b) {
  if (is_nan<F>(a) || is_nan<F>(b)) {
    return Order::unordered;
  }
  const auto key = [](std::uint16_t x) { return (x & F.sign_mask()) != 0 ? -magnitude<F>(x) : +magnitude<F>(x); };
  return key(a) < key(b) ? Order::less : key(a) > key(b) ? Order::greater : Order::equal;
}

// PTX `min` and `max` without `.NaN`: a number wins over NaN, -0 is less than +0.
template <FloatFormat F>
[[nodiscard]] constexpr std::uint16_t minimum(std::uint16_t a, std::uint16_t b) {
  if (is_nan<F>(a) || is_nan<F>(b)) {
    return !is_nan<F>(a) ? a : !is_nan<F>(b) ? b : F.canonical_nan();
  }
  const Order order = compare<F>(a, b);
  return order == Order::less || (order == Order::equal && a > b) ? a : b;
}
template <FloatFormat F>
[[nodiscard]] constexpr std::uint16_t maximum(std::uint16_t a, std::uint16_t b) {
  if (is_nan<F>(a) || is_nan<F>(b)) {
    return minimum<F>(a, b);
  }
  return minimum<F>(a, b) == a ? b : a;
}

}  // namespace tileloom::emu
