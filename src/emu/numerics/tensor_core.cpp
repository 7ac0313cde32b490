// SPDX-License-Identifier: Apache-2.0
// The fast path of mma_k16: the fused step in f32 and 32-bit integers, eight columns at a time.
//
// A product of two inputs is exact in f32. Multiplied by 2^(F-E) and converted to an integer toward zero it is the
// aligned, truncated magnitude with its sign. What does not fit this (infinities, NaN, overflow, exponents near the
// ends of f32) is marked per element and computed by mma_k16_element. No subnormal f32 decides a result, so the host's
// flush-to-zero modes do not matter.
#include <algorithm>
#include <bit>
#include <limits>

#include "emu/simd.hpp"
#include "tileloom/emu/float16.hpp"
#include "tileloom/emu/tensor_core.hpp"

namespace tileloom::emu {
namespace {

constexpr int depth = 16;                       // K
constexpr int columns = 8;                      // of N, computed together
constexpr int tile_rows = 16;                   // of M, computed together
constexpr int tile_size = tile_rows * columns;  // elements of D, row by row
constexpr int block_rows = 64;                  // of A, prepared together

// Exponents of inputs carry a bias of 127 each, those of products and addends 254.
constexpr std::int32_t bias = 127;
constexpr std::int32_t product_bias = 2 * bias;
// Where 2^(F-E), 2^(E-F) and the result are normal f32 numbers.
constexpr std::int32_t min_exponent = product_bias - 96;
constexpr std::int32_t max_exponent = product_bias + 120;
// Of a zero: its products lie below any other. Of an input for the slow path: its products lie above, even with zero.
constexpr std::int32_t zero_exponent = -4096;
constexpr std::int32_t awkward_exponent = 8192;
constexpr std::int32_t nothing = zero_exponent + 1024;  // at or below this every term is zero

constexpr std::uint32_t sign_bit = 0x80000000;
constexpr std::uint32_t f32_infinity = 0x7F800000;

// Inputs as f32, and their exponents as the rule takes them: a subnormal has its format's smallest.
template <int Size>
struct Prepared {
  alignas(32) float value[Size];
  alignas(32) std::int32_t exponent[Size];
};
using Rows = Prepared<block_rows * depth>;  // of A
using Columns = Prepared<depth * columns>;  // of B, side by side

// The sums of a tile between steps, and which of its elements the slow path must compute (1).
struct Sums {
  alignas(32) float value[tile_size];
  alignas(32) std::int32_t awkward[tile_size];
};

// Of one step: E, the unit 2^(E-F) of the aligned terms as an exponent, its reciprocal, and the terms' sum.
struct Step {
  alignas(32) std::int32_t largest[tile_size];
  alignas(32) std::int32_t unit[tile_size];
  alignas(32) float scale[tile_size];
  alignas(32) std::int32_t sum[tile_size];
};

TILELOOM_FORCE_INLINE float power_of_two(std::int32_t exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + bias) << 23);
}

// A choice without a branch, so that the vectoriser sees straight-line code.
TILELOOM_FORCE_INLINE std::uint32_t select(bool condition, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

// A finite f16 whose sign was extended to 32 bits, or any bf16.
template <MmaInput Type>
TILELOOM_FORCE_INLINE float widen(std::int32_t extended) {
  if constexpr (Type == MmaInput::bf16) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(extended) << 16);
  }
  const std::uint32_t bits = (static_cast<std::uint32_t>(extended) << 13) & 0x8FFFE000U;
  // A subnormal is read as the normal number of the same fraction and exponent -14, less 2^-14.
  const std::uint32_t one = (bits & sign_bit) | 0x38800000U;
  const float subnormal = std::bit_cast<float>(bits + 0x38800000U) - std::bit_cast<float>(one);
  return std::bit_cast<float>(
      select((bits & 0x0F800000U) == 0, std::bit_cast<std::uint32_t>(subnormal), bits + 0x38000000U));
}

