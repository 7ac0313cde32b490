// SPDX-License-Identifier: Apache-2.0
// Each check by itself: a kernel with the fault fails it, and only what is said is wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/instances.hpp"
#include "kernels/raster.hpp"
#include "tileloom/trace/check.hpp"
#include "trace/check/properties.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

const std::string hgemm = "examples/hgemm-128x256x32.json";

Kernel good() {
  return kernel_of_file(hgemm);
}

template <class Check>
Properties run(const Check& check) {
  Properties all;
  check(all);
  return all;
}

std::vector<std::string> bad(const Properties& all) {
  std::vector<std::string> texts;
  for (const Property& p : all) {
    if (p.verdict == Verdict::bad) {
      texts.push_back(p.name + ": " + p.text);
    }
  }
  return texts;
}

using Texts = std::vector<std::string>;

// --- Matrices ----------------------------------------------------------------------------------------------------

TEST(Properties, rows_that_share_elements) {
  const auto run_on = [](const std::vector<std::string>& settings) {
    const Kernel kernel = kernel_of_file(hgemm, settings);
    return run([&](Properties& out) { check_matrices(kernel, out); });
  };
  EXPECT_EQ(run_on({}).at(0).verdict, Verdict::good);
  EXPECT_EQ(bad(run_on({"gmem.C=(M,N):(4088,_1)"})),
            (Texts{"matrices: D's rows overlap in global memory: 4088 elements apart, expected at least 4096"}));
  EXPECT_EQ(bad(run_on({"gmem.C=(M,N):(0,_1)"})),
            (Texts{"matrices: D's rows overlap in global memory: 0 elements apart, expected at least 4096"}));
  EXPECT_EQ(bad(run_on({"gmem.C=(M,N):(4096,_1)"})), Texts{});
  EXPECT_EQ(bad(run_on({"gmem.C=(M,N):(_1,4096)"})), Texts{});
  const Properties operand = run_on({"gmem.A=(M,K):(2048,_1)"});  // operands may overlap
  EXPECT_EQ(bad(operand), Texts{});
  EXPECT_EQ(operand.at(0).verdict, Verdict::note);
}

// --- Tile --------------------------------------------------------------------------------------------------------

// tile-ai/tilelang 2381. The builder refuses such configurations; the check is for kernels made by other means.
TEST(Properties, a_k_tile_of_part_of_an_instruction) {
  for (const int k : {8, 24, 40, 56}) {
    Kernel kernel = good();
    kernel.config.tile[2] = k;
    const Texts texts = bad(run([&](Properties& out) { check_tile(kernel, out); }));
    ASSERT_FALSE(texts.empty());
    EXPECT_EQ(texts[0], "K tile: " + std::to_string(k) + ", not a multiple of the instruction's 16");
  }
}

TEST(Properties, a_tile_that_the_warps_do_not_divide) {
  Kernel kernel = good();
  kernel.config.tile = {144, 256, 32};
  EXPECT_EQ(bad(run([&](Properties& out) { check_tile(kernel, out); })),
            (Texts{"tile: M is 144, not a multiple of the tiled MMA's 32"}));
  EXPECT_EQ(bad(run([&](Properties& out) { check_tile(good(), out); })), Texts{});
}

// --- Raster ------------------------------------------------------------------------------------------------------

TileOfBlock shipped(std::int64_t block, std::int64_t m, std::int64_t n, std::int64_t width) {
  const kernels::TileIndex t = kernels::raster_tile(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(m),
                                                    static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(width));
  return {t.m, t.n};
}

Properties raster_of(const Kernel& kernel, const RasterMap& raster) {
  return run([&](Properties& out) { check_raster(kernel, raster, hw::limits(kernel.arch), out); });
}

