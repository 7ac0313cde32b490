// SPDX-License-Identifier: Apache-2.0
// UniversalFMA: one multiply-add of one thread.
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

using enum ElementType;

constexpr std::array<MmaTypes, 7> types{{{f32, f32, f32, f32},
                                         {f64, f64, f64, f64},
                                         {f16, f16, f16, f16},
                                         {bf16, bf16, bf16, bf16},
                                         {f32, f16, f16, f32},
                                         {f32, bf16, bf16, f32},
                                         {s32, s32, s32, s32}}};
constexpr std::array<std::string_view, 1> suffixes{""};

constexpr std::array<MmaFamily, 1> families{{{.level = MmaLevel::thread,
                                              .sm = 70,
                                              .m = 1,
                                              .n = 1,
                                              .k = 1,
                                              .thread_id = "_1",
                                              .a = "(_1,_1)",
                                              .b = "(_1,_1)",
                                              .c = "(_1,_1)",
                                              .types = types,
                                              .suffixes = suffixes}}};

}  // namespace

std::span<const MmaFamily> universal_mma() {
  return families;
}

}  // namespace tileloom::hw
