// SPDX-License-Identifier: Apache-2.0
// Questions of `tileloom trace` about one kernel: elements, CTAs, tensors, threads and registers.
#include <gtest/gtest.h>

#include "cli/trace_names.hpp"
#include "unit/trace/question_support.hpp"

namespace tileloom::trace::test {
namespace {

// --- Results on their way to global memory -----------------------------------------------------------------------

TEST_F(Question, a_result_goes_through_shared_memory_along_n) {
  EXPECT_EQ(answer(multistage, element("D:35,70")),
            "D(35,70)\n"
            "  register   warp 0 lane 15, slot 36 = tCrC(0,1,2) = tCrC_r2s(0,1,1)   d0\n"
            "  convert    f32 -> f16\n"
            "  store      UniversalCopy<uint32_t>: warp 0 lane 15 stores D(35,70..71), this is its element 0\n"
            "  shared     element 2246, swizzled 2270, byte 4540, bank 15   sC Sw<3,3,3> o _0 o "
            "((_32,_1),(_64,_4)):((_64,_0),(_1,_2048))\n"
            "  slab       part 1 = D(32..63,0..255), round 1 of 4\n"
            "  copy       UniversalCopy<uint128_t>: warp 3 lane 8 moves D(35,64..71), this is its element 6; 16 bytes "
            "to byte 286848\n"
            "  global     element 143430, byte 286860                      gC (_128,_256):(4096,_1)\n");
}

TEST_F(Question, the_parts_of_a_tile_follow_each_other_as_the_configuration_says) {
  const auto slab = [&](const Kernel& kernel) { return json_answer(kernel, element("D:33,0"))["route"]["slab"]; };
  EXPECT_EQ(slab(big)["part"], 1) << "along M the next part lies below";
  EXPECT_EQ(slab(big)["place"], 1);
  EXPECT_EQ(slab(big)["round"], 0);
  EXPECT_EQ(slab(kernel_of_file("examples/hgemm-128x256x32.json", {"epilogue.along=N"}))["part"], 8);
  EXPECT_EQ(slab(multistage)["part"], 1) << "a part has the whole width here";
  EXPECT_EQ(error_of([] { return kernel_of_file("examples/hgemm-128x256x32.json", {"epilogue.along=K"}); }).first,
            std::string(TILELOOM_SOURCE_DIR) +
                "/examples/hgemm-128x256x32.json: epilogue.along: expected \"M\" or \"N\", found \"K\"");
}

TEST_F(Question, c_is_another_name_of_d) {
  EXPECT_EQ(answer(multistage, element("C:35,70")), answer(multistage, element("D:35,70")));
  EXPECT_EQ(answer(multistage, map("C")), answer(multistage, map("D")));
}

TEST_F(Question, results_of_a_kernel_without_an_epilogue_go_straight_to_global_memory) {
  EXPECT_EQ(answer(simple, element("D:3,5")),
            "D(3,5)\n"
            "  register   warp 0 lane 14, slot 1 = tCrC(1,0,0)             d0[31:16]\n"
            "  global     element 12293, byte 24586                        gC (_128,_128):(4096,_1)\n");
}

// --- CTAs --------------------------------------------------------------------------------------------------------

TEST_F(Question, another_cta_moves_global_addresses_and_names_its_block) {
  TraceQuestion q = element("A:0,9,2");
  q.cta = "3,5";
  const std::string text = answer(big, q);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "A(0,9) of k-tile 2 of CTA (3,5), launched block 29 of 512, raster of 8; A(384,73) of the matrix");
  const Json json = json_answer(big, q);
  EXPECT_EQ(json["route"]["global"]["offset"], 384 * 4096 + 73);
  EXPECT_EQ(json["kernel"]["cta"], (Json{3, 5}));
  EXPECT_EQ(json["kernel"]["grid"], (Json{32, 16}));
  EXPECT_EQ(json["kernel"]["block"], 29);
  for (const std::string wrong : {"3", "3,5,1", "3,", "x,1", "-1,0"}) {
    q.cta = wrong;
    EXPECT_TRUE(refused(big, q).first.starts_with("--cta")) << wrong;
  }
  q.cta = "32,0";
  EXPECT_EQ(refused(big, q).first, "CTA (32,0): outside the grid of 32 x 16 tiles in M and N");
}

// --- Tensors -----------------------------------------------------------------------------------------------------

TEST_F(Question, tensors_by_name_and_by_the_names_of_other_code) {
  EXPECT_EQ(answer(one_warp, tensors({"tCrA"})),
            "A: shared -> registers   SM75_U32x4_LDSM_N\n"
            "  tCrA  (MMA, MMA_M, MMA_K)  ((_2,_2,_2),_1,_1):((_1,_2,_4),_0,_0)\n");
  for (const auto& [alias, own] : {std::pair("tDgD", "tCgC"), {"tCrD", "tCrC"}, {"tAgA", "tCgA"}, {"gD", "gC"}}) {
    EXPECT_EQ(answer(simple, tensors({alias})), answer(simple, tensors({own}))) << alias;
  }
  for (const auto& [alias, own] :
       {std::pair("tAgA_copy", "tAgA"), {"tCrA_view", "tXrA"}, {"tCgC_s2gx", "tCgC_s2g"}, {"tCgD", "tCgC"}}) {
    EXPECT_EQ(answer(big, tensors({alias})), answer(big, tensors({own}))) << alias;
  }
  EXPECT_NE(answer(big, tensors({"tAgA"})), answer(big, tensors({"tCgC"})));
  EXPECT_EQ(answer(big, tensors({"tCsA,tXrA"})), answer(big, tensors({"tXrA", "tCsA"})));
  EXPECT_EQ(refused(big, tensors({"tCsE"})),
            std::pair(std::string("--tensor: the kernel has no tensor 'tCsE'"), std::string("did you mean tCsA?")));
  EXPECT_EQ(refused(one_warp, tensors({"accumulators"})).second,
            "it has sA, tCsA, tCrA, tXsA, tXrA, sB, tCsB, tCrB, tXsB, tXrB, tCrC");
  EXPECT_EQ(json_answer(big, tensors({"sA"}))["stages"][0]["tensors"].size(), 1U);
}

TEST_F(Question, every_tensor_of_every_kernel_is_found_by_its_name) {
  for (const Kernel& kernel : all_kernels()) {
    for (const StageLayouts& stage : overview(kernel).stages) {
      for (const NamedLayout& t : stage.tensors) {
        const auto found = cli::named_tensors(overview(kernel).stages, {t.name});
        ASSERT_EQ(found.size(), 1U);
        ASSERT_EQ(found[0].tensors.size(), 1U);
        EXPECT_EQ(to_string(found[0].tensors[0].layout), to_string(t.layout));
      }
    }
  }
}

TEST_F(Question, explains_a_layout) {
  TraceQuestion q = tensors({"tCgB"});
  q.explain = true;
  const std::string how =
      "A layout is (shape):(stride). Brackets group modes and change no number: write both flat, multiply each\n"
      "coordinate by its stride and add. _4 is known at compile time, 4 at run time; a stride _0 moves nothing.\n\n";
  EXPECT_EQ(answer(simple, q),
            how +
                "B: global -> registers\n"
                "  tCgB  (MMA, MMA_N, MMA_K, k)  ((_2,_2),(_2,_4),_1,256):((_1,_8),(65536,131072),_0,_16)\n"
                "    offset = a*1 + b*8 + n0*65536 + n1*131072 + ik*16   elements from element 0 of gB, where this "
                "thread starts\n"
                "    mode   at  values  stride  a step moves  comes from\n"
                "    MMA    a        2       1  +1 column     values of one MMA in a thread\n"
                "    MMA    b        2       8  +8 columns    values of one MMA in a thread\n"
                "    MMA_N  n0       2   65536  +16 rows      permutation: tiled MMA 32 / atoms 16\n"
                "    MMA_N  n1       4  131072  +32 rows      CTA tile 128 / tiled MMA 32\n"
                "    MMA_K  -        1       -  -             CTA tile 16 / tiled MMA 16\n"
                "    k      ik     256      16  +1 k-tile     the tiles along K\n"
                "    a = 1, b = 1, n0 = 1, n1 = 1, ik = 1: offset 196633 is B(48,9) of k-tile 1\n");
  q.tensors = {"sA"};
  EXPECT_EQ(
      answer(big, q),
      how +
          "A: global -> shared   SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>\n"
          "  sA  (TILE_M, TILE_K, PIPE)  Sw<3,3,3> o _0 o ((_8,_16),(_32,_1),(_1,_3)):((_32,_256),(_1,_0),(_0,_4096))\n"
          "    offset = Sw<3,3,3>(m0*32 + m1*256 + k*1 + p*4096)   elements of shared memory\n"
          "    mode    at  values  stride  a step moves  comes from\n"
          "    TILE_M  m0       8      32  +1 row        rows of the tile\n"
          "    TILE_M  m1      16     256  +8 rows       rows of the tile\n"
          "    TILE_K  k       32       1  +1 column     columns of the tile\n"
          "    PIPE    p        3    4096  +1 stage      stages in shared memory\n"
          "    Sw<3,3,3>: bits 3..5 of the sum are XORed with bits 6..8\n"
          "    m0 = 1, m1 = 1, k = 1, p = 1: offset 4353 is A(9,1) of stage 1\n");
  q.tensors = {"tCsA"};
  EXPECT_NE(answer(big, q).find("Strides without _ come from the swizzle of sA: other threads have others.\n"),
            std::string::npos);
  q.tensors = {"tXrA"};
  EXPECT_NE(answer(big, q).find("a = 0, 1, ...: A(0,0) A(0,1) A(8,0) A(8,1) A(0,8) A(0,9) A(8,8) A(8,9)\n"),
            std::string::npos);
}

// --- Threads -----------------------------------------------------------------------------------------------------

TEST_F(Question, a_thread_that_is_named_shows_its_elements) {
  TraceQuestion q;
  q.thread = "1";
  const std::string text = answer(one_warp, q);
  EXPECT_EQ(text.substr(text.find("A of thread")),
            "A of thread 1  slots  a0         a1         a2           a3\n"
            "  tCrA(_,0,0)   0..7  A(0,2..3)  A(8,2..3)  A(0,10..11)  A(8,10..11)\n"
            "\n"
            "B of thread 1  slots  b0         b1\n"
            "  tCrB(_,0,0)   0..3  B(0,2..3)  B(0,10..11)\n"
            "\n"
            "D of thread 1  slots  d0         d1\n"
            "  tCrC(_,0,0)   0..3  D(0,2..3)  D(8,2..3)\n");
  EXPECT_EQ(answer(one_warp, {}).find("of thread 0\n"), std::string::npos);
  q.thread = "0";
  EXPECT_NE(answer(multistage, q).find("  and "), std::string::npos) << "long lists are cut";
  EXPECT_EQ(json_answer(multistage, q)["elements"][2]["mmas"].size(), 4U * 8U) << "and whole in JSON";
}

TEST_F(Question, draws_a_thread_s_elements) {
  EXPECT_EQ(answer(one_warp, map("A", "0")),
            "A of thread 0 on the CTA's tile of 16 x 16: slots of tCrA, a point is another thread's\n"
            "   k  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15\n"
            "m  0  0  1  .  .  .  .  .  .  4  5  .  .  .  .  .  .\n"
            " ...\n"
            "m  8  2  3  .  .  .  .  .  .  6  7  .  .  .  .  .  .\n"
            " ...\n");
  EXPECT_EQ(answer(multistage, map("A", "37")),
            "A of thread 37 on the CTA's tile of 128 x 32: slots of tCrA, a point is another thread's\n"
            "   k  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15\n"
            " ...\n"
            "m 17  .  .  0  1  .  .  .  .  .  .  4  5  .  .  .  .\n"
            " ...\n"
            "m 25  .  .  2  3  .  .  .  .  .  .  6  7  .  .  .  .\n"
            " ...\n"
            "These are the first 32 x 16; the pattern repeats\n"
            "  every 32 rows, 4 times in all, slots + 8\n"
            "  every 16 columns, 2 times in all, slots + 32\n");
  EXPECT_EQ(answer(multistage, map("D", "5")),
            "D of thread 5 on the CTA's tile of 128 x 256: slots of tCrC, a point is another thread's\n"
            "   n   0   1   2   3 ...  34  35 ...\n"
            "m  0   .   .   .   .   .   .   .   .\n"
            "m  1   .   .   0   1   .  16  17   .\n"
            " ...\n"
            "m  9   .   .   2   3   .  18  19   .\n"
            " ...\n"
            "These are the first 32 x 64; the pattern repeats\n"
            "  every 32 rows, 4 times in all, slots + 4\n"
            "  every 64 columns, 4 times in all, slots + 32\n");
}

TEST_F(Question, drawings_are_at_most_100_columns_wide) {
  for (const Kernel& kernel : all_kernels()) {
    for (const std::string operand : {"A", "B", "D"}) {
      std::istringstream text(answer(kernel, map(operand, "31")));
      int lines = 0;
      for (std::string line; std::getline(text, line); ++lines) {
        EXPECT_LE(line.size(), 100U) << line;
      }
      EXPECT_LE(lines, 44) << kernel.config.name << " " << operand;
    }
  }
}

// --- Registers ---------------------------------------------------------------------------------------------------

TEST_F(Question, registers_of_a_b_and_d_show_the_way) {
  const auto first_lines = [](const std::string& text) {
    std::size_t end = 0;
    for (int i = 0; i < 4; ++i) {
      end = text.find('\n', end) + 1;
    }
    return text.substr(0, end);
  };
  EXPECT_EQ(answer(one_warp, reg("a2", "0")),
            "a2 of lane 0\n"
            "  fragment     slots  elements   shared byte  row given by\n"
            "  tCrA(4,0,0)    4 5  A(0,8..9)           16  lane 16\n"
            "Bytes, threads and rows are those of the register's first element.\n");
  EXPECT_EQ(first_lines(answer(big, reg("b1", "3", "2"))),
            "b1 of warp 2 lane 3\n"
            "  fragment        slots  elements       global byte  copied by      shared byte  row given by\n"
            "  tCrB(2,0,0)       2 3  B(8,14..15)          65564  warp 1 lane 1        25180  lane 8\n"
            "  tCrB(2,1,0)       6 7  B(24,14..15)        196636  warp 3 lane 1        26204  lane 24\n");
  EXPECT_EQ(first_lines(answer(multistage, reg("d3", "3", "2"))),
            "d3 of warp 2 lane 3\n"
            "  fragment     slots  elements    shared byte  copied by       global byte\n"
            "  tCrC(3,0,0)      3  D(8,15)            1054  warp 0 lane 1         65566\n"
            "  tCrC(3,1,0)      7  D(40,15)           1054  warp 0 lane 1        327710\n");
  TraceQuestion later = reg("a0", "0");
  later.k_tile = "2";
  later.cta = "1,0";
  const Json route = json_answer(big, later)["register"]["contents"][0]["routes"][1];
  EXPECT_EQ(route["global"]["offset"], 128 * 4096 + 2 * 32 + 1);
  EXPECT_EQ(route["shared"]["stage"], 2);
  EXPECT_EQ(answer(big, reg("c1", "0")).substr(2), answer(big, reg("d1", "0")).substr(2));
}

}  // namespace
}  // namespace tileloom::trace::test
