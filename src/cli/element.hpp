// SPDX-License-Identifier: Apache-2.0
// Types of the elements of a kernel's buffers, as the command line names them: f16, bf16, f32, f64, i8 ... u64.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/npy.hpp"

namespace tileloom::cli {

struct ElementType {
  std::string_view name;  // `f16`
  npy::Type stored;       // in .npy files; bf16, which NumPy does not know, as uint16 patterns
  bool real;
  bool is_bf16 = false;

  [[nodiscard]] std::size_t bytes() const { return npy::bytes_of(stored); }
};

// Nothing for a word that is none.
[[nodiscard]] const ElementType* find_element_type(std::string_view name);
// The type of a file's elements.
[[nodiscard]] const ElementType& element_type(npy::Type type);
// `f16, bf16, f32 ... or u64`, for messages.
[[nodiscard]] std::string element_type_list();

// A value is a long double, which holds every element of every type. Real types round to nearest, integers wrap.
void store_element(const ElementType& type, long double value, std::byte* to);
[[nodiscard]] long double load_element(const ElementType& type, const std::byte* from);

// `1.5`, `-3`, `0x1F`, `nan`, `inf`; nothing for text that is no value of the type.
[[nodiscard]] std::optional<long double> parse_value(const ElementType& type, const std::string& text);
// With as many digits as tell it from its neighbours.
[[nodiscard]] std::string value_text(const ElementType& type, long double value);

}  // namespace tileloom::cli
