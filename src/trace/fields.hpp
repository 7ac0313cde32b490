// SPDX-License-Identifier: Apache-2.0
// Texts of questions and configurations, read; an error names the field.
#pragma once

#include <string>

#include "tileloom/error.hpp"
#include "tileloom/layout/expression.hpp"

namespace tileloom::trace {

// What f returns; an Error of it has the field's name in front.
template <class F>
auto in_field(const std::string& field, const F& f) -> decltype(f()) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(e.kind(), field + ": " + e.what(), e.hint());
  }
}

// A layout, swizzled or not.
[[nodiscard]] layout::AnyLayout read_layout(const std::string& field, const std::string& text,
                                            const layout::Policy& policy = {});
// A layout without swizzle; a shape stands for its compact layout. `modes` ends the message of another value.
[[nodiscard]] layout::Layout read_shape_or_layout(const std::string& field, const std::string& text,
                                                  const std::string& modes, const layout::Policy& policy = {});
// A tiler; none for an empty text and `none`.
[[nodiscard]] layout::Tiler read_permutation(const std::string& field, const std::string& text,
                                             const layout::Policy& policy);

}  // namespace tileloom::trace
