// SPDX-License-Identifier: Apache-2.0
// Small C++ types as Python's own: positions and sizes are tuples, architectures are text.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <sstream>

#include "tileloom/emu/emulator.hpp"
#include "tileloom/hw/lane_maps.hpp"
#include "tileloom/layout/composed.hpp"
#include "tileloom/trace/gemm_walk.hpp"
#include "tileloom/trace/grid.hpp"

namespace nanobind::detail {

// To Python only.
template <class T, class Tuple, Tuple (*convert)(const T&)>
struct tuple_out {
  NB_TYPE_CASTER(T, make_caster<Tuple>::Name)
  static handle from_cpp(const T& value, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<Tuple>::from_cpp(convert(value), policy, cleanup);
  }
};

using IntPair = std::pair<std::int64_t, std::int64_t>;

inline IntPair tuple_of(const tileloom::hw::MatrixPosition& p) {
  return {p.row, p.column};
}
inline IntPair tuple_of(const tileloom::trace::CtaIndex& c) {
  return {c.m, c.n};
}
inline IntPair tuple_of(const tileloom::trace::GemmStep& s) {
  return {s.m, s.n};
}

template <>
struct type_caster<tileloom::hw::MatrixPosition> : tuple_out<tileloom::hw::MatrixPosition, IntPair, &tuple_of> {};
template <>
struct type_caster<tileloom::trace::CtaIndex> : tuple_out<tileloom::trace::CtaIndex, IntPair, &tuple_of> {};
template <>
struct type_caster<tileloom::trace::GemmStep> : tuple_out<tileloom::trace::GemmStep, IntPair, &tuple_of> {};

}  // namespace nanobind::detail

namespace tileloom::python {

namespace nb = nanobind;

// A short __repr__ of what has a long __str__: the class and the text's first line.
inline std::string summary(const nb::object& self) {
  const auto text = nb::cast<std::string>(nb::str(self));
  const auto name = nb::cast<std::string>(self.type().attr("__name__"));
  return "<tileloom." + name + ": " + text.substr(0, text.find('\n')) + ">";
}

// A Layout or a ComposedLayout.
[[nodiscard]] inline nb::object cast_layout(const layout::AnyLayout& any) {
  return std::visit([](const auto& l) { return nb::cast(l); }, any);
}

// What `write` writes into a stream.
template <class Write>
[[nodiscard]] std::string text_of(const Write& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

// Equal where `key` gives equal values; not hashable.
template <class T, class... Options, class Key>
void def_equality(nb::class_<T, Options...>& c, const Key& key) {
  c.def(
      "__eq__",
      [key](const T& self, const nb::handle& other) {
        if (!nb::isinstance<T>(other)) {
          return nb::borrow(Py_NotImplemented);
        }
        return nb::object(nb::bool_(key(self) == key(nb::cast<const T&>(other))));
      },
      nb::arg("other"), nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  c.attr("__hash__") = nb::none();
}

}  // namespace tileloom::python
