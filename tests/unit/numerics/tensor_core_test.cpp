// SPDX-License-Identifier: Apache-2.0
// The fast path against the plain definition, and laws of the definition.
#include "tileloom/emu/tensor_core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tileloom/emu/float16.hpp"

namespace tileloom::emu {
namespace {

enum class Kind { normal, scaled, wide, any_finite, tiny, integers, any_pattern, cancelling, count };

struct Types {
  MmaInput input;
  MmaAccumulator accumulator;
};
constexpr Types all_types[] = {
    {MmaInput::f16, MmaAccumulator::f16}, {MmaInput::f16, MmaAccumulator::f32}, {MmaInput::bf16, MmaAccumulator::f32}};

const hw::MmaNumerics two_steps = hw::mma_numerics_k16(hw::sm_80);
const hw::MmaNumerics one_step = hw::mma_numerics_k16(hw::sm_90);

std::uint16_t input_pattern(MmaInput type, double value) {
  return type == MmaInput::f16 ? from_f64<f16_format>(value) : from_f64<bf16_format>(value);
}
std::uint32_t sum_pattern(MmaAccumulator type, double value) {
  return type == MmaAccumulator::f16 ? from_f64<f16_format>(value)
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  double value(Kind kind, double widest) {
    const double normal = normal_(random_);
    switch (kind) {
      case Kind::scaled:
        return std::ldexp(normal, integer(-10, 10));
      case Kind::wide:
        return std::ldexp(normal, integer(-static_cast<int>(widest), static_cast<int>(widest)));
      case Kind::tiny:
        return std::ldexp(normal, -static_cast<int>(widest) + integer(-12, 1));
      case Kind::integers:
        return integer(-4, 4);
      case Kind::cancelling:
        return integer(0, 2) == 0 ? 0.0 : (integer(0, 1) == 0 ? 1 : -1) * (1 + integer(0, 1) * 0x1p-7);
      default:
        return normal;
    }
  }

  std::uint16_t input(MmaInput type, Kind kind) {
    const FloatFormat format = type == MmaInput::f16 ? f16_format : bf16_format;
    auto bits = static_cast<std::uint16_t>(random_());
    if (kind == Kind::any_finite && (bits & format.infinity()) == format.infinity()) {
      bits = static_cast<std::uint16_t>(bits ^ (1U << format.fraction_bits));
    }
    const bool raw = kind == Kind::any_finite || kind == Kind::any_pattern;
    return raw ? bits : input_pattern(type, value(kind, type == MmaInput::f16 ? 14 : 126));
  }

  std::uint32_t sum(MmaAccumulator type, Kind kind) {
    const std::uint32_t mask = type == MmaAccumulator::f16 ? 0xFFFF : 0xFFFFFFFF;
    const std::uint32_t infinity = type == MmaAccumulator::f16 ? 0x7C00 : 0x7F800000;
    std::uint32_t bits = static_cast<std::uint32_t>(random_()) & mask;
    if (kind == Kind::any_finite && (bits & infinity) == infinity) {
      bits ^= infinity & -infinity;  // its lowest bit
    }
    const bool raw = kind == Kind::any_finite || kind == Kind::any_pattern;
    return raw ? bits : sum_pattern(type, value(kind, type == MmaAccumulator::f16 ? 14 : 126));
  }

  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

struct Tile {
  Types types;
  int m, n;
  std::vector<std::uint16_t> a, b;
  std::vector<std::uint32_t> c;

  Tile(Types t, int rows, int columns) : types(t), m(rows), n(columns), a(m * 16), b(n * 16), c(m * n) {}
  Tile(Types t, int rows, int columns, Kind kind, Generator& generator) : Tile(t, rows, columns) {
    std::ranges::generate(a, [&] { return generator.input(t.input, kind); });
    std::ranges::generate(b, [&] { return generator.input(t.input, kind); });
    std::ranges::generate(c, [&] { return generator.sum(t.accumulator, kind); });
  }
};

std::vector<std::uint32_t> fast(const hw::MmaNumerics& numerics, const Tile& tile) {
  std::vector<std::uint32_t> d(tile.c.size());
  mma_k16(numerics, tile.types.input, tile.types.accumulator, tile.m, tile.n, tile.a.data(), tile.b.data(),
          tile.c.data(), d.data());
  return d;
}

std::vector<std::uint32_t> plain(const hw::MmaNumerics& numerics, const Tile& tile) {
  std::vector<std::uint32_t> d;
  for (int i = 0; i < tile.m * tile.n; ++i) {
    d.push_back(mma_k16_element(numerics, tile.types.input, tile.types.accumulator, &tile.a[i / tile.n * 16],
                                &tile.b[i % tile.n * 16], tile.c[i]));
  }
  return d;
}

TEST(TensorCore, FastPathIsThePlainDefinition) {
  Generator generator(7);
  for (const hw::MmaNumerics& numerics : {two_steps, one_step}) {
    for (const Types& types : all_types) {
      for (int kind = 0; kind < static_cast<int>(Kind::count); ++kind) {
        for (int i = 0; i < 500; ++i) {
          const Tile tile(types, 16, 8, static_cast<Kind>(kind), generator);
          ASSERT_EQ(fast(numerics, tile), plain(numerics, tile))
              << "kind " << kind << ", tile " << i << ", steps " << numerics.steps;
        }
      }
    }
  }
}

// One kind for A, another for B, a third for C.
TEST(TensorCore, FastPathIsThePlainDefinitionOnMixedKinds) {
  Generator generator(8);
  const auto any_kind = [&] { return static_cast<Kind>(generator.integer(0, static_cast<int>(Kind::count) - 1)); };
  for (int i = 0; i < 4000; ++i) {
    const Types& types = all_types[i % 3];
    Tile tile(types, 16, 8, any_kind(), generator);
    tile.b = Tile(types, 16, 8, any_kind(), generator).b;
    tile.c = Tile(types, 16, 8, any_kind(), generator).c;
    const hw::MmaNumerics& numerics = i % 2 == 0 ? two_steps : one_step;
    ASSERT_EQ(fast(numerics, tile), plain(numerics, tile)) << "tile " << i;
  }
}

// Sums at the ends of 32 bits, and results at the ends of f16.
TEST(TensorCore, FastPathIsThePlainDefinitionAtItsLimits) {
  Generator generator(9);
  for (const Types& types : all_types) {
    for (int i = 0; i < 2000; ++i) {
      Tile tile(types, 16, 8);
      const double a_scale = std::ldexp(1.0, generator.integer(-12, 12));
      const double b_scale = std::ldexp(1.0, generator.integer(-12, 12));
      const auto top = [&](double scale) { return (2 - 0x1p-7 * generator.integer(1, 2)) * scale; };
      std::ranges::generate(tile.a, [&] { return input_pattern(types.input, top(a_scale)); });
      std::ranges::generate(tile.b, [&] { return input_pattern(types.input, top(b_scale)); });
      std::ranges::generate(tile.c, [&] {
        const double sign = generator.integer(0, 1) == 0 ? 1 : -1;
        return sum_pattern(types.accumulator, sign * top(a_scale * b_scale));
      });
      for (const hw::MmaNumerics& numerics : {two_steps, one_step}) {
        ASSERT_EQ(fast(numerics, tile), plain(numerics, tile)) << "tile " << i;
      }
    }
  }
}

TEST(TensorCore, AnyStepsAndFractionBitsFollowThePlainDefinition) {
  Generator generator(10);
  for (const hw::MmaNumerics& numerics : {hw::MmaNumerics{4, 4, 23, false, ""}, hw::MmaNumerics{1, 16, 30, false, ""},
                                          hw::MmaNumerics{2, 8, 26, false, ""}, hw::MmaNumerics{1, 16, 13, false, ""},
                                          hw::MmaNumerics{16, 1, 24, false, ""}}) {
    for (const Types& types : all_types) {
      for (int i = 0; i < 20; ++i) {
        const Tile tile(types, 16, 8, static_cast<Kind>(i % static_cast<int>(Kind::count)), generator);
        ASSERT_EQ(fast(numerics, tile), plain(numerics, tile));
      }
    }
  }
}

TEST(TensorCore, LargerShapesAreTheSameElements) {
  Generator generator(11);
  for (const auto& [m, n] : {std::pair{16, 24}, std::pair{64, 8}, std::pair{80, 16}, std::pair{64, 256}, {128, 40}}) {
    for (const Types& types : all_types) {
      const Tile tile(types, m, n, Kind::any_finite, generator);
      ASSERT_EQ(fast(one_step, tile), plain(one_step, tile)) << m << " x " << n;
    }
  }
}

TEST(TensorCore, ResultMayReplaceTheAddend) {
  Generator generator(12);
  for (const Types& types : all_types) {
    for (const Kind kind : {Kind::normal, Kind::any_pattern}) {
      const Tile tile(types, 64, 16, kind, generator);
      std::vector<std::uint32_t> in_place = tile.c;
      mma_k16(two_steps, types.input, types.accumulator, tile.m, tile.n, tile.a.data(), tile.b.data(), in_place.data(),
              in_place.data());
      EXPECT_EQ(in_place, fast(two_steps, tile));
    }
  }
}

TEST(TensorCore, HighHalfOfAnF16AddendIsIgnored) {
  Generator generator(13);
  const Types types{MmaInput::f16, MmaAccumulator::f16};
  Tile tile(types, 16, 8, Kind::normal, generator);
  const auto expected = fast(one_step, tile);
  for (std::uint32_t& c : tile.c) {
    c |= static_cast<std::uint32_t>(generator.random()()) << 16;
  }
  EXPECT_EQ(fast(one_step, tile), expected);
  EXPECT_EQ(plain(one_step, tile), expected);
}

TEST(TensorCore, ZeroProductsGiveTheAddend) {
  Generator generator(14);
  for (const hw::MmaNumerics& numerics : {two_steps, one_step}) {
    for (const Types& types : all_types) {
      const std::uint32_t sign = types.accumulator == MmaAccumulator::f16 ? 0x8000 : 0x80000000;
      for (int i = 0; i < 200; ++i) {
        Tile tile(types, 16, 8);
        std::ranges::generate(tile.a, [&] { return generator.input(types.input, Kind::any_finite); });
        std::ranges::generate(tile.c, [&] { return generator.sum(types.accumulator, Kind::any_finite); });
        tile.c[0] = sign;  // -0 becomes +0
        std::vector<std::uint32_t> expected = tile.c;
        std::ranges::replace(expected, sign, 0U);
        ASSERT_EQ(fast(numerics, tile), expected);
      }
    }
  }
}

TEST(TensorCore, OrderWithinAStepDoesNotMatter) {
  Generator generator(15);
  for (const hw::MmaNumerics& numerics : {two_steps, one_step}) {
    for (const Types& types : all_types) {
      for (int i = 0; i < 200; ++i) {
        const Tile tile(types, 16, 8, static_cast<Kind>(i % static_cast<int>(Kind::count)), generator);
        int order[16];
        for (int k = 0; k < 16; ++k) {
          order[k] = k;
        }
        for (int k = 0; k < 16; k += numerics.terms) {
          std::shuffle(order + k, order + k + numerics.terms, generator.random());
        }
        Tile permuted = tile;
        for (std::size_t e = 0; e < tile.a.size(); ++e) {
          permuted.a[e] = tile.a[e / 16 * 16 + order[e % 16]];
        }
        for (std::size_t e = 0; e < tile.b.size(); ++e) {
          permuted.b[e] = tile.b[e / 16 * 16 + order[e % 16]];
        }
        ASSERT_EQ(fast(numerics, permuted), fast(numerics, tile));
      }
    }
  }
}

// One element from products a[k] * 1 and an addend.
double one_element(const hw::MmaNumerics& numerics, MmaAccumulator accumulator, std::vector<double> products,
                   double c) {
  Tile tile({MmaInput::f16, accumulator}, 16, 8);
  products.resize(16);
  for (int k = 0; k < 16; ++k) {
    tile.a[k] = input_pattern(MmaInput::f16, products[k]);
    tile.b[k] = input_pattern(MmaInput::f16, 1);
  }
  tile.c[0] = sum_pattern(accumulator, c);
  const std::uint32_t d = fast(numerics, tile)[0];
  EXPECT_EQ(d, plain(numerics, tile)[0]);
  return accumulator == MmaAccumulator::f16 ? to_f64<f16_format>(static_cast<std::uint16_t>(d))
                                            : std::bit_cast<float>(d);
}

TEST(TensorCore, GenerationsDiffer) {
  // 1024 * (1 + 2^-25) - 1024: the small product survives 25 fraction bits but not 24.
  const std::vector<double> products{1024, 0x1p-15, 0, 0, 0, 0, 0, 0, -1024};
  EXPECT_EQ(one_element(two_steps, MmaAccumulator::f32, products, 0), 0);
  EXPECT_EQ(one_element(one_step, MmaAccumulator::f32, products, 0), 0x1p-15);
}

TEST(TensorCore, HalfAccumulationStallsAt2048) {
  for (const hw::MmaNumerics& numerics : {two_steps, one_step}) {
    EXPECT_EQ(one_element(numerics, MmaAccumulator::f16, {1}, 2048), 2048);
    EXPECT_EQ(one_element(numerics, MmaAccumulator::f16, {1}, 2050), 2052);
    EXPECT_EQ(one_element(numerics, MmaAccumulator::f32, {1}, 2048), 2049);
  }
  // A product in each half: rounded once 2050, rounded between the halves 2048.
  const std::vector<double> two{1, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(one_element(one_step, MmaAccumulator::f16, two, 2048), 2050);
  EXPECT_EQ(one_element(two_steps, MmaAccumulator::f16, two, 2048), 2048);
}

TEST(TensorCore, SinglePrecisionSumsAreCutTowardZero) {
  EXPECT_EQ(one_element(one_step, MmaAccumulator::f32, {1, 0x1p-24, 0x1p-24, 0x1p-24}, 0), 1 + 0x1p-23);
  EXPECT_EQ(one_element(one_step, MmaAccumulator::f32, {-1, -0x1p-24, -0x1p-24, -0x1p-24}, 0), -1 - 0x1p-23);
}

// Around 2^31 units of the last place: the largest sums that 32 bits hold, and the first that they do not.
TEST(TensorCore, SumsAroundTheEndOf32Bits) {
  const double top = 2 - 0x1p-10;
  const double rest = 64 - 16 * top * top;
  for (const double sign : {1.0, -1.0}) {
    Tile tile({MmaInput::f16, MmaAccumulator::f32}, 16, 8);
    std::ranges::fill(tile.a, input_pattern(MmaInput::f16, top));
    std::ranges::fill(tile.b, input_pattern(MmaInput::f16, sign * top));
    for (int i = -300; i < 256; ++i) {
      std::ranges::fill(tile.c, sum_pattern(MmaAccumulator::f32, sign * (rest + i * 0x1p-25)));
      const double exact = i >= 0 ? 64 : 64 - 0x1p-18 * ((-i + 127) / 128);  // cut to 24 bits
      const auto d = fast(one_step, tile);
      ASSERT_EQ(d, plain(one_step, tile)) << i;
      ASSERT_EQ(std::bit_cast<float>(d[0]), static_cast<float>(sign * exact)) << i;
    }
  }
}

TEST(TensorCore, InfinitiesAndNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const hw::MmaNumerics& numerics : {two_steps, one_step}) {
    for (const MmaAccumulator accumulator : {MmaAccumulator::f16, MmaAccumulator::f32}) {
      EXPECT_EQ(one_element(numerics, accumulator, {infinity, 1}, -5), infinity);
      EXPECT_EQ(one_element(numerics, accumulator, {1}, -infinity), -infinity);
      EXPECT_TRUE(std::isnan(one_element(numerics, accumulator, {infinity}, -infinity)));
      EXPECT_TRUE(std::isnan(one_element(numerics, accumulator, {infinity, -infinity}, 0)));
      EXPECT_TRUE(std::isnan(one_element(numerics, accumulator, {std::nan("")}, 0)));
    }
    EXPECT_EQ(one_element(numerics, MmaAccumulator::f16, {32768, 32752}, 0), infinity);  // 65520 rounds up
    EXPECT_EQ(one_element(numerics, MmaAccumulator::f16, {32768, 32736}, 0), 65504);
    EXPECT_EQ(one_element(numerics, MmaAccumulator::f16, {-32768, -32768}, 0), -infinity);
  }
}

}  // namespace
}  // namespace tileloom::emu
