// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"
#include "tileloom/version.hpp"

NB_MODULE(_tileloom, m) {
  using namespace tileloom::python;
  m.doc() = "The compiled part of the package tileloom, which re-exports it.";
  m.attr("__version__") = TILELOOM_VERSION;
  bind_errors(m);
  bind_layout(m);
  bind_atoms(m);
  bind_picture(m);
  bind_tiled(m);
  bind_kernel(m);
  bind_trace(m);
  bind_check(m);
  bind_emulate(m);
  bind_gemm_run(m);
  bind_dlpack(m);
  bind_gemm(m);
}
