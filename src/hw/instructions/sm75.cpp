// SPDX-License-Identifier: Apache-2.0
// Turing.
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

using enum ElementType;

constexpr std::array<MmaTypes, 1> half{{{f32, f16, f16, f32}}};
constexpr std::array<MmaTypes, 1> int8{{{s32, s8, s8, s32}}};
constexpr std::array<std::string_view, 1> tn{"_TN"};

constexpr std::array<MmaFamily, 2> families{{{.sm = 75,
                                              .m = 16,
                                              .n = 8,
                                              .k = 8,
                                              .thread_id = "_32",
                                              .a = "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
                                              .b = "((_4,_8),_2):((_16,_1),_8)",
                                              .c = "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
                                              .types = half,
                                              .suffixes = tn},
                                             {.sm = 75,
                                              .m = 8,
                                              .n = 8,
                                              .k = 16,
                                              .thread_id = "_32",
                                              .a = "((_4,_8),_4):((_32,_1),_8)",
                                              .b = "((_4,_8),_4):((_32,_1),_8)",
                                              .c = "((_4,_8),_2):((_16,_1),_8)",
                                              .types = int8,
                                              .suffixes = tn}}};

}  // namespace

std::span<const MmaFamily> sm75_mma() {
  return families;
}

}  // namespace tileloom::hw
