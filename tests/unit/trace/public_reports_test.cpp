// SPDX-License-Identifier: Apache-2.0
// Public bug reports and questions about copies, swizzles and measuring, asked of `check`; each by its reference.
// Others: reports_test.cpp (tiled MMA and tiled copy), unit/hw/conflict_reports_test.cpp (single instructions).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gemm/verify.hpp"
#include "tileloom/trace/check.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

const std::string hgemm = "examples/hgemm-128x256x32.json";
const std::string one_warp = "examples/one-warp.json";

using Texts = std::vector<std::string>;

CheckReport check_of(const std::string& file, const Texts& settings = {}) {
  return check_kernel(kernel_of_file(file, settings));
}

const SiteCost& site(const CheckReport& r, const std::string& name, const std::string& memory) {
  const auto found =
      std::ranges::find_if(r.sites, [&](const SiteCost& s) { return s.site == name && s.memory == memory; });
  EXPECT_NE(found, r.sites.end()) << name;
  return *found;
}

int worst(const CheckReport& r, const std::string& name) {
  const SiteCost& s = site(r, name, "shared");
  EXPECT_TRUE(s.shared && s.shared->worst.exact) << name;
  return s.shared ? s.shared->worst.high : -1;
}

const Property& property(const CheckReport& r, const std::string& name) {
  const auto found = std::ranges::find(r.properties, name, &Property::name);
  EXPECT_NE(found, r.properties.end()) << name;
  return *found;
}

// --- ldmatrix and mma --------------------------------------------------------------------------------------------

// The claim that one ldmatrix.x4.trans cannot load two K steps is wrong: it takes 32 row addresses, and registers 2 and
// 3 hold the matrices whose rows lanes 16 to 31 name. What they hold is the second step exactly if those lanes point
// there.
TEST(LeetCUDA_521, x4_trans_loads_two_k_steps_if_the_upper_lanes_point_to_the_second) {
  const hw::CopyAtom& load = hw::copy_atom("SM75_U16x8_LDSM_T");
  std::vector<int> lane_of_bit;
  const auto position = [](std::int64_t thread, std::int64_t bit, std::int64_t threads) {
    return thread + threads * bit;
  };
  for (int lane = 0; lane < 32; ++lane) {
    for (int bit = 0; bit < 128; ++bit) {
      const std::int64_t block_bit = load.source_bits(position(lane, bit, 32));
      lane_of_bit.resize(std::max(lane_of_bit.size(), static_cast<std::size_t>(block_bit + 1)), -1);
      lane_of_bit[static_cast<std::size_t>(block_bit)] = lane;
    }
  }
  const auto k_of = [&](int lane, int reg, int half, int second_buffer) {
    const auto bit = static_cast<std::size_t>(load.destination_bits(position(lane, 32 * reg + 16 * half, 32)));
    const int source = lane_of_bit[bit];
    return source / 16 * second_buffer + source % 16;  // each lane gives the address of one k
  };
  for (int lane = 0; lane < 32; ++lane) {
    for (int reg = 0; reg < 4; ++reg) {
      for (int half = 0; half < 2; ++half) {
        const int in_step = 8 * (reg % 2) + 2 * (lane % 4) + half;
        EXPECT_EQ(k_of(lane, reg, half, 16), 16 * (reg / 2) + in_step) << lane << " " << reg;
        EXPECT_EQ(k_of(lane, reg, half, 0), in_step) << "the first step twice";
      }
    }
  }
}

// The registers of a lane are a slice of a product of the whole warp, no product of their own.
TEST(NvidiaForum_174303, every_lane_holds_a_slice_of_one_product) {
  const hw::MmaAtom& mma = hw::mma_atom("SM80_16x8x8_F32BF16BF16F32_TN");
  const auto product = [&](const std::array<float, 4>& a, float b) {
    std::array<std::array<float, 8>, 16> of_a{};
    for (std::int64_t lane = 0; lane < 32; ++lane) {
      for (std::int64_t v = 0; v < 4; ++v) {
        const std::int64_t at = mma.a.tv(lane + 32 * v);  // m + 16 * k
        of_a.at(static_cast<std::size_t>(at % 16)).at(static_cast<std::size_t>(at / 16)) =
            a.at(static_cast<std::size_t>(v));
      }
    }
    std::array<float, 4> lane_5{};
    for (std::int64_t v = 0; v < 4; ++v) {
      for (const float x : of_a.at(static_cast<std::size_t>(mma.c.tv(5 + 32 * v) % 16))) {
        lane_5.at(static_cast<std::size_t>(v)) += x * b;
      }
    }
    return lane_5;
  };
  EXPECT_EQ(product({1, 1, 1, 1}, 1), (std::array<float, 4>{8, 8, 8, 8}));
  EXPECT_EQ(product({2, 1, 1, 1}, 1), (std::array<float, 4>{12, 12, 8, 8}));
  const float fifth = 0.2001953125F;  // 0.2 in bf16
  for (const float d : product({fifth, fifth, fifth, fifth}, fifth)) {
    EXPECT_NEAR(d, 0.320625F, 1e-6);
  }
}