// What the slow path must see is zero here, and its exponent says so.
template <MmaInput Type, int Size>
TILELOOM_FORCE_INLINE void prepare(const std::uint16_t* in, int count, Prepared<Size>& out) {
  constexpr FloatFormat format = Type == MmaInput::f16 ? f16_format : bf16_format;
  // bf16: exponents from -60 to 60, so that products keep clear of f32's ends.
  constexpr int lowest = Type == MmaInput::f16 ? 0 : bias - 60;
  constexpr int highest = Type == MmaInput::f16 ? 30 : bias + 60;
  alignas(32) std::int16_t exponent[Size];
  alignas(32) std::int16_t clean[Size];
  for (int i = 0; i < count; ++i) {
    const auto magnitude = static_cast<std::int16_t>(in[i] & 0x7FFF);
    const auto field = static_cast<std::int16_t>(magnitude >> format.fraction_bits);
    const auto zero = static_cast<std::int16_t>(-(magnitude == 0));
    const auto awkward = static_cast<std::int16_t>(-((field < lowest) | (field > highest)) & ~zero);
    const auto normal = static_cast<std::int16_t>(std::max<std::int16_t>(field, 1) + (bias - format.bias()));
    exponent[i] =
        static_cast<std::int16_t>((zero & zero_exponent) | (awkward & awkward_exponent) | (normal & ~(zero | awkward)));
    clean[i] = static_cast<std::int16_t>(in[i] & ~awkward);
  }
  for (int i = 0; i < count; ++i) {
    out.exponent[i] = exponent[i];
  }
  for (int i = 0; i < count; ++i) {
    out.value[i] = widen<Type>(clean[i]);
  }
}

// Interleaves the halves of `in`: the first bit of an element's index becomes the last.
TILELOOM_FORCE_INLINE void interleave(const std::uint16_t* in, std::uint16_t* out) {
  constexpr int half = depth * columns / 2;
  for (int i = 0; i < half; ++i) {
    out[2 * i] = in[i];
    out[2 * i + 1] = in[i + half];
  }
}

// The index of b[j][k] has the bits j2 j1 j0 k3 k2 k1 k0; turned three times it is that of [k][j].
template <MmaInput Type>
TILELOOM_FORCE_INLINE void prepare_columns(const std::uint16_t* b, Columns& out) {
  static_assert(columns == 8);
  alignas(32) std::uint16_t first[depth * columns];
  alignas(32) std::uint16_t second[depth * columns];
  interleave(b, first);
  interleave(first, second);
  interleave(second, first);
  prepare<Type>(first, depth * columns, out);
}

// An infinite or NaN addend goes the slow way and is zero here.
template <MmaAccumulator Type>
TILELOOM_FORCE_INLINE void take_addends(const std::uint32_t* c, Sums& sums) {
  constexpr bool is_f16 = Type == MmaAccumulator::f16;
  constexpr std::uint32_t infinity = is_f16 ? 0x7C00 : f32_infinity;
  for (int i = 0; i < tile_size; ++i) {
    const bool special = (c[i] & infinity) == infinity;
    const std::uint32_t finite = select(special, 0U, c[i]);
    sums.value[i] = is_f16 ? widen<MmaInput::f16>(static_cast<std::int16_t>(finite)) : std::bit_cast<float>(finite);
    sums.awkward[i] = static_cast<std::int32_t>(special);
  }
}

// The pattern of a sum, which its type holds exactly.
template <MmaAccumulator Type>
TILELOOM_FORCE_INLINE std::uint32_t to_pattern(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if constexpr (Type == MmaAccumulator::f32) {
    return bits;
  }
  const std::uint32_t absolute = bits & ~sign_bit;
  const std::uint32_t normal = (absolute >> 13) - (112U << 10);
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(absolute) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  return select(absolute < (113U << 23), subnormal, normal) | ((bits & sign_bit) >> 16);
}

// E of the addends alone.
template <MmaAccumulator Type>
TILELOOM_FORCE_INLINE void start_with_addends(const Sums& sums, Step& step) {
  constexpr std::int32_t lowest_field = Type == MmaAccumulator::f32 ? 1 : bias - 14;
  for (int i = 0; i < tile_size; ++i) {
    const std::uint32_t absolute = std::bit_cast<std::uint32_t>(sums.value[i]) & ~sign_bit;
    const auto field = static_cast<std::int32_t>(absolute >> 23);
    const std::int32_t exponent = std::max(field, lowest_field) + bias;
    step.largest[i] = static_cast<std::int32_t>(select(absolute == 0, zero_exponent, exponent));
  }
}

// E of all terms of the step.
template <int Terms>
TILELOOM_FORCE_INLINE void find_largest(const std::int32_t* a, const std::int32_t* b, Step& step) {
  for (int i = 0; i < tile_rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      std::int32_t largest = step.largest[i * columns + j];
#pragma GCC unroll 16
      for (int k = 0; k < Terms; ++k) {
        largest = std::max(largest, a[i * depth + k] + b[k * columns + j]);
      }
      step.largest[i * columns + j] = largest;
    }
  }
}

