// SPDX-License-Identifier: Apache-2.0
// One MMA of one warp, from shared memory to the operands, number by number: D(16x8) = A(16x16) B(16x8) + C in f16,
// with sA (_16,_16):(_16,_1) and sB (_8,_16):(_16,_1).
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

struct OneWarp : testing::Test {
  TiledMma mma = tiled_mma(half_mma);
  AnyLayout sA = any_layout("(_16,_16):(_16,_1)");
  AnyLayout sB = any_layout("(_8,_16):(_16,_1)");

  [[nodiscard]] Layout fragment_a() const {
    return mma.make_fragment(Operand::a, mma.partition(Operand::a, sA, thread(0)).layout);
  }
  [[nodiscard]] TiledCopy copy(Operand operand, const std::string& atom) const {
    return tiled_copy_for(mma, operand, hw::copy_atom(atom));
  }
};

TEST_F(OneWarp, operands_of_a_lane_in_halves_and_registers) {
  const hw::MmaAtom& atom = mma.atom();
  for (const auto& [operand, halves] : {std::pair(Operand::a, 8), {Operand::b, 4}, {Operand::c, 4}}) {
    EXPECT_EQ(size(LayoutRef(mma.layout_tv(operand))[1]).value, halves);
    EXPECT_EQ(mma.operand(operand).registers, halves / 2);
  }
  EXPECT_EQ(atom.a.registers + atom.b.registers, 6);
  EXPECT_EQ(atom.a.registers + atom.b.registers + atom.c.registers, 8);
}

TEST_F(OneWarp, partition_and_fragment) {
  const Sliced part = mma.partition(Operand::a, sA, thread(0));
  EXPECT_EQ(to_string(part.layout), "((_2,_2,_2),_1,_1):((_1,_128,_8),_0,_0)");
  EXPECT_EQ(to_string(fragment_a()), "((_2,_2,_2),_1,_1):((_1,_2,_4),_0,_0)");
  EXPECT_EQ(offsets(part), (std::vector<std::int64_t>{0, 1, 128, 129, 8, 9, 136, 137}));
  // Exercise 1: a pitch of 24 moves the partition, not the fragment.
  const AnyLayout wide = any_layout("(_16,_16):(_24,_1)");
  const Sliced wide_part = mma.partition(Operand::a, wide, thread(0));
  EXPECT_EQ(to_string(wide_part.layout), "((_2,_2,_2),_1,_1):((_1,_192,_8),_0,_0)");
  EXPECT_EQ(mma.make_fragment(Operand::a, wide_part.layout), fragment_a());
}

TEST_F(OneWarp, element_to_lane_and_value_in_closed_form) {
  const Layout a = mma.layout_tv(Operand::a);
  const Layout b = mma.layout_tv(Operand::b);
  for (std::int64_t k = 0; k < 16; ++k) {
    for (std::int64_t m = 0; m < 16; ++m) {
      const std::int64_t lane = 4 * (m % 8) + k % 8 / 2;
      const std::int64_t v = k % 2 + 2 * (m / 8) + 4 * (k / 8);
      EXPECT_EQ(a(lane + 32 * v), m + 16 * k);
    }
    for (std::int64_t n = 0; n < 8; ++n) {
      EXPECT_EQ(b(4 * n + k % 8 / 2 + 32 * (k % 2 + 2 * (k / 8))), n + 8 * k);
    }
  }
}

// Each 32-bit operand holds two neighbouring values, the first in its lower half.
TEST_F(OneWarp, halves_of_each_operand_of_all_lanes) {
  const Layout a = mma.layout_tv(Operand::a);
  const Layout b = mma.layout_tv(Operand::b);
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    const std::int64_t group = lane / 4;
    const std::int64_t in_group = lane % 4;
    for (std::int64_t half = 0; half < 2; ++half) {
      for (std::int64_t r = 0; r < 4; ++r) {  // a0, a1, a2, a3
        EXPECT_EQ(a(lane + 32 * (2 * r + half)), group + 8 * (r % 2) + 16 * (2 * in_group + half + 8 * (r / 2)));
      }
      for (std::int64_t r = 0; r < 2; ++r) {  // b0, b1
        EXPECT_EQ(b(lane + 32 * (2 * r + half)), group + 8 * (2 * in_group + half + 8 * r));
      }
    }
  }
  // Lane 0: a0 = A(0,0..1), a1 = A(8,0..1), a2 = A(0,8..9), a3 = A(8,8..9); b1 = B(0,8..9).
  EXPECT_EQ(a(32 * 2), 8);
  EXPECT_EQ(a(32 * 5), 0 + 16 * 9);
  EXPECT_EQ(b(32 * 3), 0 + 8 * 9);
}

