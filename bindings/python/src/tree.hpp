// SPDX-License-Identifier: Apache-2.0
// Integer trees as Python has them: integers, None for `_`, tuples, and text in CuTe's form for anything of it. A plain
// int is a dynamic integer, a tileloom.layout.Static a static one.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "tileloom/layout/tree.hpp"

namespace tileloom::python {

namespace nb = nanobind;

// Static integers stay Static; a scaled basis becomes its text, `_1@0`.
[[nodiscard]] nb::object tree_to_python(layout::TreeRef tree);
// The same with plain integers only: offsets and coordinates.
[[nodiscard]] nb::object plain_to_python(layout::TreeRef tree);
// Throws Error(bad_input) for other objects, and for text that is no tree.
[[nodiscard]] layout::Tree tree_of(nb::handle object);

// An argument that tree_of reads, so that what is wrong with it is said by an Error and not by a TypeError.
struct TreeArgument {
  nb::object object;

  [[nodiscard]] layout::Tree tree() const { return tree_of(object); }
};

}  // namespace tileloom::python

namespace nanobind::detail {

template <>
struct type_caster<tileloom::python::TreeArgument> {
  NB_TYPE_CASTER(tileloom::python::TreeArgument, const_name("int | str | tuple | list | None"))
  bool from_python(handle source, uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    value.object = borrow(source);
    return true;
  }
  static handle from_cpp(const tileloom::python::TreeArgument& argument, rv_policy /*policy*/,
                         cleanup_list* /*cleanup*/) noexcept {
    return handle(argument.object).inc_ref();
  }
};

template <>
struct type_caster<tileloom::layout::Tree> {
  NB_TYPE_CASTER(tileloom::layout::Tree, io_name("int | str | tuple | list | None", "int | tuple"))
  bool from_python(handle source, uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    try {
      value = tileloom::python::tree_of(source);
      return true;
    } catch (...) {
      return false;
    }
  }
  static handle from_cpp(const tileloom::layout::Tree& tree, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
    try {
      return tileloom::python::tree_to_python(tree).release();
    } catch (python_error& error) {
      error.restore();
      return {};
    }
  }
};

}  // namespace nanobind::detail
