// SPDX-License-Identifier: Apache-2.0
// Ampere.
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

using enum ElementType;
using Types = std::span<const MmaTypes>;
using Suffixes = std::span<const std::string_view>;

constexpr std::array<MmaTypes, 3> half{{{f16, f16, f16, f16}, {f32, f16, f16, f32}, {f32, bf16, bf16, f32}}};
constexpr std::array<MmaTypes, 1> tensor_float{{{f32, tf32, tf32, f32}}};
constexpr std::array<MmaTypes, 1> real{{{f64, f64, f64, f64}}};
constexpr std::array<MmaTypes, 4> int8{
    {{s32, s8, s8, s32}, {s32, s8, u8, s32}, {s32, u8, s8, s32}, {s32, u8, u8, s32}}};
constexpr std::array<MmaTypes, 4> int4{
    {{s32, s4, s4, s32}, {s32, s4, u4, s32}, {s32, u4, s4, s32}, {s32, u4, u4, s32}}};
constexpr std::array<MmaTypes, 1> bit{{{s32, b1, b1, s32}}};

constexpr std::array<std::string_view, 1> tn{"_TN"};
constexpr std::array<std::string_view, 2> saturating{"_TN", "_TN_SATURATE"};
constexpr std::array<std::string_view, 2> counting{"_TN_XORPOPC", "_TN_ANDPOPC"};

struct Shape {
  int m, n, k;
};

constexpr MmaFamily family(Shape s, Types types, Suffixes suffixes, std::string_view a, std::string_view b,
                           std::string_view cute_a = {}, std::string_view cute_b = {}) {
  return {.sm = 80,
          .m = s.m,
          .n = s.n,
          .k = s.k,
          .thread_id = "_32",
          .a = a,
          .b = b,
          .c = s.m == 8 ? "((_4,_8),_2):((_16,_1),_8)" : "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
          .types = types,
          .suffixes = suffixes,
          .cute_a = cute_a,
          .cute_b = cute_b};
}

constexpr std::array families{
    family({16, 8, 8}, half, tn, "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))", "((_4,_8),_2):((_16,_1),_8)"),
    family({16, 8, 16}, half, tn, "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))",
           "((_4,_8),(_2,_2)):((_16,_1),(_8,_64))"),
    family({16, 8, 4}, tensor_float, tn, "((_4,_8),_2):((_16,_1),_8)", "((_4,_8),_1):((_8,_1),_0)"),
    family({16, 8, 8}, tensor_float, tn, "((_4,_8),(_2,_2)):((_16,_1),(_8,_64))", "((_4,_8),_2):((_8,_1),_32)"),
    family({8, 8, 4}, real, tn, "((_4,_8),_1):((_8,_1),_0)", "((_4,_8),_1):((_8,_1),_0)"),
    family({8, 8, 16}, int8, saturating, "((_4,_8),_4):((_32,_1),_8)", "((_4,_8),_4):((_32,_1),_8)"),
    family({16, 8, 16}, int8, saturating, "((_4,_8),(_4,_2)):((_64,_1),(_16,_8))", "((_4,_8),_4):((_32,_1),_8)"),
    family({16, 8, 32}, int8, saturating, "((_4,_8),(_4,_2,_2)):((_64,_1),(_16,_8,_256))",
           "((_4,_8),(_4,_2)):((_32,_1),(_8,_128))"),
    family({8, 8, 32}, int4, saturating, "((_4,_8),(_8)):((_64,_1),(_8))", "((_4,_8),(_8)):((_64,_1),(_8))"),
    // CuTe's B has stride 32 between lanes that hold eight values of stride 8: half of its elements twice.
    family({16, 8, 32}, int4, saturating, "((_4,_8),(_8,_2)):((_128,_1),(_16,_8))", "((_4,_8),(_8)):((_64,_1),(_8))",
           "", "((_4,_8),(_8)):((_32,_1),(_8))"),
    family({16, 8, 64}, int4, saturating, "((_4,_8),(_8,_2,_2)):((_128,_1),(_16,_8,_512))",
           "((_4,_8),(_8,_2)):((_64,_1),(_8,_256))"),
    family({8, 8, 128}, bit, counting, "((_4,_8),_32):((_256,_1),_8)", "((_4,_8),_32):((_256,_1),_8)"),
    // CuTe's stride of A has a tuple more than its shape.
    family({16, 8, 128}, bit, counting, "((_4,_8),(_32,_2)):((_512,_1),(_16,_8))", "((_4,_8),_32):((_256,_1),_8)",
           "((_4,_8),(_32,_2)):((_512,_1),((_16,_8)))"),
    family({16, 8, 256}, bit, counting, "((_4,_8),(_32,_2,_2)):((_512,_1),(_16,_8,_2048))",
           "((_4,_8),(_32,_2)):((_256,_1),(_8,_1024))")};

}  // namespace

std::span<const MmaFamily> sm80_mma() {
  return families;
}

}  // namespace tileloom::hw
