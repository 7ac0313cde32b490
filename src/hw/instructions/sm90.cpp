// SPDX-License-Identifier: Apache-2.0
// Hopper: mma.sync of f64, and wgmma.
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

using enum ElementType;

constexpr std::array<MmaTypes, 1> real{{{f64, f64, f64, f64}}};
constexpr std::array<MmaTypes, 3> half{{{f16, f16, f16, f16}, {f32, f16, f16, f32}, {f32, bf16, bf16, f32}}};
constexpr std::array<MmaTypes, 1> tensor_float{{{f32, tf32, tf32, f32}}};
constexpr std::array<MmaTypes, 8> fp8{{{f16, e4m3, e4m3, f16},
                                       {f32, e4m3, e4m3, f32},
                                       {f16, e4m3, e5m2, f16},
                                       {f32, e4m3, e5m2, f32},
                                       {f16, e5m2, e4m3, f16},
                                       {f32, e5m2, e4m3, f32},
                                       {f16, e5m2, e5m2, f16},
                                       {f32, e5m2, e5m2, f32}}};
constexpr std::array<MmaTypes, 4> int8{
    {{s32, s8, s8, s32}, {s32, s8, u8, s32}, {s32, u8, s8, s32}, {s32, u8, u8, s32}}};

// Operands of 16 bits may be of either major in shared memory, which CuTe makes template arguments: no suffix.
constexpr std::array<std::string_view, 1> any_major{""};
constexpr std::array<std::string_view, 1> tn{"_TN"};
constexpr std::array<std::string_view, 2> saturating{"_TN", "_TN_SATURATE"};

// PTX ISA, wgmma: N in steps of 8, for integers in steps of 16 beyond 32.
constexpr std::array<int, 32> all_n = [] {
  std::array<int, 32> sizes{};
  for (int i = 0; i < 32; ++i) {
    sizes[static_cast<std::size_t>(i)] = 8 * (i + 1);
  }
  return sizes;
}();
constexpr std::array<int, 18> integer_n{8,   16,  24,  32,  48,  64,  80,  96,  112,
                                        128, 144, 160, 176, 192, 208, 224, 240, 256};

constexpr MmaFamily f64_family(int k, std::string_view a, std::string_view b) {
  return {.sm = 90,
          .m = 16,
          .n = 8,
          .k = k,
          .thread_id = "_32",
          .a = a,
          .b = b,
          .c = "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
          .types = real,
          .suffixes = tn};
}

constexpr MmaFamily wgmma(int k, std::span<const MmaTypes> types, std::span<const std::string_view> suffixes,
                          std::span<const int> n_sizes) {
  return {.level = MmaLevel::warpgroup,
          .sm = 90,
          .m = 64,
          .n = 0,
          .k = k,
          .thread_id = "_128",
          .a = {},
          .b = {},
          .c = {},
          .types = types,
          .suffixes = suffixes,
          .n_sizes = n_sizes};
}

constexpr std::array families{f64_family(4, "((_4,_8),_2):((_16,_1),_8)", "((_4,_8),_1):((_8,_1),_0)"),
                              f64_family(8, "((_4,_8),(_2,_2)):((_16,_1),(_8,_64))", "((_4,_8),_2):((_8,_1),_32)"),
                              f64_family(16, "((_4,_8),(_2,_4)):((_16,_1),(_8,_64))", "((_4,_8),_4):((_8,_1),_32)"),
                              wgmma(16, half, any_major, all_n),
                              wgmma(8, tensor_float, tn, all_n),
                              wgmma(32, fp8, tn, all_n),
                              wgmma(32, int8, saturating, integer_n)};

}  // namespace

std::span<const MmaFamily> sm90_mma() {
  return families;
}

}  // namespace tileloom::hw
