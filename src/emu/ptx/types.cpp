// SPDX-License-Identifier: Apache-2.0
#include "emu/ptx/types.hpp"

#include <array>

namespace tileloom::emu::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  unsigned bits;
};

// In the order of the enumeration.
constexpr std::array<TypeRow, 20> type_rows{{
    {"pred", 1}, {"b8", 8},    {"b16", 16},   {"b32", 32},    {"b64", 64}, {"b128", 128}, {"u8", 8},
    {"u16", 16}, {"u32", 32},  {"u64", 64},   {"s8", 8},      {"s16", 16}, {"s32", 32},   {"s64", 64},
    {"f16", 16}, {"bf16", 16}, {"f16x2", 32}, {"bf16x2", 32}, {"f32", 32}, {"f64", 64},
}};

const TypeRow& row(Type type) {
  return type_rows[static_cast<std::size_t>(type)];
}

}  // namespace

std::optional<Type> parse_type(std::string_view word) {
  for (std::size_t i = 0; i < type_rows.size(); ++i) {
    if (type_rows[i].name == word) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Type type) {
  return row(type).name;
}

std::string_view name_of(Space space) {
  constexpr std::array<std::string_view, 6> names{"generic", "global", "const", "shared", "local", "param"};
  return names[static_cast<std::size_t>(space)];
}

unsigned bits_of(Type type) {
  return row(type).bits;
}

bool is_signed(Type type) {
  return type >= Type::s8 && type <= Type::s64;
}

bool is_float(Type type) {
  return type >= Type::f16;
}

}  // namespace tileloom::emu::ptx