TEST(Properties, the_shipped_raster_is_a_bijection) {
  for (const int width : {0, 1, 3, 5, 8, 16, 17}) {
    for (const layout::SymbolValues& sizes :
         {layout::SymbolValues{}, {{"M", 128}, {"N", 256 * 13}}, {{"M", 128 * 7}, {"N", 256}}, {{"N", 256 * 19}}}) {
      const Kernel kernel = kernel_of_file(hgemm, {"raster.width=" + std::to_string(width)}, sizes);
      EXPECT_EQ(bad(raster_of(kernel, shipped)), Texts{}) << width;
    }
  }
}

// A last band as wide as the others leaves the grid; tiles are missing and blocks are outside.
TEST(Properties, a_raster_without_a_narrow_last_band_is_found) {
  const RasterMap no_last_band = [](std::int64_t block, std::int64_t tiles_m, std::int64_t tiles_n,
                                    std::int64_t width) {
    const std::int64_t band = width == 0 || width > tiles_n ? tiles_n : width;
    const std::int64_t inside = block % (band * tiles_m);
    return TileOfBlock{inside / band, block / (band * tiles_m) * band + inside % band};
  };
  const Kernel divides = kernel_of_file(hgemm, {"raster.width=8"});
  const Properties found = raster_of(divides, no_last_band);
  ASSERT_EQ(bad(found).size(), 1U) << "32 x 16 divides, the small grids do not";
  EXPECT_GT(found[0].found, 100);
  EXPECT_EQ(found[0].findings.at(0), "block 17: tile (0,9) is outside of 2 x 9");
  const Kernel ragged = kernel_of_file(hgemm, {"raster.width=7"});
  EXPECT_TRUE(raster_of(ragged, no_last_band).at(0).findings.at(0).ends_with("is outside of 32 x 16"));
}

TEST(Properties, tiles_of_two_blocks_and_of_none_are_named) {
  const RasterMap twice = [](std::int64_t block, std::int64_t m, std::int64_t n, std::int64_t width) {
    return shipped(block == 1 ? 0 : block, m, n, width);
  };
  const Property p = raster_of(kernel_of_file(hgemm, {"raster.width=0"}), twice).at(0);
  EXPECT_EQ(p.findings.at(0), "tile (0,0) of 32 x 16: by blocks 0 and 1");
  EXPECT_EQ(p.findings.at(1), "tile (0,1) of 32 x 16: by no block");
}

TEST(Properties, a_grid_may_have_too_many_blocks) {
  const Kernel kernel = kernel_of_file(hgemm, {}, {{"M", std::int64_t{1} << 31}, {"N", std::int64_t{1} << 31}});
  const Texts texts = bad(raster_of(kernel, shipped));
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0], "raster: 140737488355328 blocks, 16777216 x 8388608 tiles of at most 2147483647");
}

// --- Shared memory -----------------------------------------------------------------------------------------------

// Threads that all copy one row: made by hand, since make_tiled_copy's threads and values give every element.
TiledCopy narrow_copy(const OperandPath& p) {
  const std::int64_t rows = p.rows;
  return {p.fill->atom(), 16,
          layout::parse_layout("((_4,_32),_8):((_" + std::to_string(8 * rows) + ",_0),_" + std::to_string(rows) + ")"),
          layout::parse_tree("(_" + std::to_string(rows) + ",_32)")};
}

TEST(Properties, holes_and_overlaps_are_listed) {
  Kernel kernel = good();
  kernel.operands[0].fill = narrow_copy(kernel.operands[0]);
  const Properties all = run([&](Properties& out) { check_coverage(kernel, out); });
  ASSERT_EQ(bad(all).size(), 1U);
  EXPECT_EQ(bad(all)[0], "coverage: A into shared memory: 4096 elements not once");
  EXPECT_EQ(all[0].found, 4096);
  EXPECT_EQ(all[0].findings.size(), most_findings);
  EXPECT_EQ(all[0].findings.at(0), "A(0,0) 32 times");
  EXPECT_EQ(all[0].findings.at(1), "A(1,0) never");
}

