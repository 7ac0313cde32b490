// SPDX-License-Identifier: Apache-2.0
// Functions on tensors act on their layouts; where the result starts elsewhere, the engine moves along.
#pragma once

#include <functional>

#include "layout/arguments.hpp"

namespace tileloom::layout {

[[nodiscard]] Value to_value(AnyLayout l);
// Sum of two coordinates, either of which may be written with scaled bases.
[[nodiscard]] Tree sum_of_coordinates(const Tree& a, const Tree& b);
// What slice_and_offset, local_tile and local_partition give for argument i: a layout, or a tensor that has moved.
[[nodiscard]] Value cut(const Arguments& a, std::size_t i, const std::function<Sliced(const AnyLayout&)>& f);
// A function of layouts that acts inside swizzles and tensors.
[[nodiscard]] Value inside(const Arguments& a, std::size_t i, const std::function<Layout(const Layout&)>& f);

}  // namespace tileloom::layout
