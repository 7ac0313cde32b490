// SPDX-License-Identifier: Apache-2.0
// Whole CTAs: a GEMM that goes from global memory to registers, and one with swizzled shared memory and ldmatrix.x4.
#include <gtest/gtest.h>

#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

// --- 128x128x16 tiles of 256x256x64, straight from global memory -----------------------------------------------------

struct SimpleGemm : testing::Test {
  TiledMma mma = tiled_mma(half_mma, "(_2,_2,_1)", "<_32,_32,_16>");
  Layout gA = tile("(256,64):(64,_1)", "<_128,_16>", "(0,_)");
  Layout gB = tile("(256,64):(64,_1)", "<_128,_16>", "(0,_)");
  Layout gD = tile("(256,256):(256,_1)", "<_128,_128>", "(0,0)");

  static Layout tile(const std::string& whole, const std::string& tiler, const std::string& coord) {
    return std::get<Layout>(
        local_tile(any_layout(whole), layout::parse_tiler(tiler), layout::parse_tree(coord), Semantics::cute).layout);
  }
};

TEST_F(SimpleGemm, tiles_and_partitions) {
  EXPECT_EQ(to_string(gA), "(_128,_16,4):(64,_1,_16)");
  EXPECT_EQ(to_string(gB), "(_128,_16,4):(64,_1,_16)");
  EXPECT_EQ(to_string(gD), "(_128,_128):(256,_1)");
  EXPECT_EQ(to_string(mma.partition(Operand::a, gA, thread(0)).layout),
            "((_2,_2,_2),_4,_1,4):((_1,512,_8),2048,_0,_16)");
  EXPECT_EQ(to_string(mma.partition(Operand::b, gB, thread(0)).layout),
            "((_2,_2),(_2,_4),_1,4):((_1,_8),(1024,2048),_0,_16)");
  EXPECT_EQ(to_string(mma.partition(Operand::c, gD, thread(0)).layout), "((_2,_2),_4,_8):((_1,2048),8192,_16)");
}

TEST_F(SimpleGemm, fragments_of_the_first_k_tile) {
  const auto fragment = [&](Operand o, const Layout& tensor) {
    return to_string(mma.make_fragment(o, mma.partition(o, tensor, thread(0)).layout));
  };
  const auto first = [](const Layout& l) { return slice(layout::parse_tree("(_,_,0)"), l); };
  EXPECT_EQ(fragment(Operand::a, first(gA)), "((_2,_2,_2),_4,_1):((_1,_2,_4),_8,_0)");
  EXPECT_EQ(fragment(Operand::b, first(gB)), "((_2,_2),(_2,_4),_1):((_1,_2),(_4,_8),_0)");
  EXPECT_EQ(fragment(Operand::c, gD), "((_2,_2),_4,_8):((_1,_2),_4,_16)");
}

TEST_F(SimpleGemm, every_element_of_a_that_thread_0_reads) {
  const Sliced part = mma.partition(Operand::a, gA, thread(0));
  const std::array<std::int64_t, 8> rows{0, 0, 8, 8, 0, 0, 8, 8};
  const std::array<std::int64_t, 8> columns{0, 1, 0, 1, 8, 9, 8, 9};
  std::size_t i = 0;
  const std::vector<std::int64_t> found = offsets(part);
  for (std::int64_t ik = 0; ik < 4; ++ik) {
    for (std::int64_t mma_m = 0; mma_m < 4; ++mma_m) {
      for (std::size_t v = 0; v < 8; ++v, ++i) {
        EXPECT_EQ(found[i] / 64, rows[v] + 32 * mma_m);
        EXPECT_EQ(found[i] % 64, columns[v] + 16 * ik);
      }
    }
  }
  EXPECT_EQ(i, 128U);
  EXPECT_EQ(i, found.size());
}

TEST_F(SimpleGemm, slots_of_a_follow_one_another) {
  const Layout fragment = mma.make_fragment(
      Operand::a, mma.partition(Operand::a, slice(layout::parse_tree("(_,_,0)"), gA), thread(0)).layout);
  for (std::int64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(fragment(i), i);
  }
  // The first article calls these 32 registers; they are 32 halves, which 16 registers hold.
  EXPECT_EQ(cosize(fragment).value, 32);
  EXPECT_EQ(registers_of(fragment, 16), 16);
}

