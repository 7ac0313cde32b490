// SPDX-License-Identifier: Apache-2.0
// Ada: 8-bit floating point.
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

using enum ElementType;

constexpr std::array<MmaTypes, 8> types{{{f32, e4m3, e4m3, f32},
                                         {f32, e4m3, e5m2, f32},
                                         {f32, e5m2, e5m2, f32},
                                         {f32, e5m2, e4m3, f32},
                                         {f16, e4m3, e4m3, f16},
                                         {f16, e4m3, e5m2, f16},
                                         {f16, e5m2, e5m2, f16},
                                         {f16, e5m2, e4m3, f16}}};
constexpr std::array<std::string_view, 1> tn{"_TN"};

constexpr std::array<MmaFamily, 1> families{{{.sm = 89,
                                              .m = 16,
                                              .n = 8,
                                              .k = 32,
                                              .thread_id = "_32",
                                              .a = "((_4,_8),(_4,_2,_2)):((_64,_1),(_16,_8,_256))",
                                              .b = "((_4,_8),(_4,_2)):((_32,_1),(_8,_128))",
                                              .c = "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
                                              .types = types,
                                              .suffixes = tn}}};

}  // namespace

std::span<const MmaFamily> sm89_mma() {
  return families;
}

}  // namespace tileloom::hw