// --- Swizzles and conflicts --------------------------------------------------------------------------------------

TEST(ReedLau_cute_gemm_5, two_and_three_bits_are_the_same_at_rows_of_32_and_not_at_64) {
  const auto read = [](const std::string& swizzle, int k) {
    const std::string tile = std::to_string(k);
    const std::string row = "(_8,_" + tile + "):(_" + tile + ",_1)";
    return worst(check_of(one_warp, {"tile=[16,8," + tile + "]", "smem.B=" + row,
                                     "smem.A=tile_to_shape(" + swizzle + " o _0 o " + row + ", (_16,_" + tile + "))"}),
                 "A: shared -> registers");
  };
  EXPECT_EQ(read("Sw<2,3,3>", 32), 4);
  EXPECT_EQ(read("Sw<3,3,3>", 32), 4);
  EXPECT_EQ(read("Sw<2,3,3>", 64), 8);
  EXPECT_EQ(read("Sw<3,3,3>", 64), 4);
}

// M-major, x4.trans: judge by wavefronts of an instruction, not by a conflict counter.
TEST(Cutlass_3172, m_major_x4_trans_is_free_with_a_shift_of_four) {
  const auto read = [](const std::string& swizzle) {
    const std::string atom = (swizzle.empty() ? "" : swizzle + " o _0 o ") + "(_128,_8):(_1,_128)";
    return worst(check_of(one_warp, {"tile=[128,8,32]", "mma.permutation=<_32,_8,_16>", "smem.B=(_8,_32):(_32,_1)",
                                     "smem.A=tile_to_shape(" + atom + ", (_128,_32))", "s2r.A=SM75_U16x8_LDSM_T"}),
                 "A: shared -> registers");
  };
  EXPECT_EQ(read("Sw<3,3,4>"), 4) << "four matrices, four wavefronts";
  EXPECT_EQ(read("Sw<3,3,3>"), 8);
  EXPECT_EQ(read("Sw<3,3,5>"), 8);
  EXPECT_EQ(read(""), 32);
}

TEST(Cutlass_1766, a_base_below_16_bytes_is_named_at_both_copies_and_at_the_rows) {
  const CheckReport r = check_of(hgemm, {"smem.A=tile_to_shape(Sw<3,2,3> o _0 o (_8,_32):(_32,_1), (_128,_32,_3))"});
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(std::ranges::count(r.properties, "vectors", &Property::name), 2);
  const Property& rows = property(r, "matrix rows");
  EXPECT_EQ(rows.verdict, Verdict::bad);
  EXPECT_NE(rows.hint.find("M of at least 3"), std::string::npos);
}

// The swizzle is right at both widths; what doubles is the shared memory, and a launch that does not ask for more than
// 48 KiB fails.
TEST(Cutlass_1927, twice_the_k_tile_is_twice_the_shared_memory) {
  const auto tile = [](int k, const std::string& arch) {
    const std::string columns = std::to_string(k);
    const auto smem = [&](const std::string& rows) {
      return "tile_to_shape(Sw<3,3,3> o _0 o (_8,_" + columns + "):(_" + columns + ",_1), (" + rows + ",_" + columns +
             ",_3))";
    };
    const std::string across = std::to_string(k / 8);
    const std::string thr = "(_" + std::to_string(128 * 8 / k) + ",_" + across + "):(_" + across + ",_1)";
    return check_of(hgemm, {"arch=" + arch, "tile=[128,256," + columns + "]", "smem.A=" + smem("_128"),
                            "smem.B=" + smem("_256"), "g2s.A.thr=" + thr, "g2s.B.thr=" + thr});
  };
  EXPECT_TRUE(tile(32, "sm_80").ok());
  EXPECT_TRUE(tile(64, "sm_80").ok());
  EXPECT_EQ(property(tile(64, "sm_80"), "overlap").verdict, Verdict::good) << "a bijection";
  EXPECT_NE(property(tile(64, "sm_80"), "shared memory").text.find("147456 bytes"), std::string::npos);
  EXPECT_NE(property(tile(64, "sm_80"), "shared memory").text.find("opt-in"), std::string::npos);
  EXPECT_EQ(property(tile(64, "sm_86"), "shared memory").verdict, Verdict::bad);
}

