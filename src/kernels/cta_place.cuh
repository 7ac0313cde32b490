// SPDX-License-Identifier: Apache-2.0
// A CTA's place in the problem. No CuTe.
#pragma once

#include <cstdint>

#include "kernels/params.hpp"
#include "kernels/raster.hpp"

namespace tileloom::kernels {

// Elements of a tile that lie inside the matrix, `left` being those from the tile's start on: at most `tile`.
__device__ inline int inside_tile(std::int64_t left, int tile) {
  return left < tile ? static_cast<int>(left) : tile;
}

// A CTA's output tile: where it starts and how much of it lies inside D.
// Tile indices are 32-bit because the grid is; every offset in a matrix is 64-bit.
template <int kTileM, int kTileN>
struct CtaPlace {
  std::int64_t origin_m, origin_n;
  int rows_m, rows_n;  // inside the matrices: 1 ... kTileM, 1 ... kTileN

  __device__ explicit CtaPlace(const GemmParams& params) {
    const auto tiles_m = static_cast<std::uint32_t>((params.m + kTileM - 1) / kTileM);
    const auto tiles_n = static_cast<std::uint32_t>((params.n + kTileN - 1) / kTileN);
    const TileIndex tile = raster_tile(blockIdx.x, tiles_m, tiles_n, params.raster_width);
    origin_m = std::int64_t(tile.m) * kTileM;
    origin_n = std::int64_t(tile.n) * kTileN;
    rows_m = inside_tile(params.m - origin_m, kTileM);
    rows_n = inside_tile(params.n - origin_n, kTileN);
  }
};

}  // namespace tileloom::kernels
