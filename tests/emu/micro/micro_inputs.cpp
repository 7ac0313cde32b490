// SPDX-License-Identifier: Apache-2.0
// Inputs: half of them values at which instructions differ (zeros, subnormals, infinities, NaNs with payloads,
// extremes, ties between halves), the others random bits, numbers of ordinary size, and neighbours of the operand
// before.
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

#include "emu/machine/split_mix.hpp"
#include "emu/micro/micro_case.hpp"
#include "tileloom/emu/float16.hpp"

namespace tileloom::emu::test {
namespace {

using U64 = std::uint64_t;

constexpr std::array<U64, 28> integers{0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       0x7F,
                                       0x80,
                                       0xFF,
                                       0x100,
                                       0x7FFF,
                                       0x8000,
                                       0xFFFF,
                                       0x10000,
                                       0x7FFFFF,
                                       0x800000,
                                       0x7FFFFFFF,
                                       0x80000000,
                                       0x80000001,
                                       0xFFFFFFFE,
                                       0xFFFFFFFF,
                                       0x100000000,
                                       0x7FFFFFFFFFFFFFFF,
                                       0x8000000000000000,
                                       0x8000000000000001,
                                       0xFFFFFFFFFFFFFFFE,
                                       0xFFFFFFFFFFFFFFFF,
                                       0x5555555555555555,
                                       0xFFFFFFFF80000000};
constexpr std::array<U64, 20> counts{0,  1,  2,  7,  8,  15,  16,  17,  30,         31,
                                     32, 33, 63, 64, 65, 255, 256, 287, 0xFFFFFFFF, 0x80000001};
constexpr std::array<U64, 46> singles{
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00400000, 0x00800000,
    0x80800000, 0x00800001, 0x3F800000, 0xBF800000, 0x3F800001, 0x3F7FFFFF, 0x3F000000, 0xBF000000,
    0x3FC00000, 0x40200000, 0x40000000, 0xC0400000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
    0x7FFFFFFF, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FA12345, 0xFFD54321, 0x4B000001, 0x4AFFFFFF,
    0x4F000000, 0xCF000000, 0x4F800000, 0x5F000000, 0x5F800000, 0x477FE000, 0x477FF000, 0x477FEFFF,
    0x33800000, 0x33000000, 0x3F801000, 0x3F808000, 0x7F7F8000, 0x7F7F7FFF};
constexpr std::array<U64, 40> doubles{
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF,
    0x0008000000000000, 0x0010000000000000, 0x8010000000000000, 0x3FF0000000000000, 0xBFF0000000000000,
    0x3FF0000000000001, 0x3FEFFFFFFFFFFFFF, 0x3FE0000000000000, 0xBFE0000000000000, 0x3FF8000000000000,
    0x4004000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000,
    0x7FF8000000000000, 0xFFF8000000000000, 0x7FFFFFFFFFFFFFFF, 0x7FF0000000000001, 0x7FF4567812345678,
    0xFFFA123456789ABC, 0x4330000000000001, 0x432FFFFFFFFFFFFF, 0x41E0000000000000, 0xC1E0000000000000,
    0x41EFFFFFFFF00000, 0x43E0000000000000, 0xC3E0000000000000, 0x43F0000000000000, 0x47EFFFFFE0000000,
    0x47EFFFFFF0000000, 0x36A0000000000000, 0x3690000000000000, 0x3FF0000010000000, 0x40EFFDFFFFFFFFFF};
constexpr std::array<U64, 26> halves{0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0200, 0x0400, 0x8400,
                                     0x3C00, 0xBC00, 0x3C01, 0x3BFF, 0x3800, 0x3E00, 0x4100, 0x7BFF, 0xFBFF,
                                     0x7C00, 0xFC00, 0x7FFF, 0x7E00, 0xFE00, 0x7C01, 0x7D12, 0xFF21};
constexpr std::array<U64, 26> brains{0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x807F, 0x0040, 0x0080, 0x8080,
                                     0x3F80, 0xBF80, 0x3F81, 0x3F7F, 0x3F00, 0x3FC0, 0x4020, 0x7F7F, 0xFF7F,
                                     0x7F80, 0xFF80, 0x7FFF, 0x7FC0, 0xFFC0, 0x7F81, 0x7FA1, 0xFFD5};
// shfl.sync's clamp and segment mask.
constexpr std::array<U64, 9> controls{0x1F, 0x101F, 0x181F, 0x1C1F, 0x1E1F, 0x0, 0x1800, 0x1C00, 0x0C07};

enum class Kind : std::uint8_t {
  count,
  few,
  lane,
  control_lane,
  pred,
  f32,
  f64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f16x4,
  bf16x4,
  f32wide,
  f32zero,  // of either sign
  f16zero,
  f32below,  // less than 1
  f16below,
  f32near,  // a product with the operand before is about the least normal number
  f16near,
  f64near,  // about the least normal f32
  integer,  // everything else
};
constexpr std::array<std::string_view, 21> kind_names{
    "count",   "few",     "lane",     "control_lane", "pred",    "f32",     "f64",
    "f16",     "bf16",    "f16x2",    "bf16x2",       "f16x4",   "bf16x4",  "f32wide",
    "f32zero", "f16zero", "f32below", "f16below",     "f32near", "f16near", "f64near"};

Kind kind_of(const std::string& name) {
  return static_cast<Kind>(std::find(kind_names.begin(), kind_names.end(), name) - kind_names.begin());
}

class Values {
 public:
  explicit Values(U64 seed) : random_(seed) {}

