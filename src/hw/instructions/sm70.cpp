// SPDX-License-Identifier: Apache-2.0
// Volta: mma.m8n8k4, executed by the quad pairs of a warp, each on matrices of its own. Quad pair 0 is lanes 0-3 and
// 16-19.
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

using enum ElementType;

constexpr std::string_view quad_pair = "(_4,_2):(_1,_16)";
constexpr std::string_view row = "(_8,_4):(_1,_8)";
constexpr std::string_view column = "((_4,_2),_4):((_8,_4),_1)";
constexpr std::string_view c_16_bit = "(_8,_8):(_1,_8)";
constexpr std::string_view c_32_bit = "((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))";

constexpr std::array<MmaTypes, 1> half{{{f16, f16, f16, f16}}};
constexpr std::array<MmaTypes, 1> mixed{{{f32, f16, f16, f32}}};
constexpr std::array<std::string_view, 4> suffixes{"_TN", "_NT", "_NN", "_TT"};

constexpr MmaFamily family(std::string_view a, std::string_view b, std::string_view c, std::span<const MmaTypes> types,
                           const std::string_view& suffix) {
  return {.sm = 70,
          .m = 8,
          .n = 8,
          .k = 4,
          .thread_id = quad_pair,
          .a = a,
          .b = b,
          .c = c,
          .types = types,
          .suffixes = {&suffix, 1}};
}

constexpr std::array<MmaFamily, 8> families{
    family(row, row, c_16_bit, half, suffixes[0]),     family(column, column, c_16_bit, half, suffixes[1]),
    family(column, row, c_16_bit, half, suffixes[2]),  family(row, column, c_16_bit, half, suffixes[3]),
    family(row, row, c_32_bit, mixed, suffixes[0]),    family(column, column, c_32_bit, mixed, suffixes[1]),
    family(column, row, c_32_bit, mixed, suffixes[2]), family(row, column, c_32_bit, mixed, suffixes[3])};

}  // namespace

std::span<const MmaFamily> sm70_mma() {
  return families;
}

}  // namespace tileloom::hw
