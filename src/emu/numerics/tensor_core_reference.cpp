// SPDX-License-Identifier: Apache-2.0
// The rule of hw/mma_numerics.hpp in integers, one element at a time.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "tileloom/emu/float16.hpp"
#include "tileloom/emu/tensor_core.hpp"

namespace tileloom::emu {
namespace {

// (-1)^negative * significand * 2^(exponent - fraction_bits), or an infinity, or NaN. The exponent is that of the bit
// before the point: a subnormal keeps its format's smallest exponent, a product has the sum of its factors'.
struct Term {
  enum class Class { finite, infinite, nan };
  Class kind = Class::finite;
  bool negative = false;
  int exponent = 0;
  int fraction_bits = 0;
  std::uint64_t significand = 0;

  [[nodiscard]] bool is_zero() const { return kind == Class::finite && significand == 0; }
};

// How a type of D is laid out and rounded.
struct Format {
  int exponent_bits;
  int fraction_bits;
  bool nearest;  // to nearest even; else toward zero

  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] std::uint32_t infinity() const { return ((1U << exponent_bits) - 1) << fraction_bits; }
  [[nodiscard]] std::uint32_t sign() const { return 1U << (exponent_bits + fraction_bits); }
};

constexpr Format f32{8, 23, false};
constexpr Format f16{5, 10, true};
constexpr Format bf16{8, 7, false};

Term decode(const Format& format, std::uint32_t bits) {
  const std::uint32_t fraction = bits & ((1U << format.fraction_bits) - 1);
  const int field = static_cast<int>((bits & format.infinity()) >> format.fraction_bits);
  Term term{.negative = (bits & format.sign()) != 0,
            .exponent = std::max(field, 1) - format.bias(),
            .fraction_bits = format.fraction_bits,
            .significand = fraction | (field == 0 ? 0U : 1U << format.fraction_bits)};
  if (field == (1 << format.exponent_bits) - 1) {
    term.kind = fraction == 0 ? Term::Class::infinite : Term::Class::nan;
  }
  return term;
}

Term multiply(const Term& a, const Term& b) {
  Term product{.negative = a.negative != b.negative,
               .exponent = a.exponent + b.exponent,
               .fraction_bits = a.fraction_bits + b.fraction_bits,
               .significand = a.significand * b.significand};
  const bool any_nan = a.kind == Term::Class::nan || b.kind == Term::Class::nan;
  const bool any_infinite = a.kind == Term::Class::infinite || b.kind == Term::Class::infinite;
  if (any_nan || (any_infinite && (a.is_zero() || b.is_zero()))) {
    product.kind = Term::Class::nan;
  } else if (any_infinite) {
    product.kind = Term::Class::infinite;
  }
  return product;
}

// What infinities and NaN decide, whatever the other terms are.
std::optional<std::uint32_t> special_sum(const Format& format, const Term* terms, int count) {
  bool plus = false;
  bool minus = false;
  for (int i = 0; i < count; ++i) {
    if (terms[i].kind == Term::Class::nan) {
      return format.sign() - 1;
    }
    if (terms[i].kind == Term::Class::infinite) {
      (terms[i].negative ? minus : plus) = true;
    }
  }
  if (plus && minus) {
    return format.sign() - 1;
  }
  if (plus || minus) {
    return format.infinity() | (minus ? format.sign() : 0U);
  }
  return std::nullopt;
}

// The magnitude in units of 2^(largest - fraction_bits), cut toward zero.
std::int64_t aligned(const Term& term, int largest, int fraction_bits) {
  if (term.is_zero()) {
    return 0;
  }
  const int right = largest - term.exponent + term.fraction_bits - fraction_bits;
  const std::uint64_t magnitude = right > 63 ? 0 : right > 0 ? term.significand >> right : term.significand << -right;
  return term.negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

// sum * 2^unit, rounded once.
std::uint32_t encode(const Format& format, std::int64_t sum, int unit) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
  if (magnitude == 0) {
    return 0;
  }
  const int exponent = std::max(static_cast<int>(std::bit_width(magnitude)) - 1 + unit, 1 - format.bias());
  const int right = exponent - format.fraction_bits - unit;  // the bits below the last place
  std::uint64_t kept = right > 63 ? 0 : right > 0 ? magnitude >> right : magnitude << -right;
  if (format.nearest && right > 0 && right <= 63) {
    const std::uint64_t rest = magnitude - (kept << right);
    const std::uint64_t half = std::uint64_t{1} << (right - 1);
    kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  }
  // Adding the hidden bit to the exponent field lets a carry reach the next binade.
  const std::uint64_t field = static_cast<std::uint64_t>(exponent + format.bias() - 1) << format.fraction_bits;
  const std::uint64_t result = std::min<std::uint64_t>(kept + field, format.infinity());
  return result == 0 ? 0 : static_cast<std::uint32_t>(result) | (sum < 0 ? format.sign() : 0U);
}

// terms: the products, then the addend.
std::uint32_t fused_step(const Format& format, int fraction_bits, const Term* terms, int count) {
  if (const auto special = special_sum(format, terms, count)) {
    return *special;
  }
  bool any = false;
  int largest = 0;
  for (int i = 0; i < count; ++i) {
    if (!terms[i].is_zero()) {
      largest = any ? std::max(largest, terms[i].exponent) : terms[i].exponent;
      any = true;
    }
  }
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += aligned(terms[i], largest, fraction_bits);
  }
  return encode(format, sum, largest - fraction_bits);
}

}  // namespace

std::uint32_t mma_k16_element(const hw::MmaNumerics& numerics, MmaInput input, MmaAccumulator accumulator,
                              const std::uint16_t* a, const std::uint16_t* b, std::uint32_t c) {
  const Format& in = input == MmaInput::f16 ? f16 : bf16;
  const Format& out = accumulator == MmaAccumulator::f16 ? f16 : f32;
  std::uint32_t sum = c;
  for (int step = 0; step < numerics.steps; ++step) {
    Term terms[17];
    for (int i = 0; i < numerics.terms; ++i) {
      const int k = step * numerics.terms + i;
      terms[i] = multiply(decode(in, a[k]), decode(in, b[k]));
    }
    terms[numerics.terms] = decode(out, sum);
    sum = fused_step(out, numerics.fraction_bits, terms, numerics.terms + 1);
  }
  return sum;
}

}  // namespace tileloom::emu
