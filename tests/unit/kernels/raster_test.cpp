// SPDX-License-Identifier: Apache-2.0
#include "kernels/raster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
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

// Panels of A and B, each read once by the CTAs of a wave: the ones that run at the same time.
struct Panels {
  std::size_t a = 0, b = 0;
  [[nodiscard]] std::size_t mebibytes() const { return 2 * a + 4 * b; }  // 128 and 256 rows of 8192 halves
  bool operator==(const Panels&) const = default;
};

constexpr std::uint32_t tiles_m = 8192 / 128, tiles_n = 8192 / 256;

Panels panels_of_wave(std::uint32_t first, std::uint32_t ctas, std::uint32_t width) {
  std::set<std::uint32_t> rows, columns;
  for (std::uint32_t cta = first; cta < std::min(first + ctas, tiles_m * tiles_n); ++cta) {
    const TileIndex tile = raster_tile(cta, tiles_m, tiles_n, width);
    rows.insert(tile.m);
    columns.insert(tile.n);
  }
  return {rows.size(), columns.size()};
}

std::size_t mebibytes_of_all_waves(std::uint32_t ctas, std::uint32_t width) {
  std::size_t sum = 0;
  for (std::uint32_t first = 0; first < tiles_m * tiles_n; first += ctas) {
    sum += panels_of_wave(first, ctas, width).mebibytes();
  }
  return sum;
}

// The figures of docs/tutorial/08-rasterisation.md: 8192 x 8192 x 8192 in tiles of 128 x 256.
TEST(Raster, PanelsOfAWaveAreThoseOfTheTutorial) {
  const std::uint32_t on_4090 = 2 * 128;
  EXPECT_EQ(panels_of_wave(0, on_4090, 0), (Panels{8, 32}));
  EXPECT_EQ(panels_of_wave(0, on_4090, 8), (Panels{32, 8}));
  EXPECT_EQ(panels_of_wave(0, on_4090, 12), (Panels{22, 12}));
  EXPECT_EQ(panels_of_wave(0, on_4090, 16), (Panels{16, 16}));
  EXPECT_EQ(panels_of_wave(0, on_4090, 0).mebibytes(), 144U);
  EXPECT_EQ(panels_of_wave(0, on_4090, 8).mebibytes(), 96U);
  EXPECT_EQ(panels_of_wave(0, on_4090, 12).mebibytes(), 92U);
  EXPECT_EQ(panels_of_wave(0, on_4090, 16).mebibytes(), 96U);
  EXPECT_EQ(mebibytes_of_all_waves(on_4090, 0), 1152U);
  EXPECT_EQ(mebibytes_of_all_waves(on_4090, 1), 1152U);
  EXPECT_EQ(mebibytes_of_all_waves(on_4090, 8), 768U);
  EXPECT_EQ(mebibytes_of_all_waves(on_4090, 12), 744U);
  EXPECT_EQ(mebibytes_of_all_waves(on_4090, 16), 768U);
  EXPECT_EQ(mebibytes_of_all_waves(on_4090, 4), 1152U);
  constexpr std::uint32_t widths[] = {0, 1, 4, 8, 12, 16};
  constexpr std::size_t both_ctas_of_an_sm[] = {1164, 1180, 1236, 864, 816, 840};
  constexpr std::size_t one_of_them[] = {2204, 2236, 1392, 1136, 1172, 1368};
  for (std::size_t i = 0; i < std::size(widths); ++i) {
    EXPECT_EQ(mebibytes_of_all_waves(2 * 132, widths[i]), both_ctas_of_an_sm[i]);
    EXPECT_EQ(mebibytes_of_all_waves(132, widths[i]), one_of_them[i]);
  }
}

}  // namespace
}  // namespace tileloom::kernels
