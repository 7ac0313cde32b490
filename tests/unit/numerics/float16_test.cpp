// SPDX-License-Identifier: Apache-2.0
// Conversions and arithmetic against exact integers: the reference finds the neighbours of the exact value by search.
#include "tileloom/emu/float16.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tileloom::emu {
namespace {

__extension__ using Integer = __int128;
using Pattern = std::uint16_t;

// number * 2^exponent.
struct Exact {
  Integer number;
  int exponent;
};

int width(Integer x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  const auto low = static_cast<std::uint64_t>(x);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

// Of two numbers that are not negative: whether x < y, x == y or x > y, as -1, 0, 1.
int order(Exact x, Exact y) {
  if (x.number == 0 || y.number == 0) {
    return (x.number != 0) - (y.number != 0);
  }
  const int x_top = width(x.number) + x.exponent;
  const int y_top = width(y.number) + y.exponent;
  if (x_top != y_top) {
    return x_top < y_top ? -1 : 1;
  }
  const int low = std::min(x.exponent, y.exponent);
  const Integer a = x.number << (x.exponent - low);
  const Integer b = y.number << (y.exponent - low);
  return (a > b) - (a < b);
}

template <FloatFormat F>
Exact exact(Pattern x) {
  const int field = magnitude<F>(x) >> F.fraction_bits;
  const int fraction = x & F.fraction_mask();
  const int significand = field == 0 ? fraction : fraction + (1 << F.fraction_bits);
  const bool negative = (x & F.sign_mask()) != 0;
  return {negative ? -significand : significand, std::max(field, 1) - F.bias() - F.fraction_bits};
}

// The sum; of a far smaller term only the sign counts.
Exact add_exactly(Exact x, Exact y) {
  if (x.number == 0 || y.number == 0) {
    return x.number == 0 ? y : x;
  }
  if (x.exponent < y.exponent) {
    std::swap(x, y);
  }
  if (x.exponent - y.exponent > 60) {
    return {(x.number << 60) + (y.number > 0 ? 1 : -1), x.exponent - 60};
  }
  return {(x.number << (x.exponent - y.exponent)) + y.number, y.exponent};
}

// The number in the middle between the pattern and the next one up; infinity stands for the next binade.
template <FloatFormat F>
Exact middle(Pattern below) {
  const Exact low = exact<F>(below);
  return {2 * low.number + 1, low.exponent - 1};
}

template <FloatFormat F>
Pattern round_by_search(Exact x, Rounding rounding) {
  const bool negative = x.number < 0;
  x.number = negative ? -x.number : x.number;
  Pattern below = 0;
  for (int bit = F.sign_mask() >> 1; bit != 0; bit >>= 1) {
    const auto candidate = static_cast<Pattern>(below | bit);
    if (candidate < F.infinity() && order(exact<F>(candidate), x) <= 0) {
      below = candidate;
    }
  }
  const int side = order(x, middle<F>(below));
  const bool is_exact = order(x, exact<F>(below)) == 0;
  const bool up = !is_exact && ((rounding == Rounding::rn && (side > 0 || (side == 0 && (below & 1) != 0))) ||
                                (rounding == Rounding::rna && side >= 0) || (rounding == Rounding::rp && !negative) ||
                                (rounding == Rounding::rm && negative));
  return static_cast<Pattern>((below + (up ? 1 : 0)) | (negative ? F.sign_mask() : 0));
}

Exact exact(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {static_cast<Integer>(std::ldexp(fraction, 53)), exponent - 53};
}

constexpr Rounding all_roundings[] = {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp, Rounding::rna};

template <FloatFormat F>
std::vector<Pattern> finite_patterns() {
  std::vector<Pattern> patterns;
  for (int x = 0; x < 0x10000; ++x) {
    if (magnitude<F>(static_cast<Pattern>(x)) < F.infinity()) {
      patterns.push_back(static_cast<Pattern>(x));
    }
  }
  return patterns;
}

// Zeros, subnormals, both ends, numbers around one, and random ones.
template <FloatFormat F>
Pattern some_finite(std::mt19937& random) {
  const auto sign = static_cast<Pattern>((random() & 1) != 0 ? F.sign_mask() : 0);
  switch (random() % 5) {
    case 0:
      return static_cast<Pattern>(sign | (random() % (F.fraction_mask() + 2U)));
    case 1:
      return static_cast<Pattern>(sign | (F.max_finite() - random() % 8));
    case 2:
      return static_cast<Pattern>(sign | ((F.bias() << F.fraction_bits) + static_cast<int>(random() % 64) - 32));
    default:
      return static_cast<Pattern>(sign | (random() % F.infinity()));
  }
}

struct Half {
  static constexpr FloatFormat format = f16_format;
};
struct Bfloat {
  static constexpr FloatFormat format = bf16_format;
};
template <class T>
class Float16 : public testing::Test {};
using Formats = testing::Types<Half, Bfloat>;
TYPED_TEST_SUITE(Float16, Formats, );

TYPED_TEST(Float16, WideningIsExactAndRoundsBackInEveryMode) {
  static constexpr FloatFormat F = TypeParam::format;
  for (const Pattern x : finite_patterns<F>()) {
    const Exact e = exact<F>(x);
    const double value = to_f64<F>(x);
    ASSERT_EQ(value, std::ldexp(static_cast<double>(e.number), e.exponent)) << x;
    ASSERT_EQ(std::signbit(value), (x & F.sign_mask()) != 0) << x;
    ASSERT_EQ(static_cast<double>(to_f32<F>(x)), value) << x;
    for (const Rounding rounding : all_roundings) {
      ASSERT_EQ(from_f64<F>(value, rounding), x);
    }
  }
}

TYPED_TEST(Float16, InfinityAndNan) {
  static constexpr FloatFormat F = TypeParam::format;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_f64<F>(F.infinity()), infinity);
  EXPECT_EQ(to_f64<F>(F.infinity() | F.sign_mask()), -infinity);
  for (const Rounding rounding : all_roundings) {
    EXPECT_EQ(from_f64<F>(infinity, rounding), F.infinity());
    EXPECT_EQ(from_f64<F>(-infinity, rounding), F.infinity() | F.sign_mask());
    EXPECT_EQ(from_f64<F>(std::nan(""), rounding), 0x7FFF);
    EXPECT_EQ(from_f64<F>(-std::nan(""), rounding), 0x7FFF);
  }
  for (int x = F.infinity() + 1; x < F.sign_mask(); ++x) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(to_f32<F>(static_cast<Pattern>(x))), 0x7FFFFFFFU);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(to_f32<F>(static_cast<Pattern>(x | F.sign_mask()))), 0x7FFFFFFFU);
  }
}

