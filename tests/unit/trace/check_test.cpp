// SPDX-License-Identifier: Apache-2.0
// What configurations cost, and what is wrong with wrong ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "tileloom/trace/check.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

const std::string hgemm = "examples/hgemm-128x256x32.json";

const SiteCost& site(const CheckReport& r, const std::string& name, const std::string& memory = "shared") {
  const auto found =
      std::ranges::find_if(r.sites, [&](const SiteCost& s) { return s.site == name && s.memory == memory; });
  EXPECT_NE(found, r.sites.end()) << name;
  return *found;
}

// Wavefronts of the worst instruction and of one without conflicts.
std::pair<int, int> wavefronts(const CheckReport& r, const std::string& name) {
  const hw::Wavefronts& w = site(r, name).shared->worst;
  EXPECT_TRUE(w.exact && w.low == w.high);
  return {w.high, w.ideal};
}

std::vector<std::string> failures(const CheckReport& r) {
  std::vector<std::string> all;
  for (const Property& p : r.properties) {
    if (p.verdict == Verdict::bad) {
      all.push_back(p.name + ": " + p.text);
    }
  }
  return all;
}

CheckReport check_file(const std::string& file, const std::vector<std::string>& settings = {},
                       const CheckOptions& options = {}) {
  return check_kernel(kernel_of_file(file, settings), options);
}

TEST(Check, every_committed_configuration_is_good) {
  for (const Kernel& kernel : all_kernels()) {
    EXPECT_EQ(failures(check_kernel(kernel)), std::vector<std::string>{}) << kernel.config.name;
  }
}

// Rows of 64 bytes put two global lines into one shared line: no swizzle helps cp.async, while ldmatrix is free.
TEST(Check, rows_of_64_bytes_cost_cp_async_twice) {
  const CheckReport narrow = check_file(hgemm);
  EXPECT_EQ(wavefronts(narrow, "A: shared -> registers"), std::pair(4, 4));
  EXPECT_EQ(wavefronts(narrow, "B: shared -> registers"), std::pair(4, 4));
  EXPECT_EQ(wavefronts(narrow, "A: global -> shared"), std::pair(8, 4));
  EXPECT_EQ(wavefronts(narrow, "B: global -> shared"), std::pair(8, 4));
  const CheckReport wide = check_kernel(build_kernel(cli::read_kernel_config("multistage", {})));
  EXPECT_EQ(wavefronts(wide, "A: shared -> registers"), std::pair(4, 4));
  EXPECT_EQ(wavefronts(wide, "A: global -> shared"), std::pair(4, 4));
}

// Conflicts of ldmatrix by row length and swizzle, ways an 8x8 matrix (reed-lau/cute-gemm 5 and its kin).
TEST(Check, swizzles_of_ldmatrix) {
  struct Case {
    int row;
    const char* swizzle;
    int ways;
  };
  for (const Case& c : {Case{16, "", 2},
                        {16, "Sw<1,3,3> o _0 o ", 1},
                        {32, "", 4},
                        {32, "Sw<1,3,3> o _0 o ", 2},
                        {32, "Sw<2,3,3> o _0 o ", 1},
                        {32, "Sw<3,3,3> o _0 o ", 1},
                        {32, "Sw<2,3,2> o _0 o ", 2},
                        {32, "Sw<3,4,3> o _0 o ", 2},
                        {64, "", 8},
                        {64, "Sw<2,3,3> o _0 o ", 2},
                        {64, "Sw<3,3,3> o _0 o ", 1},
                        {64, "Sw<3,4,3> o _0 o ", 2},
                        {128, "", 8},
                        {128, "Sw<3,3,3> o _0 o ", 2},
                        {128, "Sw<3,3,4> o _0 o ", 1}}) {
    const std::string row = "_" + std::to_string(c.row);
    const std::string layout = c.swizzle + ("(_16," + row + "):(" + row + ",_1)");
    const CheckReport r = check_file(
        "examples/one-warp.json",
        {"smem.A=" + layout, "smem.B=(_8," + row + "):(" + row + ",_1)", "tile=[16,8," + std::to_string(c.row) + "]"});
    EXPECT_EQ(wavefronts(r, "A: shared -> registers"), std::pair(4 * c.ways, 4)) << layout;
  }
}

// NVIDIA/cutlass 1766 and its kin: a swizzle that takes the 16 bytes of a row apart.
TEST(Check, a_swizzle_of_too_small_a_base_does_not_vectorize) {
  const auto bad =
      failures(check_file(hgemm, {"smem.A=tile_to_shape(Sw<3,2,3> o _0 o (_8,_32):(_32,_1), (_128,_32,_3))"}));
  ASSERT_EQ(bad.size(), 3U) << "the copy into it, the copy out of it and its rows";
  EXPECT_TRUE(bad[1].starts_with("vectors: tiled copy A: SM75_U32x4_LDSM_N needs 8 neighbouring values")) << bad[1];
}

