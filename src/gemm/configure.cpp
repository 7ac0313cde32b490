// SPDX-License-Identifier: Apache-2.0
// A plan in words.
#include <fmt/format.h>

#include "gemm/launch.hpp"
#include "gemm/plan.hpp"

namespace tileloom {

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::cuda:
      return "cuda";
    case Backend::emulator:
      return "emulator";
    default:
      return "auto";
  }
}

std::string to_string(const GemmConfiguration& c) {
  std::string text = fmt::format(
      "kernel    {}\n"
      "tile      {} x {} x {}, {} threads\n"
      "shared    {} stages, {} bytes\n"
      "grid      {} CTAs, in bands of {} tile columns (0: no bands)\n"
      "backend   {}, {} ({}), {}",
      c.kernel, c.tile_m, c.tile_n, c.tile_k, c.threads, c.stages, c.dynamic_shared_bytes, c.ctas, c.raster_width,
      to_string(c.backend), c.device, to_string(c.arch), c.image);
  for (const std::string& reason : c.reasons) {
    text += "\nbecause   " + reason;
  }
  for (const std::string& other : c.runners_up) {
    text += "\ninstead   " + other;
  }
  return text;
}

GemmConfiguration configure(const GemmProblem& problem, const GemmOptions& options) {
  check(problem);
  gemm::Words words;
  const gemm::Plan plan = gemm::make_plan(problem, options, &words);
  const kernels::KernelInstance& instance = *plan.instance;
  return {.kernel = std::string(instance.name),
          .family = std::string(instance.family),
          .tile_m = instance.tile_m,
          .tile_n = instance.tile_n,
          .tile_k = instance.tile_k,
          .threads = instance.threads,
          .ctas = gemm::checked_grid(instance, problem),
          .stages = plan.stages,
          .raster_width = plan.raster_width,
          .dynamic_shared_bytes = plan.dynamic_shared_bytes,
          .backend = plan.backend,
          .arch = plan.arch,
          .image = std::move(words.image),
          .device = std::move(words.device),
          .reasons = std::move(words.reasons),
          .runners_up = std::move(words.runners_up)};
}

}  // namespace tileloom