TILELOOM_FORCE_INLINE void choose_units(int fraction_bits, Sums& sums, Step& step) {
  for (int i = 0; i < tile_size; ++i) {
    const std::int32_t largest = step.largest[i];
    const bool any = largest > nothing;
    const bool awkward = any & ((largest < min_exponent) | (largest > max_exponent));
    const auto exponent = static_cast<std::int32_t>(select(any & !awkward, largest - product_bias, 0));
    const std::uint32_t scale = std::bit_cast<std::uint32_t>(power_of_two(fraction_bits - exponent));
    step.unit[i] = exponent - fraction_bits;
    step.scale[i] = std::bit_cast<float>(select(awkward, 0U, scale));
    sums.awkward[i] |= static_cast<std::int32_t>(awkward);
  }
}

template <int Terms>
TILELOOM_FORCE_INLINE void sum_products(const float* a, const float* b, Step& step) {
  for (int i = 0; i < tile_rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const float scale = step.scale[i * columns + j];
      std::int32_t sum = 0;
#pragma GCC unroll 16
      for (int k = 0; k < Terms; ++k) {
        sum += static_cast<std::int32_t>(a[i * depth + k] * b[k * columns + j] * scale);
      }
      step.sum[i * columns + j] = sum;
    }
  }
}

// magnitude * 2^unit rounded to the type, the magnitude at most 2^31 - 256. An f16 overflow gives 65536 or more.
template <MmaAccumulator Type>
TILELOOM_FORCE_INLINE float round_sum(std::int32_t magnitude, std::int32_t unit) {
  const auto nearest = static_cast<float>(magnitude);
  const auto back = static_cast<std::int32_t>(nearest);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  bits -= static_cast<std::uint32_t>(back > magnitude);  // toward zero
  if constexpr (Type == MmaAccumulator::f32) {
    return std::bit_cast<float>(bits) * power_of_two(unit);
  }
  // To odd: the last of 24 bits says that something was cut off, so that the rounding to 11 bits is the only one.
  bits |= static_cast<std::uint32_t>(back != magnitude);
  const float value = std::bit_cast<float>(bits) * power_of_two(unit);
  // Adding a number whose last place is that of the f16 result rounds to it; 0.5 does so for f16 subnormals.
  const auto binade = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(value) & f32_infinity);
  const std::int32_t half = std::bit_cast<std::int32_t>(0.5F);
  const auto rounder = std::bit_cast<float>(std::max(binade + (13 << 23), half));
  return (value + rounder) - rounder;
}

template <MmaAccumulator Type>
TILELOOM_FORCE_INLINE void round_sums(const Step& step, Sums& sums) {
  constexpr float overflow = Type == MmaAccumulator::f16 ? 65536.0F : std::numeric_limits<float>::infinity();
  for (int i = 0; i < tile_size; ++i) {
    const auto products = static_cast<std::uint32_t>(step.sum[i]);
    const auto addend = static_cast<std::uint32_t>(static_cast<std::int32_t>(sums.value[i] * step.scale[i]));
    const std::uint32_t sum = products + addend;
    const std::uint32_t magnitude = select((sum & sign_bit) != 0, 0U - sum, sum);
    // The sum left 32 bits, or could round up to 2^31 in f32.
    const std::uint32_t limits = ((products ^ sum) & (addend ^ sum)) | (magnitude + 0xFFU);
    const bool too_large = (limits & sign_bit) != 0;
    const float rounded = round_sum<Type>(static_cast<std::int32_t>(select(too_large, 0U, magnitude)), step.unit[i]);
    const std::uint32_t sign = select(rounded == 0.0F, 0U, sum & sign_bit);
    sums.value[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) | sign);
    sums.awkward[i] |= static_cast<std::int32_t>(too_large | (rounded >= overflow));
  }
}

template <MmaAccumulator Type, int Terms>
TILELOOM_FORCE_INLINE void fused_step(const Rows& a, int a_offset, const Columns& b, int k, int fraction_bits,
                                      Sums& sums) {
  Step step;
  start_with_addends<Type>(sums, step);
  find_largest<Terms>(a.exponent + a_offset + k, b.exponent + k * columns, step);
  choose_units(fraction_bits, sums, step);
  sum_products<Terms>(a.value + a_offset + k, b.value + k * columns, step);
  round_sums<Type>(step, sums);
}