// At and around every midpoint between neighbours: the places where a second rounding would show.
TYPED_TEST(Float16, NarrowingRoundsOnceAroundEveryMidpoint) {
  static constexpr FloatFormat F = TypeParam::format;
  for (const Pattern x : finite_patterns<F>()) {
    const Exact half_way = middle<F>(magnitude<F>(x));
    const double point = std::copysign(std::ldexp(static_cast<double>(half_way.number), half_way.exponent),
                                       (x & F.sign_mask()) != 0 ? -1.0 : 1.0);
    const double away = std::copysign(std::numeric_limits<double>::infinity(), point);
    for (const double value : {point, std::nextafter(point, away), std::nextafter(point, 0.0), point * (1 + 0x1p-30)}) {
      for (const Rounding rounding : all_roundings) {
        ASSERT_EQ(from_f64<F>(value, rounding), round_by_search<F>(exact(value), rounding)) << std::hexfloat << value;
      }
    }
  }
}

TYPED_TEST(Float16, NarrowingRoundsOnceAnywhere) {
  static constexpr FloatFormat F = TypeParam::format;
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::bit_cast<double>(random());
    const double near = std::ldexp(std::bit_cast<double>((random() >> 12) | 0x3FF0000000000000U),
                                   static_cast<int>(random() % 300) - 150);
    for (const double x : {value, near, -near, static_cast<double>(static_cast<float>(near))}) {
      if (std::isfinite(x) && x != 0) {
        for (const Rounding rounding : all_roundings) {
          ASSERT_EQ(from_f64<F>(x, rounding), round_by_search<F>(exact(x), rounding)) << std::hexfloat << x;
        }
      }
    }
  }
  EXPECT_EQ(from_f64<F>(0.0), 0);
  EXPECT_EQ(from_f64<F>(-0.0), F.sign_mask());
  EXPECT_EQ(from_f64<F>(0x1p-1074, Rounding::rp), 1);
  EXPECT_EQ(from_f64<F>(-0x1p-1074, Rounding::rm), F.sign_mask() | 1);
}

TYPED_TEST(Float16, ArithmeticRoundsOnce) {
  static constexpr FloatFormat F = TypeParam::format;
  std::mt19937 random(2);
  const auto rounded = [](Exact e) { return round_by_search<F>(e, Rounding::rn); };
  for (int i = 0; i < 400000; ++i) {
    const Pattern a = some_finite<F>(random);
    const Pattern b = some_finite<F>(random);
    const Pattern c = some_finite<F>(random);
    const Exact x = exact<F>(a);
    const Exact y = exact<F>(b);
    const Exact z = exact<F>(c);
    const Exact product{x.number * y.number, x.exponent + y.exponent};
    if (const Exact sum = add_exactly(x, y); sum.number != 0) {
      ASSERT_EQ(add<F>(a, b), rounded(sum)) << a << ' ' << b;
    }
    if (const Exact difference = add_exactly(x, {-y.number, y.exponent}); difference.number != 0) {
      ASSERT_EQ(subtract<F>(a, b), rounded(difference)) << a << ' ' << b;
    }
    if (product.number != 0) {
      ASSERT_EQ(multiply<F>(a, b), rounded(product)) << a << ' ' << b;
    }
    if (const Exact sum = add_exactly(product, z); sum.number != 0) {
      ASSERT_EQ(fused_multiply_add<F>(a, b, c), rounded(sum)) << a << ' ' << b << ' ' << c;
    }
  }
}

