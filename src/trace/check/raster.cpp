// SPDX-License-Identifier: Apache-2.0
// The blocks of a grid and the output tiles: each tile by one block.
#include "trace/check/properties.hpp"

namespace tileloom::trace {

using std::to_string;

namespace {

constexpr std::int64_t most_blocks = std::int64_t{1} << 22;  // that are followed one by one
constexpr std::int64_t small_grid = 12;

std::string tile_name(std::int64_t m, std::int64_t n) {
  return "tile (" + to_string(m) + "," + to_string(n) + ")";
}

void follow(const RasterMap& raster, std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t width, Findings& wrong) {
  std::vector<std::int32_t> by(static_cast<std::size_t>(tiles_m * tiles_n), -1);
  const std::string of = " of " + to_string(tiles_m) + " x " + to_string(tiles_n);
  for (std::int64_t block = 0; block < tiles_m * tiles_n; ++block) {
    const TileOfBlock t = raster(block, tiles_m, tiles_n, width);
    if (t.m < 0 || t.m >= tiles_m || t.n < 0 || t.n >= tiles_n) {
      wrong.add("block " + to_string(block) + ": " + tile_name(t.m, t.n) + " is outside" + of);
      continue;
    }
    std::int32_t& first = by[static_cast<std::size_t>(t.m * tiles_n + t.n)];
    if (first >= 0) {
      wrong.add(tile_name(t.m, t.n) + of + ": by blocks " + to_string(first) + " and " + to_string(block));
    }
    first = first < 0 ? static_cast<std::int32_t>(block) : first;
  }
  for (std::int64_t i = 0; i < tiles_m * tiles_n; ++i) {
    if (by[static_cast<std::size_t>(i)] < 0) {
      wrong.add(tile_name(i / tiles_n, i % tiles_n) + of + ": by no block");
    }
  }
}

}  // namespace

void check_raster(const Kernel& kernel, const RasterMap& raster, const hw::Limits& limits, Properties& out) {
  const OperandPath& c = kernel.path(Operand::c);
  if (!raster || !c.matrix) {
    return;
  }
  const std::int64_t tiles_m = mode_size(*c.matrix, 0) / c.rows;
  const std::int64_t tiles_n = mode_size(*c.matrix, 1) / c.columns;
  const std::int64_t blocks = tiles_m * tiles_n;
  const std::int64_t width = kernel.config.raster ? kernel.config.raster->width : 0;
  const std::string grid = to_string(blocks) + " blocks, " + to_string(tiles_m) + " x " + to_string(tiles_n) + " tiles";
  if (blocks > limits.grid_x) {
    out.push_back({"raster", Verdict::bad, grid + " of at most " + to_string(limits.grid_x),
                   "larger tiles, or several launches"});
    return;
  }
  Findings wrong;
  if (blocks <= most_blocks) {
    follow(raster, tiles_m, tiles_n, width, wrong);
  }
  // Ragged ones too: the last band is narrower wherever the width does not divide N's tiles.
  for (std::int64_t m = 1; m <= small_grid; ++m) {
    for (std::int64_t n = 1; n <= small_grid; ++n) {
      follow(raster, m, n, width, wrong);
    }
  }
  const std::string bands = width == 0 ? " in one band" : " in bands of " + to_string(width);
  const std::string small = "every grid up to " + to_string(small_grid) + " x " + to_string(small_grid);
  out.push_back(wrong.property(
      "raster",
      grid + bands + (blocks <= most_blocks ? ": each tile once, as on " : ": too many; each tile once on ") + small,
      grid + bands + ": " + counted(wrong.count(), "fault"), "every tile needs exactly one block"));
}

}  // namespace tileloom::trace