struct Problem {
  const hw::MmaNumerics& numerics;
  int n;
  const std::uint16_t* a;
  const std::uint16_t* b;
  const std::uint32_t* c;
  std::uint32_t* d;
};

// The elements that the fast path leaves, from the inputs.
template <MmaInput Input, MmaAccumulator Type>
void finish_awkward(const Problem& p, const Sums& sums, const std::uint32_t* c, std::uint32_t* d) {
  for (int i = 0; i < tile_size; ++i) {
    if (sums.awkward[i] != 0) {
      const int row = i / columns;
      const int column = i % columns;
      d[i] = mma_k16_element(p.numerics, Input, Type, p.a + row * depth, p.b + column * depth, c[i]);
    }
  }
}

// 16 x 8 elements of D; `p` starts at them.
template <MmaInput Input, MmaAccumulator Type, int Steps>
TILELOOM_FORCE_INLINE void multiply_tile(const Problem& p, const Rows& a, int a_offset, const Columns& b) {
  constexpr int terms = depth / Steps;
  alignas(32) std::uint32_t c[tile_size];
  alignas(32) std::uint32_t d[tile_size];
  for (int i = 0; i < tile_rows; ++i) {
    std::copy_n(p.c + i * p.n, columns, c + i * columns);
  }
  Sums sums;
  take_addends<Type>(c, sums);
  for (int step = 0; step < Steps; ++step) {
    fused_step<Type, terms>(a, a_offset, b, step * terms, p.numerics.fraction_bits, sums);
  }
  std::int32_t any_awkward = 0;
  for (int i = 0; i < tile_size; ++i) {
    d[i] = to_pattern<Type>(sums.value[i]);
    any_awkward |= sums.awkward[i];
  }
  if (any_awkward != 0) {
    finish_awkward<Input, Type>(p, sums, c, d);
  }
  for (int i = 0; i < tile_rows; ++i) {
    std::copy_n(d + i * columns, columns, p.d + i * p.n);
  }
}

template <MmaInput Input, MmaAccumulator Type, int Steps>
TILELOOM_VECTOR_CLONES void multiply_block(const Problem& p, int rows) {
  Rows a;
  Columns b;
  prepare<Input>(p.a, rows * depth, a);
  for (int n = 0; n < p.n; n += columns) {
    prepare_columns<Input>(p.b + n * depth, b);
    for (int m = 0; m < rows; m += tile_rows) {
      const int at = m * p.n + n;
      const Problem tile{p.numerics, p.n, p.a + m * depth, p.b + n * depth, p.c + at, p.d + at};
      multiply_tile<Input, Type, Steps>(tile, a, m * depth, b);
    }
  }
}

template <int Steps>
void multiply(MmaInput input, MmaAccumulator accumulator, const Problem& p, int rows) {
  if (input == MmaInput::bf16) {
    multiply_block<MmaInput::bf16, MmaAccumulator::f32, Steps>(p, rows);
  } else if (accumulator == MmaAccumulator::f32) {
    multiply_block<MmaInput::f16, MmaAccumulator::f32, Steps>(p, rows);
  } else {
    multiply_block<MmaInput::f16, MmaAccumulator::f16, Steps>(p, rows);
  }
}

void multiply_slowly(MmaInput input, MmaAccumulator accumulator, const Problem& p, int rows) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < p.n; ++j) {
      p.d[i * p.n + j] =
          mma_k16_element(p.numerics, input, accumulator, p.a + i * depth, p.b + j * depth, p.c[i * p.n + j]);
    }
  }
}

}  // namespace

void mma_k16(const hw::MmaNumerics& numerics, MmaInput input, MmaAccumulator accumulator, int m, int n,
             const std::uint16_t* a, const std::uint16_t* b, const std::uint32_t* c, std::uint32_t* d) {
  const bool one_step = numerics.steps == 1 && numerics.terms == depth && numerics.fraction_bits <= 25;
  const bool two_steps = numerics.steps == 2 && numerics.terms == depth / 2 && numerics.fraction_bits <= 25;
  const auto block = one_step ? multiply<1> : two_steps ? multiply<2> : multiply_slowly;
  for (int i = 0; i < m; i += block_rows) {
    const Problem problem{numerics, n, a + i * depth, b, c + i * n, d + i * n};
    block(input, accumulator, problem, std::min(block_rows, m - i));
  }
}

}  // namespace tileloom::emu
