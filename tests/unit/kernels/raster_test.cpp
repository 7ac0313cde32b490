// SPDX-License-Identifier: Apache-2.0
#include "kernels/raster.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tileloom::kernels {
namespace {

// Every CTA gets a tile of its own, inside the grid: a bijection, whatever the width.
TEST(Raster, IsABijectionForEveryGridAndWidth) {
  for (std::uint32_t tiles_m = 1; tiles_m <= 17; ++tiles_m) {
    for (std::uint32_t tiles_n = 1; tiles_n <= 17; ++tiles_n) {
      for (std::uint32_t width = 0; width <= 19; ++width) {
        std::vector<bool> taken(std::size_t{tiles_m} * tiles_n, false);
        for (std::uint32_t cta = 0; cta < tiles_m * tiles_n; ++cta) {
          const TileIndex tile = raster_tile(cta, tiles_m, tiles_n, width);
          ASSERT_LT(tile.m, tiles_m);
          ASSERT_LT(tile.n, tiles_n);
          ASSERT_FALSE(taken[std::size_t{tile.m} * tiles_n + tile.n])
              << tiles_m << "x" << tiles_n << " width " << width;
          taken[std::size_t{tile.m} * tiles_n + tile.n] = true;
        }
      }
    }
  }
}

// CTAs that follow each other stay in their band of columns until it is done.
TEST(Raster, BandsAreVisitedOneAfterTheOther) {
  for (std::uint32_t width = 1; width <= 9; ++width) {
    std::uint32_t band = 0;
    for (std::uint32_t cta = 0; cta < 7 * 9; ++cta) {
      const std::uint32_t now = raster_tile(cta, 7, 9, width).n / width;
      ASSERT_TRUE(now == band || now == band + 1) << width;
      band = now;
    }
    EXPECT_EQ(band, (9 - 1) / width);
  }
}

TEST(Raster, WidthZeroIsRowByRow) {
  for (std::uint32_t cta = 0; cta < 5 * 6; ++cta) {
    const TileIndex tile = raster_tile(cta, 5, 6, 0);
    EXPECT_EQ(tile.m * 6 + tile.n, cta);
  }
}

// Indices near the largest grid do not wrap.
TEST(Raster, LargestGrid) {
  const TileIndex tile = raster_tile(65536U * 32767U - 1, 65536U, 32767U, 8);
  EXPECT_EQ(tile.m, 65535U);
  EXPECT_EQ(tile.n, 32766U);
}

}  // namespace
}  // namespace tileloom::kernels
