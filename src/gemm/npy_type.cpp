// SPDX-License-Identifier: Apache-2.0
#include "gemm/npy_type.hpp"

#include <array>

namespace tileloom::npy {
namespace {

struct Row {
  std::string_view name, descr;
};
// By Type; the last character of `descr` is the size.
constexpr std::array<Row, 11> rows{{{"float16", "<f2"},
                                    {"float32", "<f4"},
                                    {"float64", "<f8"},
                                    {"int8", "|i1"},
                                    {"int16", "<i2"},
                                    {"int32", "<i4"},
                                    {"int64", "<i8"},
                                    {"uint8", "|u1"},
                                    {"uint16", "<u2"},
                                    {"uint32", "<u4"},
                                    {"uint64", "<u8"}}};

const Row& row(Type type) {
  return rows[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view to_string(Type type) {
  return row(type).name;
}

std::size_t bytes_of(Type type) {
  return static_cast<std::size_t>(row(type).descr[2] - '0');
}

std::string_view descr_of(Type type) {
  return row(type).descr;
}

// `=` is the order of the machine that wrote it; one byte has none.
std::optional<Type> parse_descr(std::string_view descr) {
  if (descr.size() != 3) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool same_type = rows[i].descr.substr(1) == descr.substr(1);
    const bool little = descr[0] == '<' || descr[0] == '=' || (descr[0] == '|' && descr[2] == '1');
    if (same_type && little) {
      return static_cast<Type>(i);
    }
  }
  return std::nullopt;
}

}  // namespace tileloom::npy
