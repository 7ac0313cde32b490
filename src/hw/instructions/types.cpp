// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

struct TypeFacts {
  int bits;
  std::string_view ptx, cute, cpp;
};

// In the order of ElementType.
constexpr std::array<TypeFacts, 13> facts{{{16, "f16", "F16", "half_t"},
                                           {16, "bf16", "BF16", "bfloat16_t"},
                                           {32, "tf32", "TF32", "tfloat32_t"},
                                           {32, "f32", "F32", "float"},
                                           {64, "f64", "F64", "double"},
                                           {8, "e4m3", "E4M3", "float_e4m3_t"},
                                           {8, "e5m2", "E5M2", "float_e5m2_t"},
                                           {8, "s8", "S8", "int8_t"},
                                           {8, "u8", "U8", "uint8_t"},
                                           {4, "s4", "S4", "int4b_t"},
                                           {4, "u4", "U4", "uint4b_t"},
                                           {32, "s32", "S32", "int"},
                                           {1, "b1", "U1", "uint1b_t"}}};
static_assert(facts[static_cast<std::size_t>(ElementType::b1)].bits == 1);

const TypeFacts& of(ElementType type) {
  return facts[static_cast<std::size_t>(type)];
}

}  // namespace

int bits(ElementType type) {
  return of(type).bits;
}

std::string_view name(ElementType type) {
  return of(type).ptx;
}

std::string_view cute_name(ElementType type) {
  return of(type).cute;
}

std::string_view cpp_name(ElementType type) {
  return of(type).cpp;
}

}  // namespace tileloom::hw