// The same tile in f16 and bf16: no address, no cost differs.
TEST(Cutlass_3197, bf16_costs_what_f16_costs) {
  const CheckReport half = check_of(hgemm, {"mma.atom=SM80_16x8x16_F32F16F16F32_TN", "types=null"});
  const CheckReport bfloat = check_of(hgemm, {"mma.atom=SM80_16x8x16_F32BF16BF16F32_TN", "types=null"});
  ASSERT_EQ(half.sites.size(), bfloat.sites.size());
  for (std::size_t i = 0; i < half.sites.size(); ++i) {
    EXPECT_EQ(half.sites[i].alignment, bfloat.sites[i].alignment);
    if (half.sites[i].shared) {
      EXPECT_EQ(half.sites[i].shared->high, bfloat.sites[i].shared->high) << half.sites[i].site;
    }
    if (half.sites[i].global) {
      EXPECT_EQ(half.sites[i].global->sectors, bfloat.sites[i].global->sectors) << half.sites[i].site;
    }
  }
}

// .ca and .cg say whether L1 keeps the line. The banks of the destination, and so the reads, are the same.
TEST(Cutlass_2212, ca_and_cg_differ_in_no_bank) {
  for (const Texts& more : {Texts{}, {"smem.A=(_128,_32,_3):(_32,_1,_4096)"}}) {
    Texts ca = more;
    ca.emplace_back("g2s.A.atom=SM80_CP_ASYNC_CACHEALWAYS<uint128_t>");
    const CheckReport always = check_of(hgemm, ca);
    const CheckReport global = check_of(hgemm, more);
    EXPECT_EQ(worst(always, "A: shared -> registers"), worst(global, "A: shared -> registers"));
    EXPECT_EQ(site(always, "A: global -> shared", "global").global->sectors,
              site(global, "A: global -> shared", "global").global->sectors);
    EXPECT_EQ(worst(always, "A: global -> shared"), 8) << "rows of 64 bytes, either way";
    EXPECT_EQ(worst(global, "A: global -> shared"), 8);
  }
}

// --- Performance and measuring -----------------------------------------------------------------------------------

// A wrong index made results NaN, and `NaN > tolerance` is false. A comparison has to ask for `not within`.
TEST(SGEMM_CUDA_PR_20, a_product_of_nan_is_wrong) {
  const std::vector<std::uint16_t> operand(16 * 16, 0x3C00);
  const GemmProblem problem = dense_problem(16, 16, 16);
  for (const std::uint16_t wrong : {std::uint16_t{0x7E00}, std::uint16_t{0xFE00}, std::uint16_t{0x7C01}}) {
    std::vector<std::uint16_t> d(16 * 16, 0x4C00);  // 16
    EXPECT_TRUE(verify(problem, hw::sm_90, operand.data(), operand.data(), d.data()).ok());
    d[37] = wrong;
    const VerifyReport one = verify(problem, hw::sm_90, operand.data(), operand.data(), d.data());
    EXPECT_EQ(one.wrong, 1);
    ASSERT_TRUE(one.first);
    EXPECT_EQ(one.first->row * 16 + one.first->col, 37);
    std::ranges::fill(d, wrong);
    EXPECT_EQ(verify(problem, hw::sm_90, operand.data(), operand.data(), d.data()).wrong, 256);
  }
}

// Infinity against a finite value passed a relative test: inf <= rtol * inf.
TEST(Onnxruntime_PR_31761, infinity_is_not_within_any_bound) {
  const std::vector<std::uint16_t> operand(16 * 16, 0x3C00);
  std::vector<std::uint16_t> d(16 * 16, 0x4C00);
  d[0] = 0x7C00;
  d[1] = 0xFC00;
  const VerifyReport r = verify(dense_problem(16, 16, 16), hw::sm_90, operand.data(), operand.data(), d.data());
  EXPECT_EQ(r.wrong, 2);
  EXPECT_TRUE(std::isinf(r.relative_error()));
}

