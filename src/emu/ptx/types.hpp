// SPDX-License-Identifier: Apache-2.0
// PTX's fundamental types and state spaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tileloom::emu::ptx {

enum class Type : std::uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f32,
  f64,
};

enum class Space : std::uint8_t { generic, global, constant, shared, local, param };

// From the word after the dot: `u32`. Nothing for a word that is no type or a type that has no register (`e4m3`).
[[nodiscard]] std::optional<Type> parse_type(std::string_view word);
[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] std::string_view name_of(Space space);

// 1, 8, 16, 32, 64 or 128.
[[nodiscard]] unsigned bits_of(Type type);
[[nodiscard]] inline unsigned bytes_of(Type type) {
  return (bits_of(type) + 7) / 8;
}
[[nodiscard]] bool is_signed(Type type);  // s8 ... s64
[[nodiscard]] bool is_float(Type type);   // f16 ... f64, packed ones included

}  // namespace tileloom::emu::ptx