TEST_F(SimpleGemm, thread_growth_and_value_growth) {
  // Atoms side by side bring threads; a permutation beyond them brings values to the same threads.
  const TiledMma atom = tiled_mma(half_mma);
  const TiledMma atoms = tiled_mma(half_mma, "(_2,_2,_1)");
  EXPECT_EQ(to_string(atom.tile_size()), "(_16,_8,_16)");
  EXPECT_EQ(to_string(atoms.tile_size()), "(_32,_16,_16)");
  EXPECT_EQ(to_string(mma.tile_size()), "(_32,_32,_16)");
  EXPECT_EQ(atom.threads().value, 32);
  EXPECT_EQ(atoms.threads().value, 128);
  EXPECT_EQ(mma.threads().value, 128);
  for (const auto& [operand, grows] : {std::pair(Operand::a, 1), {Operand::b, 2}, {Operand::c, 2}}) {
    const auto values = [o = operand](const TiledMma& m) { return size(LayoutRef(m.layout_tv(o))[1]).value; };
    EXPECT_EQ(values(atoms), values(atom));
    EXPECT_EQ(values(mma), grows * values(atom));
  }
  // The first article has the inner 2 of MMA_N = (2,4) come from the two atoms in N. It is the permutation's: without
  // it the two atoms are still there, and MMA_N is a plain 8.
  EXPECT_EQ(to_string(atoms.partition(Operand::b, gB, thread(0)).layout), "((_2,_2),_8,_1,4):((_1,_8),1024,_0,_16)");
  EXPECT_EQ(to_string(tiled_mma(half_mma, "(_2,_2,_1)", "<_32,_64,_16>").partition(Operand::b, gB, thread(0)).layout),
            "((_2,_2),(_4,_2),_1,4):((_1,_8),(1024,4096),_0,_16)");
}

TEST_F(SimpleGemm, one_gemm_call_runs_32_instructions_a_warp) {
  const Layout c = domain(mma.partition(Operand::c, gD, thread(0)).layout);
  EXPECT_EQ(size(LayoutRef(c)[1]).value * size(LayoutRef(c)[2]).value, 32);
  // 128 threads hold 128 values each of 128 x 128.
  EXPECT_EQ(size(c).value * mma.threads().value, 128 * 128);
}

// The second article takes the atom layout for a repeat within a warp, and the whole for 64x32x16.
TEST_F(SimpleGemm, atoms_of_the_atom_layout_are_warps) {
  EXPECT_EQ(to_string(mma.thr_layout_vmnk()), "(_32,_2,_2,_1):(_1,_32,_64,_0)");
  for (int t = 0; t < 128; ++t) {
    const Tree at = mma.thread_coordinate(thread(t));
    EXPECT_EQ(at[0].leaf().value, t % 32);
    EXPECT_EQ(at[1].leaf().value + 2 * at[2].leaf().value, t / 32) << "one atom a warp";
  }
  EXPECT_EQ(to_string(mma.tile_size()), "(_32,_32,_16)");
}

// The second article reads the four types as A, B, accumulator in, accumulator out. They are D, A, B, C.
TEST_F(SimpleGemm, types_in_the_name_are_d_a_b_c) {
  const hw::MmaAtom& mixed = hw::mma_atom("SM80_16x8x16_F32F16F16F32_TN");
  EXPECT_EQ(name(mixed.d.type), "f32");
  EXPECT_EQ(name(mixed.a.type), "f16");
  EXPECT_EQ(name(mixed.b.type), "f16");
  EXPECT_EQ(name(mixed.c.type), "f32");
  const hw::MmaAtom& bytes = hw::mma_atom("SM80_16x8x32_S32U8S8S32_TN");
  EXPECT_EQ(name(bytes.a.type), "u8");
  EXPECT_EQ(name(bytes.b.type), "s8");
}

// The second article has a shared-memory atom of 8x16 halves and 1024 bytes. The code's is 8x32 halves, 512 bytes.
TEST_F(SimpleGemm, bytes_of_the_swizzle_atom) {
  const AnyLayout atom = any_layout("Sw<3,3,3> o _0 o (_8,_32):(_32,_1)");
  EXPECT_EQ(cosize(domain(atom)).value * 2, 512);
  EXPECT_EQ(8 * 16 * 2, 256) << "and 8x16 halves would be 256";
}

// --- 128x128x64 with shared memory and ldmatrix.x4 -------------------------------------------------------------------

struct WholeCta : testing::Test {
  TiledMma mma = tiled_mma(half_mma, "(_2,_2,_1)", "<_32,_32,_16>");
  std::string shared = "tile_to_shape(Sw<3,3,3> o _0 o (_8,(_8,_8)):(_8,(_1,_64)), (_128,_64,_3))";
  AnyLayout stage = slice_and_offset(layout::parse_tree("(_,_,0)"), any_layout(shared), Semantics::cute).layout;

  [[nodiscard]] Layout fragment(Operand o) const {
    return mma.make_fragment(o, mma.partition(o, stage, thread(0)).layout);
  }
};