// Accumulators stored as they lie: 2 bytes at a time, 8 sectors for what fits 2. Pairs halve the requests; through
// shared memory a thread stores 16 bytes.
TEST(Cutlass_1858_2440, direct_stores_of_accumulators_are_narrow) {
  const Kernel direct = build_kernel(cli::read_kernel_config("simple", {}));
  const CheckReport r = check_kernel(direct);
  const SiteCost& store = site(r, "C: registers -> global", "global");
  EXPECT_EQ(store.width, 2);
  EXPECT_EQ(store.global->worst.sectors, 4 * store.global->worst.ideal_sectors);
  const auto note = std::ranges::find_if(
      r.properties, [](const Property& p) { return p.text.starts_with("D leaves in accesses of 2 bytes"); });
  ASSERT_NE(note, r.properties.end());
  EXPECT_EQ(note->text, "D leaves in accesses of 2 bytes; 2 neighbours of a thread at once would be 4");
  EXPECT_EQ(note->hint, "stage the output in shared memory (smem.C, epilogue) and store 16 bytes a thread");
  // The same with a staged epilogue, and what taking it away costs.
  const CheckReport staged = check_of(hgemm);
  EXPECT_EQ(site(staged, "C: shared -> global", "global").width, 16);
  EXPECT_EQ(site(staged, "C: shared -> global", "global").global->worst.sectors,
            site(staged, "C: shared -> global", "global").global->worst.ideal_sectors);
  EXPECT_EQ(site(check_of(hgemm, {"smem.C=null", "epilogue=null"}), "C: registers -> global", "global").width, 2);
}

// The layout that the maintainers proposed, eight rows side by side, is free for ldmatrix with and without its swizzle.
TEST(Cutlass_1858_2440, the_proposed_operand_layout_is_free_of_conflicts) {
  for (const std::string swizzle : {"Sw<3,3,3> o _0 o ", ""}) {
    const std::string atom = swizzle + "(_8,(_8,_8)):(_8,(_1,_64))";
    const CheckReport r = check_of(
        one_warp, {"tile=[16,8,64]", "smem.A=tile_to_shape(" + atom + ", (_16,_64))", "smem.B=(_8,_64):(_64,_1)"});
    EXPECT_EQ(worst(r, "A: shared -> registers"), 4) << atom;
  }
}

// A branch round the copy splits a warp's access in two requests; with the source size as an operand all lanes take
// part in one, and those outside read nothing. The sectors are those of the inside either way; the zeros of the others
// are written in passes of their own.
TEST(NvidiaForum_306460, zero_fill_keeps_a_copy_at_the_edge_whole) {
  std::array<std::uint64_t, 32> global{};
  std::array<std::uint32_t, 32> shared{};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    global[lane] = lane / 8 * 8192 + lane % 8 * 16;
    shared[lane] = static_cast<std::uint32_t>(lane) * 16;
  }
  const std::uint32_t inside = 0x0000'1F1F;  // 5 of 8 pieces of each row, and the last two rows outside
  const hw::GlobalTraffic all = hw::global_traffic({16, global, hw::all_lanes});
  const hw::GlobalTraffic edge = hw::global_traffic({16, global, inside});
  EXPECT_EQ(all.requests, 1);
  EXPECT_EQ(edge.requests, 1);
  EXPECT_EQ(edge.sectors, 2 * 3) << "80 bytes of two rows";
  EXPECT_EQ(edge.ideal_sectors, 5);
  // Whole rows and the broken ones by two branches: a request more, and a sector of both counted twice.
  const hw::GlobalTraffic first = hw::global_traffic({16, global, 0x0000'0F0F});
  const hw::GlobalTraffic second = hw::global_traffic({16, global, 0x0000'1010});
  EXPECT_EQ(first.requests + second.requests, 2);
  EXPECT_GE(first.sectors + second.sectors, edge.sectors);
  hw::SharedAccess copy{hw::SharedOp::cp_async_cg, 16, shared, global};
  EXPECT_EQ(hw::shared_wavefronts(copy).high, hw::shared_wavefronts(copy).ideal);
  copy.readers = inside;
  const hw::Wavefronts zero_fill = hw::shared_wavefronts(copy);
  copy.active = inside;
  const hw::Wavefronts branch = hw::shared_wavefronts(copy);
  EXPECT_TRUE(zero_fill.exact);
  EXPECT_TRUE(branch.exact);
  EXPECT_EQ(zero_fill.high - branch.high, 4) << "zeros in each group of 8 lanes";
  EXPECT_EQ(hw::bypass_sectors(copy), edge.sectors);
}

}  // namespace
}  // namespace tileloom::trace::test
