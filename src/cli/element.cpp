// SPDX-License-Identifier: Apache-2.0
#include "cli/element.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tileloom/emu/float16.hpp"

namespace tileloom::cli {
namespace {

using npy::Type;

constexpr std::array<ElementType, 12> types{{{"f16", Type::f16, true},
                                             {"bf16", Type::u16, true, true},
                                             {"f32", Type::f32, true},
                                             {"f64", Type::f64, true},
                                             {"i8", Type::i8, false},
                                             {"i16", Type::i16, false},
                                             {"i32", Type::i32, false},
                                             {"i64", Type::i64, false},
                                             {"u8", Type::u8, false},
                                             {"u16", Type::u16, false},
                                             {"u32", Type::u32, false},
                                             {"u64", Type::u64, false}}};

// Calls f(T{}) with the host's type of an integer, f32 or f64.
template <class F>
auto with_host_type(Type type, F f) {
  switch (type) {
    case Type::f32:
      return f(float{});
    case Type::i8:
      return f(std::int8_t{});
    case Type::i16:
      return f(std::int16_t{});
    case Type::i32:
      return f(std::int32_t{});
    case Type::i64:
      return f(std::int64_t{});
    case Type::u8:
      return f(std::uint8_t{});
    case Type::u16:
      return f(std::uint16_t{});
    case Type::u32:
      return f(std::uint32_t{});
    case Type::u64:
      return f(std::uint64_t{});
    default:
      return f(double{});
  }
}

template <class T>
T to_host(long double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                    : static_cast<std::uint64_t>(value));
  }
}

bool is_half(const ElementType& type) {
  return type.is_bf16 || type.stored == Type::f16;
}

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  for (const ElementType& type : types) {
    if (type.name == name) {
      return &type;
    }
  }
  return nullptr;
}

const ElementType& element_type(npy::Type stored) {
  for (const ElementType& type : types) {
    if (type.stored == stored && !type.is_bf16) {
      return type;
    }
  }
  return types[0];
}

std::string element_type_list() {
  std::string list;
  for (const ElementType& type : types) {
    list += (list.empty() ? "" : &type == &types.back() ? " or " : ", ") + std::string(type.name);
  }
  return list;
}

void store_element(const ElementType& type, long double value, std::byte* to) {
  if (is_half(type)) {
    const auto rounded = static_cast<double>(value);
    const std::uint16_t bits =
        type.is_bf16 ? emu::from_f64<emu::bf16_format>(rounded) : emu::from_f64<emu::f16_format>(rounded);
    std::memcpy(to, &bits, sizeof bits);
    return;
  }
  with_host_type(type.stored, [&](auto zero) {
    const auto made = to_host<decltype(zero)>(value);
    std::memcpy(to, &made, sizeof made);
  });
}

long double load_element(const ElementType& type, const std::byte* from) {
  if (is_half(type)) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    return type.is_bf16 ? emu::to_f64<emu::bf16_format>(bits) : emu::to_f64<emu::f16_format>(bits);
  }
  return with_host_type(type.stored, [&](auto value) {
    std::memcpy(&value, from, sizeof value);
    return static_cast<long double>(value);
  });
}

std::optional<long double> parse_value(const ElementType& type, const std::string& text) {
  if (text.empty() || text.find_first_of(" \t\n") != std::string::npos) {
    return std::nullopt;
  }
  char* end = nullptr;
  errno = 0;
  if (type.real) {
    const long double value = std::strtold(text.c_str(), &end);
    return *end == '\0' ? std::optional(value) : std::nullopt;
  }
  const bool negative = text[0] == '-';
  const long double value = negative ? static_cast<long double>(std::strtoll(text.c_str(), &end, 0))
                                     : static_cast<long double>(std::strtoull(text.c_str(), &end, 0));
  const bool fits = with_host_type(type.stored, [&](auto zero) {
    using T = decltype(zero);
    return value >= static_cast<long double>(std::numeric_limits<T>::lowest()) &&
           value <= static_cast<long double>(std::numeric_limits<T>::max());
  });
  return *end == '\0' && errno == 0 && fits ? std::optional(value) : std::nullopt;
}

std::string value_text(const ElementType& type, long double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (!type.real) {
    return fmt::format("{:.0f}", value);
  }
  const bool single = type.stored != Type::f64;
  return single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", static_cast<double>(value));
}

}  // namespace tileloom::cli
