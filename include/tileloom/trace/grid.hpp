// SPDX-License-Identifier: Apache-2.0
// Which CTA makes which tile of D, and which launched block that is.
//
//   const Grid grid = grid_of(kernel);             // 32 x 16 tiles, bands of 8
//   launched_block(grid, {3, 5})                   // 29: the block of a one-dimensional launch that makes tile (3,5)
#pragma once

#include <cstdint>

#include "tileloom/hw/lane_maps.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace {

// A CTA by its tile: rows m * TILE_M ... and columns n * TILE_N ... of D.
struct CtaIndex {
  std::int64_t m = 0;
  std::int64_t n = 0;
  bool operator==(const CtaIndex&) const = default;
};

struct Grid {
  std::int64_t tiles_m = 1;
  std::int64_t tiles_n = 1;
  std::int64_t band = 0;  // tile columns of a band of the raster; 0: off, one band over all of N

  [[nodiscard]] std::int64_t ctas() const { return tiles_m * tiles_n; }
};

// M from A's or C's matrix, N from B's or C's; without matrices one tile. The band is the configuration's raster.
[[nodiscard]] Grid grid_of(const Kernel& kernel);

// Tiles are visited in bands of `band` tile columns: along N inside the band, then down M, then the next band; the last
// band may be narrower. Law: the inverse of the kernels' raster. Precondition: the tile is in the grid.
[[nodiscard]] std::int64_t launched_block(const Grid& grid, CtaIndex cta);

// Throws Error(bad_input) for a CTA outside the grid.
void check_cta(const Kernel& kernel, CtaIndex cta);

// Element of the operand's matrix at which the CTA's tile begins: (row, column) of its first element, of k-tile 0.
[[nodiscard]] hw::MatrixPosition tile_origin(const OperandPath& path, CtaIndex cta);

}  // namespace tileloom::trace
