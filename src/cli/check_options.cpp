// SPDX-License-Identifier: Apache-2.0
#include "cli/check_options.hpp"

#include "kernels/instances.hpp"
#include "kernels/raster.hpp"

namespace tileloom::cli {

namespace {

trace::TileOfBlock raster(std::int64_t block, std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t width) {
  const auto narrow = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
  const kernels::TileIndex t = kernels::raster_tile(narrow(block), narrow(tiles_m), narrow(tiles_n), narrow(width));
  return {t.m, t.n};
}

}  // namespace

trace::CheckOptions check_options(const trace::Kernel& kernel, bool shipped) {
  trace::CheckOptions options;
  options.raster = raster;
  if (shipped) {
    if (const auto found = kernels::resources(kernel.config.name, kernel.arch)) {
      options.registers = found->registers;
    }
  }
  return options;
}

}  // namespace tileloom::cli