// Products that lie on a midpoint, and an addend too small to be seen in f32 (or, for bf16, in f64).
TYPED_TEST(Float16, FusedMultiplyAddSeesTheSmallestAddend) {
  static constexpr FloatFormat F = TypeParam::format;
  const Pattern one = from_f64<F>(1.0);
  const auto next_to_one = static_cast<Pattern>(one + 1);
  const Pattern one_and_half = from_f64<F>(1.5);
  const Pattern product = multiply<F>(next_to_one, one_and_half);  // 1.5 + 1.5 ulp: a tie, up to even
  EXPECT_EQ(product, one_and_half + 2);
  EXPECT_EQ(fused_multiply_add<F>(next_to_one, one_and_half, 1), one_and_half + 2);
  EXPECT_EQ(fused_multiply_add<F>(next_to_one, one_and_half, F.sign_mask() | 1), one_and_half + 1);
}

TYPED_TEST(Float16, ArithmeticOnZerosInfinitiesAndNan) {
  static constexpr FloatFormat F = TypeParam::format;
  const Pattern infinity = F.infinity();
  const Pattern minus = F.sign_mask();
  const Pattern one = from_f64<F>(1.0);
  const auto nan = static_cast<Pattern>(F.infinity() | minus | 1);
  EXPECT_EQ(add<F>(minus, minus), minus);
  EXPECT_EQ(add<F>(minus, 0), 0);
  EXPECT_EQ(subtract<F>(one, one), 0);
  EXPECT_EQ(multiply<F>(minus, one), minus);
  EXPECT_EQ(fused_multiply_add<F>(one, one, negate<F>(one)), 0);
  EXPECT_EQ(add<F>(infinity, one), infinity);
  EXPECT_EQ(subtract<F>(infinity, infinity), 0x7FFF);
  EXPECT_EQ(multiply<F>(infinity, 0), 0x7FFF);
  EXPECT_EQ(fused_multiply_add<F>(infinity, one, infinity | minus), 0x7FFF);
  EXPECT_EQ(add<F>(nan, one), 0x7FFF);
  EXPECT_EQ(multiply<F>(one, nan), 0x7FFF);
  EXPECT_EQ(add<F>(F.max_finite(), F.max_finite()), infinity);
}

TYPED_TEST(Float16, OrderSignAndSaturation) {
  static constexpr FloatFormat F = TypeParam::format;
  std::mt19937 random(3);
  const auto nan = static_cast<Pattern>(F.infinity() + 1);
  for (int i = 0; i < 100000; ++i) {
    const Pattern a = some_finite<F>(random);
    const Pattern b = some_finite<F>(random);
    const double x = to_f64<F>(a);
    const double y = to_f64<F>(b);
    ASSERT_EQ(compare<F>(a, b), x < y ? Order::less : x > y ? Order::greater : Order::equal);
    ASSERT_EQ(to_f64<F>(minimum<F>(a, b)), std::min(x, y));
    ASSERT_EQ(to_f64<F>(maximum<F>(a, b)), std::max(x, y));
    ASSERT_EQ(minimum<F>(a, b), minimum<F>(b, a));
    ASSERT_EQ(maximum<F>(a, b), maximum<F>(b, a));
    ASSERT_EQ(to_f64<F>(negate<F>(a)), -x);
    ASSERT_EQ(to_f64<F>(absolute<F>(a)), std::fabs(x));
    ASSERT_EQ(saturate_finite<F>(a), a);
    ASSERT_EQ(compare<F>(a, nan), Order::unordered);
    ASSERT_EQ(minimum<F>(nan, a), a);
    ASSERT_EQ(maximum<F>(a, nan), a);
  }
  EXPECT_EQ(minimum<F>(0, F.sign_mask()), F.sign_mask());
  EXPECT_EQ(maximum<F>(F.sign_mask(), 0), 0);
  EXPECT_EQ(compare<F>(0, F.sign_mask()), Order::equal);
  EXPECT_EQ(minimum<F>(nan, nan), 0x7FFF);
  EXPECT_EQ(maximum<F>(nan, nan), 0x7FFF);
  EXPECT_EQ(negate<F>(nan), 0x7FFF);
  EXPECT_EQ(absolute<F>(nan), 0x7FFF);
  EXPECT_EQ(saturate_finite<F>(F.infinity()), F.max_finite());
  EXPECT_EQ(saturate_finite<F>(F.infinity() | F.sign_mask()), F.max_finite() | F.sign_mask());
  EXPECT_EQ(saturate_finite<F>(0x7FFF), 0x7FFF);
}

}  // namespace
}  // namespace tileloom::emu
