// SPDX-License-Identifier: Apache-2.0
// The parts of the module `_tileloom`. Each binds what one set of headers of include/tileloom says; docstrings say what
// a Python user has to know of it.
#pragma once

#include <nanobind/nanobind.h>

namespace tileloom::python {

namespace nb = nanobind;

// tileloom::Error becomes the exception of tileloom/_errors.py for its kind, in every function.
void bind_errors(nb::module_& m);

// Layouts, swizzles and their algebra; instructions.
void bind_layout(nb::module_& m);
void bind_expressions(nb::module_& m);  // called by bind_layout
void bind_atoms(nb::module_& m);
void bind_operands(nb::module_& m);  // called by bind_atoms

// Pictures, tiled MMAs and copies, kernels, and answers about them, in this order.
void bind_picture(nb::module_& m);
void bind_tiled(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_trace(nb::module_& m);
void bind_check(nb::module_& m);

// Any kernel in the emulator; a shipped one with its checks and counters.
void bind_emulate(nb::module_& m);
void bind_gemm_run(nb::module_& m);

// Arrays of other libraries, and one of ours; products of them.
void bind_dlpack(nb::module_& m);
void bind_imported_array(nb::module_& m);  // called by bind_dlpack
void bind_gemm(nb::module_& m);

}  // namespace tileloom::python