  U64 bits() { return random_.word(++count_); }
  U64 below(U64 n) { return bits() % n; }
  U64 one_of(std::span<const U64> list) { return list[below(list.size())]; }

  U64 value(Kind kind, U64 before) {
    switch (kind) {
      case Kind::count:
        return below(8) == 0 ? bits() >> 32 : below(2) == 0 ? one_of(counts) : below(40);
      case Kind::few:
        return below(3);
      case Kind::lane:
        return below(4) == 0 ? below(80) : below(32);
      case Kind::control_lane:
        return one_of(controls);
      case Kind::pred:
        return below(2);
      case Kind::f32:
        return real(singles, 31, 23, before);
      case Kind::f64:
        return real(doubles, 63, 52, before);
      case Kind::f16:
        return real(halves, 15, 10, before);
      case Kind::bf16:
        return real(brains, 15, 7, before);
      case Kind::f16x2:
        return real(halves, 15, 10, before) | real(halves, 15, 10, before >> 16) << 16;
      case Kind::bf16x2:
        return real(brains, 15, 7, before) | real(brains, 15, 7, before >> 16) << 16;
      case Kind::f16x4:
        return four(halves, 10);
      case Kind::bf16x4:
        return four(brains, 7);
      case Kind::f32wide:
        return ordinary(31, 23) | ordinary(31, 23) << 32;
      case Kind::f32zero:
        return (bits() & 1) << 31;
      case Kind::f16zero:
        return (bits() & 1) << 15;
      case Kind::f32below:
        return (bits() & 1) << 31 | (110 + below(16)) << 23 | (bits() & 0x7FFFFF);
      case Kind::f16below:
        return (bits() & 1) << 15 | (8 + below(6)) << 10 | (bits() & 0x3FF);
      case Kind::f32near:
        return near_single(before);
      case Kind::f16near:
        return near_half(before);
      case Kind::f64near:
        return ((bits() & 1) << 63 | U64{0x381} << 52) + (below(1U << 12) << 22) - (U64{1} << 33);
      default:
        return integer(before);
    }
  }

 private:
  U64 near_single(U64 before) {
    const float factor = 0x1p-126F / std::bit_cast<float>(static_cast<std::uint32_t>(before));
    return std::bit_cast<std::uint32_t>(factor) + below(5) - 2;
  }
  U64 near_half(U64 before) {
    const double factor = 0x1p-14 / to_f64<f16_format>(static_cast<std::uint16_t>(before));
    return (from_f64<f16_format>(factor, Rounding::rn) + below(5) - 2) & 0xFFFF;
  }

  U64 integer(U64 before) {
    switch (below(6)) {
      case 0:
      case 1:
      case 2:
        return one_of(integers);
      case 3:
        return bits() >> below(64);
      case 4:
        return before + below(3) - 1;
      default:
        return bits();
    }
  }

  // Within some powers of two of 1.
  U64 ordinary(unsigned sign, unsigned fraction) {
    const U64 bias = (U64{1} << (sign - fraction - 1)) - 1;
    const U64 exponent = bias - 4 + below(8);
    return (bits() & 1) << sign | exponent << fraction | (bits() & ((U64{1} << fraction) - 1));
  }

  // A number whose fraction ends in 1000... : a tie when it is rounded there.
  U64 tie(unsigned sign, unsigned fraction) {
    const unsigned at = static_cast<unsigned>(below(fraction));
    const U64 number = below(2) == 0 ? ordinary(sign, fraction) : bits() & ((U64{2} << sign) - 1);
    return (number >> at | 1) << at;
  }

  U64 real(std::span<const U64> special, unsigned sign, unsigned fraction, U64 before) {
    const U64 mask = (U64{2} << sign) - 1;
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return one_of(special);
      case 3:
        return tie(sign, fraction);
      case 4:
        return ((before ^ bits() << sign) + below(3) - 1) & mask;
      case 5:
        return bits() & mask;
      default:
        return ordinary(sign, fraction);
    }
  }

  U64 four(std::span<const U64> special, unsigned fraction) {
    U64 made = 0;
    for (unsigned i = 0; i < 4; ++i) {
      made = made << 16 | (below(200) == 0 ? one_of(special) : ordinary(15, fraction));
    }
    return made;
  }

  SplitMix random_;
  U64 count_ = 0;
};

U64 hash_of(const std::string& text) {
  U64 h = 0xCBF29CE484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return h;
}

}  // namespace

std::vector<U64> micro_values(const MicroCase& c) {
  Values values(hash_of(c.name));
  std::array<Kind, micro_inputs> kinds{};
  for (std::size_t i = 0; i < micro_inputs; ++i) kinds[i] = i < c.inputs.size() ? kind_of(c.inputs[i]) : Kind::integer;
  std::vector<U64> made(std::size_t{micro_ctas} * micro_threads * micro_inputs, 0);
  for (std::size_t thread = 0; thread < std::size_t{micro_ctas} * micro_threads; ++thread) {
    U64 before = 0;
    for (std::size_t i = 0; i < micro_inputs; ++i) {
      before = values.value(kinds[i], before);
      made[thread * micro_inputs + i] = before;
    }
  }
  return made;
}

}  // namespace tileloom::emu::test
