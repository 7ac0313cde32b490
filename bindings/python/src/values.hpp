// SPDX-License-Identifier: Apache-2.0
// What expressions take and give, as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "tileloom/layout/expression.hpp"
#include "tree.hpp"

namespace tileloom::python {

// A Layout or a ComposedLayout.
[[nodiscard]] nb::object layout_to_python(const layout::AnyLayout& any);
// A tiler is a tuple of tilers, a pointer and an order are text.
[[nodiscard]] nb::object value_to_python(const layout::Value& value);
// Text is evaluated; a tuple that holds a layout is a tiler, another one a tree. Throws Error(bad_input).
[[nodiscard]] layout::Value value_of(nb::handle object, const layout::Policy& policy);
// A layout, an integer, None, or a tuple with one tiler for each mode. Throws Error(bad_input).
[[nodiscard]] layout::Tiler tiler_of(nb::handle object, const layout::Policy& policy);
// The layout of text, of a Layout or of a ComposedLayout. Throws Error(bad_input).
[[nodiscard]] layout::AnyLayout any_layout_of(nb::handle object);

[[nodiscard]] inline layout::Policy policy_of(bool cute, layout::Log* log = nullptr) {
  return {cute ? layout::Semantics::cute : layout::Semantics::correct, log};
}

}  // namespace tileloom::python
