// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/grid.hpp"

#include <algorithm>

#include "tileloom/error.hpp"

namespace tileloom::trace {

namespace {

// Tiles along a mode of the problem: of the first of two matrices that is there.
std::int64_t tiles_along(const OperandPath& first, std::size_t mode, std::int64_t tile, const OperandPath& otherwise,
                         std::size_t other_mode) {
  if (first.matrix) {
    return mode_size(*first.matrix, mode) / tile;
  }
  return otherwise.matrix ? mode_size(*otherwise.matrix, other_mode) / tile : 1;
}

}  // namespace

Grid grid_of(const Kernel& kernel) {
  const auto& [tile_m, tile_n, tile_k] = kernel.config.tile;
  const OperandPath& c = kernel.path(Operand::c);
  return {tiles_along(kernel.path(Operand::a), 0, tile_m, c, 0), tiles_along(kernel.path(Operand::b), 0, tile_n, c, 1),
          kernel.config.raster ? kernel.config.raster->width : 0};
}

std::int64_t launched_block(const Grid& grid, CtaIndex cta) {
  const std::int64_t band_width = grid.band == 0 ? grid.tiles_n : std::min(grid.band, grid.tiles_n);
  const std::int64_t band = cta.n / band_width;
  const std::int64_t columns = std::min(band_width, grid.tiles_n - band * band_width);
  return band * band_width * grid.tiles_m + cta.m * columns + cta.n % band_width;
}

void check_cta(const Kernel& kernel, CtaIndex cta) {
  const Grid grid = grid_of(kernel);
  if (cta.m >= 0 && cta.m < grid.tiles_m && cta.n >= 0 && cta.n < grid.tiles_n) {
    return;
  }
  throw Error(ErrorKind::bad_input,
              "CTA (" + std::to_string(cta.m) + "," + std::to_string(cta.n) + "): outside the grid of " +
                  std::to_string(grid.tiles_m) + " x " + std::to_string(grid.tiles_n) + " tiles in M and N",
              kernel.sizes.empty() ? "the matrices of gmem make the grid" : "--size makes the matrices larger");
}

hw::MatrixPosition tile_origin(const OperandPath& path, CtaIndex cta) {
  const auto row = static_cast<int>(path.rows * (path.operand == Operand::b ? cta.n : cta.m));
  return {row, path.operand == Operand::c ? static_cast<int>(path.columns * cta.n) : 0};
}

}  // namespace tileloom::trace
