// SPDX-License-Identifier: Apache-2.0
// CTAs other than the first: their tiles, and which launched block makes them.
#include <gtest/gtest.h>

#include "kernels/raster.hpp"
#include "tileloom/trace/route.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

TEST(Grid, launched_block_is_the_inverse_of_the_kernels_raster) {
  for (std::uint32_t tiles_m = 1; tiles_m <= 6; ++tiles_m) {
    for (std::uint32_t tiles_n = 1; tiles_n <= 9; ++tiles_n) {
      for (std::uint32_t width = 0; width <= 10; ++width) {
        for (std::uint32_t block = 0; block < tiles_m * tiles_n; ++block) {
          const kernels::TileIndex tile = kernels::raster_tile(block, tiles_m, tiles_n, width);
          ASSERT_EQ(launched_block({tiles_m, tiles_n, width}, {tile.m, tile.n}), block)
              << tiles_m << " x " << tiles_n << ", width " << width;
        }
      }
    }
  }
}

TEST(Grid, of_a_configuration) {
  const Grid g = grid_of(kernel_of_file("examples/hgemm-128x256x32.json", {}, {{"M", 1024}, {"N", 8192}}));
  EXPECT_EQ(g.tiles_m, 8);
  EXPECT_EQ(g.tiles_n, 32);
  EXPECT_EQ(g.band, 8);
  EXPECT_EQ(launched_block(g, {1, 9}), 8 * 8 + 8 + 1);
  EXPECT_EQ(grid_of(kernel_of_file("examples/one-warp.json")).ctas(), 1);
}

// The tile of CTA (m,n) is that which local_tile cuts out of the matrix.
TEST(Grid, tiles_are_those_of_local_tile) {
  const Kernel kernel = kernel_of_file("examples/hgemm-128x256x32.json");
  const CtaIndex cta{3, 5};
  const RouteTracer tracer(kernel, cta);
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    const OperandPath& p = kernel.path(o);
    const std::int64_t down = o == Operand::b ? cta.n : cta.m;
    const std::int64_t across = o == Operand::c ? cta.n : 4;  // of A and B a k-tile
    const Sliced tile = local_tile(
        *p.matrix, layout::Tiler::from_tree(Tree::tuple({Int::make_static(p.rows), Int::make_static(p.columns)})),
        Tree::tuple({Int::make_dynamic(down), Int::make_dynamic(across)}));
    for (const auto& [row, column] : {std::pair(0, 0), {7, 3}, {127, 31}}) {
      const Route r = tracer.follow(o, {row, column}, o == Operand::c ? 0 : across);
      EXPECT_EQ(r.global->offset, tile.offset.leaf().value + offset_at(tile.layout, row, column));
    }
  }
}

TEST(Grid, ctas_outside_are_refused) {
  const Kernel kernel = kernel_of_file("examples/hgemm-128x256x32.json");
  for (const CtaIndex cta : {CtaIndex{32, 0}, {0, 16}, {-1, 0}}) {
    const auto [message, hint] = error_of([&] { return RouteTracer(kernel, cta); });
    EXPECT_EQ(message, "CTA (" + std::to_string(cta.m) + "," + std::to_string(cta.n) +
                           "): outside the grid of 32 x 16 tiles in M and N");
    EXPECT_EQ(hint, "--size makes the matrices larger");
  }
  const auto [message, hint] = error_of([&] {
    return RouteTracer(kernel_of_file("examples/one-warp.json"), CtaIndex{0, 1});
  });
  EXPECT_EQ(message, "CTA (0,1): outside the grid of 1 x 1 tiles in M and N");
  EXPECT_EQ(hint, "the matrices of gmem make the grid");
}

}  // namespace
}  // namespace tileloom::trace::test
