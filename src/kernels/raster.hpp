// SPDX-License-Identifier: Apache-2.0
// Rasterisation: the order in which CTAs visit output tiles, so that those that run together share operands in L2.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define TILELOOM_HOST_DEVICE __host__ __device__
#else
#define TILELOOM_HOST_DEVICE
#endif

namespace tileloom::kernels {

struct TileIndex {
  std::uint32_t m;
  std::uint32_t n;
};

// The tile of the CTA with linear index `cta`, on a grid of tiles_m x tiles_n tiles.
// Tiles are visited in bands of `width` tile columns: along N inside the band, then down M, then the next band. The
// last band may be narrower. width 0 (off): one band over all of N. Precondition: cta < tiles_m * tiles_n. For every
// grid and width it is a bijection.
TILELOOM_HOST_DEVICE inline TileIndex raster_tile(std::uint32_t cta, std::uint32_t tiles_m, std::uint32_t tiles_n,
                                                  std::uint32_t width) {
  const std::uint32_t band_width = width == 0 || width > tiles_n ? tiles_n : width;
  const std::uint32_t band = cta / (band_width * tiles_m);
  const std::uint32_t inside = cta - band * (band_width * tiles_m);
  const std::uint32_t first_n = band * band_width;
  const std::uint32_t columns = tiles_n - first_n < band_width ? tiles_n - first_n : band_width;
  return {inside / columns, first_n + inside % columns};
}

}  // namespace tileloom::kernels