TEST(Properties, both_ends_must_agree) {
  Kernel kernel = good();
  kernel.operands[0].fill = narrow_copy(kernel.operands[0]);
  const Properties all = run([&](Properties& out) { check_both_ends(kernel, out); });
  ASSERT_EQ(bad(all).size(), 1U);
  EXPECT_EQ(bad(all)[0], "both ends: A: written and read differ in 4064 places");
  EXPECT_EQ(all[0].findings.at(0), "A(1,0): read, not written");
  Kernel stages = good();
  stages.config.stages = 4;
  const Properties of_stages = run([&](Properties& out) { check_both_ends(stages, out); });
  EXPECT_EQ(of_stages[0].findings.at(0), "3 stages in the layout, 4 in the kernel");
}

TEST(Properties, every_shared_byte_has_one_owner) {
  const Properties all =
      run([](Properties& out) { check_overlap(kernel_of_file(hgemm, {"smem.at={\"B\": 24512}"}), out); });
  EXPECT_EQ(bad(all), (Texts{"overlap: 32 elements of A and B not alone in shared memory"}));
  EXPECT_EQ(all[0].found, 32);
  EXPECT_EQ(all[0].findings.at(0), "byte 24512: A(126,24) of stage 2 and B(0,0) of stage 0");
}

// A swizzle that changes a bit above the layout leads outside.
TEST(Properties, a_swizzle_beyond_the_layout_is_found) {
  const Kernel kernel = kernel_of_file("examples/one-warp.json", {"smem.B=Sw<1,3,-4> o _0 o (_8,_16):(_16,_1)"});
  const Properties all = run([&](Properties& out) { check_overlap(kernel, out); });
  ASSERT_EQ(bad(all).size(), 1U);
  EXPECT_TRUE(std::ranges::any_of(all[0].findings, [](const std::string& f) {
    return f.find("beyond the ") != std::string::npos;
  })) << all[0].findings.at(0);
}

TEST(Properties, shared_memory_counts_static_bytes) {
  const auto text = [](const std::vector<std::string>& settings) {
    const Kernel kernel = kernel_of_file(hgemm, settings);
    return run([&](Properties& out) { check_shared_bytes(kernel, hw::limits(kernel.arch), out); }).at(0);
  };
  EXPECT_EQ(text({}).text, "73728 bytes of at most 166912, above 49152 by opt-in (cudaFuncSetAttribute)");
  EXPECT_EQ(text({"smem.static=1024"}).text,
            "74752 bytes (1024 of them static) of at most 166912, above 49152 by opt-in (cudaFuncSetAttribute)");
  EXPECT_EQ(text({"smem.static=93184"}).verdict, Verdict::bad) << "static ones have 48 KiB";
  EXPECT_EQ(text({"smem.static=40000", "arch=sm_86"}).verdict, Verdict::bad);
  EXPECT_EQ(text({"arch=sm_86"}).verdict, Verdict::good);
}

// NVIDIA's limit without opt-in is for dynamic and static bytes together (numba-cuda-mlir 143).
TEST(Properties, opt_in_is_needed_from_the_first_byte_beyond_48_kib) {
  const auto says = [](int fixed) {
    Kernel kernel = good();
    kernel.shared_bytes = 49152;
    kernel.config.smem_static = fixed;
    return run([&](Properties& out) { check_shared_bytes(kernel, hw::limits(kernel.arch), out); })
               .at(0)
               .text.find("opt-in") != std::string::npos;
  };
  EXPECT_FALSE(says(0));
  EXPECT_TRUE(says(1));
}

// --- Rows of ldmatrix --------------------------------------------------------------------------------------------