TEST_F(WholeCta, counts_and_strides) {
  EXPECT_EQ(to_string(mma.partition(Operand::a, stage, thread(0)).layout),
            "((_2,_2,_2),_4,(_2,_2)):((_1,_512,72),_2048,(144,288))");
  EXPECT_EQ(to_string(fragment(Operand::a)), "((_2,_2,_2),_4,(_2,_2)):((_1,_2,_4),_8,(_32,_64))");
  for (const Operand o : {Operand::a, Operand::b}) {
    EXPECT_EQ(size(fragment(o)).value, 128);
    EXPECT_EQ(size(LayoutRef(fragment(o))[1]).value, o == Operand::a ? 4 : 8) << "MMA_M or MMA_N";
    EXPECT_EQ(size(LayoutRef(fragment(o))[2]).value, 4) << "MMA_K";
  }
  const AnyLayout gC = any_layout("(_128,_128):(256,_1)");
  const Layout c = mma.make_fragment(Operand::c, mma.partition(Operand::c, gC, thread(0)).layout);
  EXPECT_EQ(size(c).value, 128);
  EXPECT_EQ(registers_of(fragment(Operand::a), 16) + registers_of(fragment(Operand::b), 16) + registers_of(c, 16), 192);
  for (std::int64_t v = 0; v < 8; ++v) {
    for (std::int64_t m = 0; m < 4; ++m) {
      for (std::int64_t k = 0; k < 4; ++k) {
        const Tree at = Tree::tuple({Int::make_dynamic(v), Int::make_dynamic(m), Int::make_dynamic(k)});
        EXPECT_EQ(evaluate(fragment(Operand::a), at).leaf().value, v + 8 * m + 32 * k);
      }
    }
  }
}

// Static strides count by value and come first, dynamic ones after them: 144 is less than 2048, but not known to be.
TEST_F(WholeCta, steps_of_the_fragment) {
  const FragmentSteps steps =
      fragment_steps(domain(mma.partition(Operand::a, stage, thread(0)).layout), Semantics::cute);
  EXPECT_EQ(to_string(steps.block), "(_2,_2,_2):(_1,_2,_4)");
  EXPECT_EQ(to_string(steps.rest), "(_4,(_2,_2)):(_1,(_4,_8))");
  EXPECT_EQ(to_string(layout::make_ordered_layout(layout::parse_tree("(_4,(_2,_2))"),
                                                  layout::parse_tree("(_2048,(144,288))"), Semantics::cute)),
            to_string(steps.rest));
  EXPECT_EQ(to_string(layout::make_ordered_layout(layout::parse_tree("(_4,(_2,_2))"),
                                                  layout::parse_tree("(_2048,(_144,_288))"), Semantics::cute)),
            "(_4,(_2,_2)):(_4,(_1,_2))");
  EXPECT_EQ(steps.fragment, fragment(Operand::a));
}

TEST_F(WholeCta, make_tensor_like_scatters_the_values_of_an_atom) {
  const AnyLayout part = mma.partition(Operand::a, stage, thread(0)).layout;
  const Layout like = make_tensor_like(part, Semantics::cute);
  EXPECT_EQ(to_string(like), "((_2,_2,_2),_4,(_2,_2)):((_1,_2,_16),_4,(_32,_64))");
  std::vector<std::int64_t> slots;
  for (std::int64_t v = 0; v < 8; ++v) {
    slots.push_back(like(v));
  }
  EXPECT_EQ(slots, (std::vector<std::int64_t>{0, 1, 2, 3, 16, 17, 18, 19}));
}

TEST_F(WholeCta, one_x4_fills_two_fragments_of_b) {
  const TiledCopy load = tiled_copy_for(mma, Operand::b, hw::copy_atom("SM75_U32x4_LDSM_N"));
  const Layout mma_view = fragment(Operand::b);
  const AnyLayout copy_view = load.retile(mma_view);
  EXPECT_EQ(size(LayoutRef(domain(copy_view))[0]).value, 8);
  EXPECT_EQ(size(LayoutRef(domain(copy_view))[1]).value, 4);
  const auto at3 = [](const AnyLayout& l, std::int64_t v, std::int64_t j, std::int64_t k) {
    return evaluate(l, Tree::tuple({Int::make_dynamic(v), Int::make_dynamic(j), Int::make_dynamic(k)})).leaf().value;
  };
  for (std::int64_t v = 0; v < 8; ++v) {
    for (std::int64_t j = 0; j < 4; ++j) {
      for (std::int64_t k = 0; k < 4; ++k) {
        EXPECT_EQ(at3(copy_view, v, j, k), at3(mma_view, v % 4, 2 * j + v / 4, k));
      }
    }
  }
  // Exercise 2.
  EXPECT_EQ(at3(copy_view, 6, 1, 0), at3(mma_view, 2, 3, 0));
  EXPECT_EQ(at3(copy_view, 6, 1, 0), 14);
}

TEST_F(WholeCta, instructions_of_one_k_block) {
  const auto loads = [&](Operand o) {
    const TiledCopy load = tiled_copy_for(mma, o, hw::copy_atom("SM75_U32x4_LDSM_N"));
    const Layout view = domain(load.partition_source(stage, thread(0)).layout);
    return size(LayoutRef(view)[0][1]).value * size(LayoutRef(view)[1]).value;
  };
  EXPECT_EQ(loads(Operand::a), 4);
  EXPECT_EQ(loads(Operand::b), 4);
  EXPECT_EQ(size(LayoutRef(fragment(Operand::a))[1]).value * size(LayoutRef(fragment(Operand::b))[1]).value, 32);
}

}  // namespace
}  // namespace tileloom::trace::test