TEST_F(OneWarp, fragment_in_three_steps) {
  const FragmentSteps steps = fragment_steps(domain(mma.partition(Operand::a, sA, thread(0)).layout), Semantics::cute);
  EXPECT_EQ(to_string(steps.block), "(_2,_2,_2):(_1,_2,_4)");
  EXPECT_EQ(to_string(steps.rest), "(_1,_1):(_0,_0)");
  EXPECT_EQ(to_string(steps.fragment), "((_2,_2,_2),_1,_1):((_1,_2,_4),_0,_0)");
}

TEST_F(OneWarp, a_static_zero_stride_is_broadcast_and_a_dynamic_one_is_not) {
  const auto steps = [](const std::string& text) {
    return fragment_steps(layout::parse_layout(text), Semantics::cute);
  };
  const FragmentSteps broadcast = steps("((_2,_2,_2),_1,_1):((_1,_0,_8),_0,_0)");
  EXPECT_EQ(to_string(broadcast.block), "(_2,_2,_2):(_1,_0,_2)");
  EXPECT_EQ(at(broadcast.block, "(0,0,0)"), at(broadcast.block, "(0,1,0)"));
  EXPECT_EQ(registers_of(broadcast.fragment, 16), 2) << "8 places, 4 halves";
  const FragmentSteps dynamic = steps("((_2,_2,_2),_1,_1):((_1,0,_8),_0,_0)");
  EXPECT_EQ(to_string(dynamic.block), "(_2,_2,_2):(_1,_2,_4)");
  EXPECT_EQ(registers_of(dynamic.fragment, 16), 4);
}

TEST_F(OneWarp, x4_x2_and_x1_split_the_same_values) {
  struct Split {
    const char* atom;
    const char* retiled;
    std::int64_t values;
    std::int64_t copies;
  };
  for (const Split& s : {Split{"SM75_U32x4_LDSM_N", "((_8,_1),_1,_1):((_1,_0),_0,_0)", 8, 1},
                         Split{"SM75_U32x2_LDSM_N", "((_4,_2),_1,_1):((_1,_4),_0,_0)", 4, 2},
                         Split{"SM75_U32x1_LDSM_N", "((_2,_4),_1,_1):((_1,_2),_0,_0)", 2, 4}}) {
    const TiledCopy load = copy(Operand::a, s.atom);
    const AnyLayout registers = load.retile(fragment_a());
    EXPECT_EQ(to_string(registers), s.retiled);
    EXPECT_EQ(size(LayoutRef(load.atom_reference())[1]).value, s.values);
    EXPECT_EQ(size(LayoutRef(domain(registers))[0][1]).value, s.copies);
    for (std::int64_t v = 0; v < 8; ++v) {
      EXPECT_EQ(at(registers, v), at(fragment_a(), v)) << "copy " << v / s.values << " takes the slots in order";
    }
  }
}

// tXrA(make_coord(5,0),0,0) and tCrA(make_coord(1,0,1),0,0) are the same slot: what one view writes the other reads.
TEST_F(OneWarp, both_views_share_their_slots) {
  const Layout mma_view = fragment_a();
  const AnyLayout copy_view = copy(Operand::a, "SM75_U32x4_LDSM_N").retile(mma_view);
  std::array<int, 8> slots{};
  slots[static_cast<std::size_t>(at(copy_view, "((5,0),0,0)"))] = 7;
  EXPECT_EQ(slots[static_cast<std::size_t>(at(mma_view, "((1,0,1),0,0)"))], 7);
  EXPECT_EQ(at(mma_view, "(5,0,0)"), 5);
  EXPECT_EQ(at(copy_view, "(2,0,0)"), at(mma_view, "((0,1,0),0,0)"));
}

