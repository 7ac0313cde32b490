// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

namespace {

const char* class_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::check_failed:
      return "CheckFailed";
    case ErrorKind::bad_input:
      return "BadInput";
    case ErrorKind::cannot_run:
      return "CannotRun";
    case ErrorKind::io:
      return "InputOutputError";
  }
  return "Error";
}

void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    try {
      const nb::object type = nb::module_::import_("tileloom._errors").attr(class_name(error.kind()));
      const nb::object exception = type(error.what(), error.hint());
      PyErr_SetObject(type.ptr(), exception.ptr());
    } catch (nb::python_error& python) {  // the import was interrupted, for example
      python.restore();
    }
  }
}

}  // namespace

void bind_errors(nb::module_& /*m*/) {
  nb::register_exception_translator(translate);
}

}  // namespace tileloom::python