TEST(Properties, rows_of_ldmatrix_are_16_bytes_at_multiples_of_16) {
  const auto rows = [](const std::string& layout) {
    const Kernel kernel = kernel_of_file("examples/one-warp.json", {"smem.A=" + layout, "smem.at.B=1024"});
    return run([&](Properties& out) { check_matrix_rows(kernel, out); }).at(0);
  };
  EXPECT_EQ(rows("(_16,_16):(_16,_1)").verdict, Verdict::good);
  EXPECT_EQ(rows("(_16,_16):(_24,_1)").verdict, Verdict::good) << "rows of 48 bytes start at multiples of 16";
  const Property odd = rows("(_16,_16):(_20,_1)");
  EXPECT_EQ(odd.text, "16 rows of ldmatrix and stmatrix not 16 bytes at a multiple of 16");
  EXPECT_EQ(odd.findings.at(0), "A: shared -> registers: the row of thread 1 from A(1,0) on, shared byte 40");
  const Property apart = rows("(_16,_16):(_1,_16)");
  EXPECT_EQ(apart.found, 32);
  EXPECT_EQ(apart.findings.at(0),
            "A: shared -> registers: the row of thread 0 from A(0,0) on, shared byte 0, lies apart");
  EXPECT_EQ(rows("Sw<2,2,3> o _0 o (_16,_16):(_16,_1)").verdict, Verdict::bad) << "2^2 halves stay together";
}

TEST(Properties, only_kernels_with_matrix_instructions_have_rows) {
  EXPECT_TRUE(run([](Properties& out) {
                check_matrix_rows(build_kernel(cli::read_kernel_config("simple", {})), out);
              }).empty());
}

// --- Registers ---------------------------------------------------------------------------------------------------

// The estimate is fitted to twenty of these figures; check.md says how far off it is.
TEST(Properties, estimated_registers_are_within_30_of_ptxas) {
  int compared = 0;
  for (const kernels::Configuration& c : kernels::configurations()) {
    const Kernel kernel = build_kernel(cli::read_kernel_config(std::string(c.name), {}));
    for (const int sm : {80, 90}) {
      const auto r = kernels::resources(c.name, hw::Arch{sm});
      ASSERT_TRUE(r) << c.name;
      EXPECT_LE(std::abs(estimate_registers(kernel) - r->registers), 30) << c.name << " " << r->registers;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2 * static_cast<int>(kernels::instances().size()));
}

TEST(Properties, an_estimate_never_fails) {
  const Kernel huge =
      kernel_of_file(hgemm, {"mma.atom_layout=(_1,_1,_1)", "mma.permutation=<_32,_32,_16>", "g2s.A.thr=(_8,_4):(_4,_1)",
                             "g2s.B.thr=(_8,_4):(_4,_1)", "epilogue.s2g.thr=(_8,_4):(_4,_1)"});
  const Properties all = run([&](Properties& out) {
    check_registers(huge, {}, hw::limits(huge.arch), out);
    check_occupancy(huge, {}, hw::limits(huge.arch), out);
  });
  EXPECT_EQ(bad(all), Texts{});
  EXPECT_EQ(all[0].text, "all 255 of a thread (estimate, +-30)");
}

// --- Lanes that take no part ----------------------------------------------------------------------------------------

TEST(Properties, conflicts_of_a_copy_by_half_a_warp_count) {
  const Kernel kernel = kernel_of_file(
      "examples/one-warp.json",
      {"mma.atom=SM70_8x8x4_F32F16F16F32_TN", "tile=[8,8,32]", "smem.A=(_8,_32):(_32,_1)", "smem.B=(_8,_32):(_32,_1)",
       "s2r=null", "gmem.A=(M,K):(K{div=8},_1)", "gmem.B=(N,K):(K{div=8},_1)",
       R"j(g2s.A={"atom": "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", "thr": "(_2,_4):(_4,_1)", "val": "(_1,_8)"})j",
       R"j(g2s.B={"atom": "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", "thr": "(_2,_4):(_4,_1)", "val": "(_1,_8)"})j"});
  CheckOptions strict;
  strict.max_conflicts = 0;
  const CheckReport r = check_kernel(kernel, strict);
  EXPECT_EQ(bad(r.properties).size(), 2U);
  int conflicts = 0;
  for (const SiteCost& s : r.sites) {
    EXPECT_TRUE(!s.shared || s.shared->worst.exact) << s.site;
    conflicts += s.shared && s.shared->worst.high > s.shared->worst.ideal ? 1 : 0;
  }
  EXPECT_EQ(conflicts, 2);
}

}  // namespace
}  // namespace tileloom::trace::test