TEST_F(OneWarp, the_way_of_element_0_9) {
  const TiledCopy load = copy(Operand::a, "SM75_U32x4_LDSM_N");
  EXPECT_EQ(to_string(load.atom_source()), "(_32,_8):(_8,_1)");
  EXPECT_EQ(to_string(load.atom_destination()), "(_32,(_2,_4)):(_2,(_1,_64))");
  EXPECT_EQ(load.atom_destination(), load.atom_reference());
  const std::int64_t e = load.atom_source()(16 + 32 * 1);  // lane 16 gives the row, value 1 of it
  EXPECT_EQ(e, 129);
  EXPECT_EQ(load.atom_destination()(0 + 32 * 5), e) << "and lane 0's value 5 receives it";
  const std::int64_t tv = right_inverse(load.atom_reference())(e);
  EXPECT_EQ(tv, 160);
  const std::int64_t q = load.layout_tv()(tv);
  EXPECT_EQ(q, 144);
  EXPECT_EQ(q % 16, 0);
  EXPECT_EQ(q / 16, 9);
  const Sliced row = load.partition_source(sA, thread(16));
  EXPECT_EQ(row.offset.leaf().value, 8) << "lane 16 gives the row A(0,8..15)";
  EXPECT_EQ(offsets(row)[1], 9) << "in which A(0,9) is number 1";
  EXPECT_EQ(at(domain(sA), "(0,9)"), 9);
}

TEST_F(OneWarp, all_256_elements_arrive_where_the_mma_reads_them) {
  const TiledCopy load = copy(Operand::a, "SM75_U32x4_LDSM_N");
  const Layout source = load.layout_tv(End::source);
  const Layout destination = load.layout_tv(End::destination);
  std::array<std::array<std::int64_t, 8>, 32> registers{};
  const AnyLayout slots = load.retile(fragment_a());
  std::set<std::int64_t> routed;
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    const std::vector<std::int64_t> row = offsets(load.partition_source(sA, thread(static_cast<int>(lane))));
    EXPECT_EQ(row[0] % 8, 0) << "16-byte aligned";
    for (std::int64_t v = 0; v < 8; ++v) {
      EXPECT_EQ(row[static_cast<std::size_t>(v)], row[0] + v) << "8 halves in a row";
      const std::int64_t e = load.atom_source()(lane + 32 * v);
      for (std::int64_t to = 0; to < 256; ++to) {
        if (load.atom_destination()(to) == e) {
          EXPECT_EQ(source(lane + 32 * v), destination(to)) << "both ends mean the same element of A";
          const auto slot = static_cast<std::size_t>(at(slots, to / 32));
          registers[static_cast<std::size_t>(to % 32)][slot] = row[static_cast<std::size_t>(v)];
          routed.insert(e);
        }
      }
    }
  }
  EXPECT_EQ(routed.size(), 256U);
  for (std::int64_t m = 0; m < 16; ++m) {
    for (std::int64_t k = 0; k < 16; ++k) {
      const std::int64_t lane = 4 * (m % 8) + k % 8 / 2;
      const std::int64_t slot = k % 2 + 2 * (m / 8) + 4 * (k / 8);
      EXPECT_EQ(registers[static_cast<std::size_t>(lane)][static_cast<std::size_t>(slot)], 16 * m + k);
    }
  }
}

TEST_F(OneWarp, b_of_one_atom_takes_x2_and_no_x4) {
  EXPECT_EQ(
      to_string(copy(Operand::b, "SM75_U32x2_LDSM_N")
                    .retile(Layout(mma.make_fragment(Operand::b, mma.partition(Operand::b, sB, thread(0)).layout)))),
      "((_4,_1),_1,_1):((_1,_0),_0,_0)");
  const auto [message, hint] = error_of([&] { return copy(Operand::b, "SM75_U32x4_LDSM_N"); });
  EXPECT_EQ(message, "tiled copy B: SM75_U32x4_LDSM_N moves 8 values a thread, the tiled MMA holds 4 a thread along N");
  EXPECT_EQ(hint, "use SM75_U32x2_LDSM_N, or give the MMA a permutation of at least 16 in N");
}

}  // namespace
}  // namespace tileloom::trace::test
