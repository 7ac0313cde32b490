// SPDX-License-Identifier: Apache-2.0
#include "cli/gemm_json.hpp"

namespace tileloom::cli {

Json problem_json(const GemmProblem& p) {
  return {{"formula", "D = A*B^T"},
          {"m", p.m},
          {"n", p.n},
          {"k", p.k},
          {"lda_elements", p.lda},
          {"ldb_elements", p.ldb},
          {"ldd_elements", p.ldd},
          {"type", "f16"},
          {"accumulate", to_string(p.accumulate)}};
}

Json configuration_json(const GemmConfiguration& c) {
  return {{"kernel", c.kernel},
          {"family", c.family},
          {"tile", {c.tile_m, c.tile_n, c.tile_k}},
          {"threads_per_cta", c.threads},
          {"stages", c.stages},
          {"raster_width_tiles", c.raster_width},
          {"dynamic_shared_bytes", c.dynamic_shared_bytes},
          {"ctas", c.ctas},
          {"backend", to_string(c.backend)},
          {"arch", to_string(c.arch)},
          {"device", c.device},
          {"image", c.image},
          {"reasons", c.reasons},
          {"runners_up", c.runners_up}};
}

}  // namespace tileloom::cli
