// SPDX-License-Identifier: Apache-2.0
#include "tileloom/emu/float16.hpp"

#include <cmath>

namespace tileloom::emu {
namespace {

// Whether `kept` grows by one when the bits below it, `rest` out of `unit`, are cut off.
bool rounds_up(std::uint64_t kept, std::uint64_t rest, std::uint64_t unit, bool negative, Rounding rounding) {
  const std::uint64_t half = unit / 2;
  switch (rounding) {
    case Rounding::rn:
      return rest > half || (rest == half && (kept & 1) != 0);
    case Rounding::rna:
      return rest >= half;
    case Rounding::rz:
      return false;
    case Rounding::rm:
      return rest != 0 && negative;
    case Rounding::rp:
      return rest != 0 && !negative;
  }
  return false;
}

constexpr int f64_fraction_bits = 52;
constexpr int f64_min_exponent = -1022;

template <FloatFormat F>
std::uint16_t encode(double x, Rounding rounding) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool negative = std::signbit(x);
  const std::uint16_t sign = negative ? F.sign_mask() : 0;
  if (std::isnan(x)) {
    return F.canonical_nan();
  }
  if (std::isinf(x)) {
    return sign | F.infinity();
  }
  const int field = static_cast<int>((bits >> f64_fraction_bits) & 0x7FF);
  const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << f64_fraction_bits;
  const std::uint64_t significand = (bits & ((std::uint64_t{1} << f64_fraction_bits) - 1)) | hidden;
  const int exponent = field == 0 ? f64_min_exponent : field - 1023;

  const int target_exponent = exponent < F.min_exponent() ? F.min_exponent() : exponent;
  int shift = f64_fraction_bits - F.fraction_bits + (target_exponent - exponent);
  // Past 62 bits nothing is kept and the rest is less than a half: the same answer as at 62, the sticky bits included.
  shift = shift > 62 ? 62 : shift;
  const std::uint64_t unit = std::uint64_t{1} << shift;
  std::uint64_t kept = significand >> shift;
  kept += rounds_up(kept, significand & (unit - 1), unit, negative, rounding) ? 1 : 0;

  // Adding the hidden bit into the exponent field carries a rounding overflow into the next binade, or out of the
  // subnormals.
  const std::uint64_t result =
      kept + (static_cast<std::uint64_t>(target_exponent - F.min_exponent()) << F.fraction_bits);
  if (result >= F.infinity()) {
    const bool to_infinity = rounding == Rounding::rn || rounding == Rounding::rna ||
                             (rounding == Rounding::rp && !negative) || (rounding == Rounding::rm && negative);
    return sign | (to_infinity ? F.infinity() : F.max_finite());
  }
  return sign | static_cast<std::uint16_t>(result);
}

// x + y rounded to odd: the last bit says that something was cut off, so that a later rounding to a format with at
// least two bits less is the single rounding of the exact sum.
double add_to_odd(double x, double y) {
  const double sum = x + y;
  if (!std::isfinite(sum)) {
    return sum;
  }
  const double y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) {
    return sum;
  }
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace

template <FloatFormat F>
std::uint16_t from_f64(double x, Rounding rounding) {
  return encode<F>(x, rounding);
}

template <FloatFormat F>
std::uint16_t add(std::uint16_t a, std::uint16_t b) {
  return encode<F>(add_to_odd(to_f64<F>(a), to_f64<F>(b)), Rounding::rn);
}

template <FloatFormat F>
std::uint16_t subtract(std::uint16_t a, std::uint16_t b) {
  return encode<F>(add_to_odd(to_f64<F>(a), -to_f64<F>(b)), Rounding::rn);
}

template <FloatFormat F>
std::uint16_t multiply(std::uint16_t a, std::uint16_t b) {
  return encode<F>(to_f64<F>(a) * to_f64<F>(b), Rounding::rn);
}

// The product of two 16-bit numbers is exact in f64.
template <FloatFormat F>
std::uint16_t fused_multiply_add(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  return encode<F>(add_to_odd(to_f64<F>(a) * to_f64<F>(b), to_f64<F>(c)), Rounding::rn);
}

template std::uint16_t from_f64<f16_format>(double, Rounding);
template std::uint16_t from_f64<bf16_format>(double, Rounding);
template std::uint16_t add<f16_format>(std::uint16_t, std::uint16_t);
template std::uint16_t add<bf16_format>(std::uint16_t, std::uint16_t);
template std::uint16_t subtract<f16_format>(std::uint16_t, std::uint16_t);
template std::uint16_t subtract<bf16_format>(std::uint16_t, std::uint16_t);
template std::uint16_t multiply<f16_format>(std::uint16_t, std::uint16_t);
template std::uint16_t multiply<bf16_format>(std::uint16_t, std::uint16_t);
template std::uint16_t fused_multiply_add<f16_format>(std::uint16_t, std::uint16_t, std::uint16_t);
template std::uint16_t fused_multiply_add<bf16_format>(std::uint16_t, std::uint16_t, std::uint16_t);

}  // namespace tileloom::emu