TEST(Check, a_stride_of_unknown_divisor_does_not_prove_the_alignment) {
  const CheckReport r = check_file(hgemm, {"gmem.B=(N,K):(K,_1)", "gmem.A=(M,K):(K{div=4},_1)"});
  EXPECT_EQ(failures(r),
            (std::vector<std::string>{"alignment: A: global -> shared, global: accesses of 16 bytes, known to be at "
                                      "multiples of 8; the limit is K",
                                      "alignment: B: global -> shared, global: accesses of 16 bytes, known to be at "
                                      "multiples of 2; the limit is K"}));
}

// sglang 29897 and its kin.
TEST(Check, shared_memory_beyond_the_limit_fails) {
  const std::vector<std::string> eight = {"stages=8",
                                          "smem.A=tile_to_shape(Sw<3,3,3> o _0 o (_8,_32):(_32,_1), (_128,_32,_8))",
                                          "smem.B=tile_to_shape(Sw<3,3,3> o _0 o (_8,_32):(_32,_1), (_256,_32,_8))"};
  EXPECT_EQ(failures(check_file(hgemm, eight)),
            (std::vector<std::string>{"shared memory: 196608 bytes of at most 166912",
                                      "occupancy: 0 CTAs, 0 warps an SM, limited by shared memory"}));
  std::vector<std::string> on_hopper = eight;
  on_hopper.emplace_back("arch=sm_90");
  EXPECT_EQ(failures(check_file(hgemm, on_hopper)), std::vector<std::string>{});
}

TEST(Check, threads_that_do_not_cover_the_tile_fail) {
  const auto bad = failures(check_file(hgemm, {"g2s.A.thr=(_16,_4):(_4,_1)"}));
  EXPECT_EQ(bad, (std::vector<std::string>{"threads: g2s.A is shared by 64 threads, the tiled MMA has 128"}));
}

TEST(Check, operands_that_share_bytes_fail) {
  const auto bad = failures(check_file(hgemm, {"smem.at={\"B\": 1024}"}));
  ASSERT_EQ(bad.size(), 1U);
  EXPECT_EQ(bad[0], "overlap: 11776 elements of A and B not alone in shared memory");
  const auto twice = failures(check_file(hgemm, {"smem.A=(_128,_32,_3):(_32,_1,_0)"}));
  ASSERT_EQ(twice.size(), 1U);
  EXPECT_EQ(twice[0], "overlap: 8192 elements of A and B not alone in shared memory");
}

TEST(Check, an_epilogue_larger_than_a_stage_fails) {
  const auto bad =
      failures(check_file(hgemm, {"smem.C=tile_to_shape(Sw<3,3,3> o _0 o (_32,_32):(_32,_1), (_64,_256))"}));
  EXPECT_EQ(bad,
            (std::vector<std::string>{"epilogue: C's 32768 bytes in shared memory, one stage of A and B has 24576"}));
}

TEST(Check, instructions_newer_than_the_architecture_fail) {
  EXPECT_EQ(failures(check_file(hgemm, {"arch=sm_90", "epilogue.r2s=SM90_U32x4_STSM_N"})), std::vector<std::string>{});
  EXPECT_EQ(failures(check_file(hgemm, {"epilogue.r2s=SM90_U32x4_STSM_N"})),
            (std::vector<std::string>{"instructions: SM90_U32x4_STSM_N needs sm_90, the kernel is for sm_80"}));
}

TEST(Check, conflicts_fail_only_when_asked_and_ranges_never) {
  EXPECT_TRUE(check_file(hgemm).ok());
  CheckOptions strict;
  strict.max_conflicts = 3;
  EXPECT_EQ(failures(check_file(hgemm, {}, strict)),
            (std::vector<std::string>{"conflicts: A: global -> shared, shared: 8 wavefronts, 4 without conflicts",
                                      "conflicts: B: global -> shared, shared: 8 wavefronts, 4 without conflicts"}));
  strict.max_conflicts = 4;
  EXPECT_TRUE(check_file(hgemm, {}, strict).ok());
}

TEST(Check, registers_of_ptxas_are_judged_and_estimates_are_not) {
  EXPECT_TRUE(check_file(hgemm).ok());
  CheckOptions known;
  known.registers = 300;
  EXPECT_EQ(failures(check_file(hgemm, {}, known)).front(), "registers: 300 a thread (ptxas) of at most 255");
}

}  // namespace
}  // namespace tileloom::trace::test
