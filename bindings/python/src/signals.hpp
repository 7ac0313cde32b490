// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace tileloom::python {

// To be called now and then by long work that runs without the GIL, from the thread that Python called: throws what a
// signal handler raises, such as KeyboardInterrupt.
inline void check_signals() {
  const nanobind::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) {
    throw nanobind::python_error();
  }
}

// Any launch's progress, whatever it tells: Ctrl-C ends it.
inline constexpr auto go_on_unless_interrupted = [](const auto&... /*how far*/) {
  check_signals();
  return true;
};

}  // namespace tileloom::python
