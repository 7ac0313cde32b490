// SPDX-License-Identifier: Apache-2.0
// Laws of the instruction table, and finding entries by name.
#include "tileloom/hw/instructions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "tileloom/hw/lane_maps.hpp"
#include "tileloom/layout/algebra.hpp"
#include "unit/gemm/error_of.hpp"

namespace tileloom::hw {
namespace {

struct OperandCase {
  std::string name;
  const MmaOperand* operand;
  int rows, columns;
};

// Each layout once: many entries share theirs.
std::vector<OperandCase> distinct_operands(Holder holder) {
  std::vector<OperandCase> cases;
  std::set<std::string> seen;
  for (const MmaAtom& x : mma_atoms()) {
    const OperandCase all[] = {{x.name + " A", &x.a, x.m, x.k},
                               {x.name + " B", &x.b, x.n, x.k},
                               {x.name + " C", &x.c, x.m, x.n},
                               {x.name + " D", &x.d, x.m, x.n}};
    for (const OperandCase& c : all) {
      if (c.operand->holder == holder && seen.insert(to_string(c.operand->tv) + std::to_string(c.rows)).second)
        cases.push_back(c);
    }
  }
  return cases;
}

TEST(InstructionTable, EachElementInRegistersIsHeldOnce) {
  std::size_t cases = 0;
  for (const OperandCase& c : distinct_operands(Holder::registers)) {
    const LaneMap map(c.operand->tv, c.rows, c.columns);
    for (int column = 0; column < c.columns; ++column) {
      for (int row = 0; row < c.rows; ++row) {
        const auto holders = map.holders({row, column});
        ASSERT_EQ(holders.size(), 1U) << c.name << " " << row << "," << column;
        const auto& [thread, value] = holders.front();
        ASSERT_EQ(map.at(thread, value), (MatrixPosition{row, column})) << c.name;
      }
    }
    ++cases;
  }
  EXPECT_GT(cases, 50U);
}

// What wgmma reads through a descriptor, every thread of the warpgroup has whole.
TEST(InstructionTable, SharedOperandsAreOfEveryThread) {
  for (const OperandCase& c : distinct_operands(Holder::shared_descriptor)) {
    std::set<std::int64_t> elements;
    for (int v = 0; v < c.operand->values; ++v) {
      const std::int64_t element = c.operand->tv(128 * v);
      ASSERT_EQ(c.operand->tv(127 + 128 * v), element) << c.name;
      elements.insert(element);
    }
    EXPECT_EQ(elements.size(), static_cast<std::size_t>(c.rows * c.columns)) << c.name;
    EXPECT_EQ(*elements.rbegin(), c.rows * c.columns - 1) << c.name;
  }
}

TEST(InstructionTable, HoldersOfWhatIsHeldAreTheHolder) {
  for (const OperandCase& c : distinct_operands(Holder::registers)) {
    const LaneMap map(c.operand->tv, c.rows, c.columns);
    for (int thread = 0; thread < map.threads(); ++thread) {
      for (int value = 0; value < map.values(); ++value) {
        const auto holders = map.holders(map.at(thread, value));
        ASSERT_NE(std::ranges::find(holders, Holding{thread, value}), holders.end()) << c.name;
      }
    }
  }
}

TEST(InstructionTable, RegistersHoldTheValues) {
  for (const MmaAtom& x : mma_atoms()) {
    for (const MmaOperand* o : {&x.a, &x.b, &x.c, &x.d}) {
      EXPECT_EQ(layout::size(layout::LayoutRef(o->tv)[1]).value, o->values) << x.name;
      EXPECT_EQ(layout::size(layout::LayoutRef(o->tv)[0]).value, x.threads) << x.name;
      if (o->holder == Holder::shared_descriptor) {
        EXPECT_EQ(o->registers, 0) << x.name;
        continue;
      }
      const int value_bits = o->values * bits(o->type);
      if (x.threads > 1) {
        EXPECT_EQ(o->registers * 32, value_bits) << x.name;
      } else {
        EXPECT_EQ(o->registers, (value_bits + 31) / 32) << x.name;  // half of a register for f16
      }
      EXPECT_EQ(o->register_bits % bits(o->type), 0) << x.name;
    }
    EXPECT_EQ(x.threads * x.a.values, (x.a.holder == Holder::registers ? 1 : 128) * x.m * x.k) << x.name;
    EXPECT_EQ(x.threads * x.d.values, x.m * x.n) << x.name;
    EXPECT_EQ(x.d.type, x.c.type) << x.name;
  }
}

// Neighbours along K share a register of A and B, the lower one in the lower bits: what ldmatrix gives.
TEST(InstructionTable, PackedValuesAreNeighboursAlongK) {
  for (const MmaAtom& x : mma_atoms()) {
    if (x.a.holder != Holder::registers || x.a.per_register() == 1 || !x.name.starts_with("SM8")) continue;
    const LaneMap map = a_map(x);
    for (int v = 0; v + 1 < map.values(); ++v) {
      if ((v + 1) % x.a.per_register() == 0) continue;
      const MatrixPosition p = map.at(7, v);
      EXPECT_EQ(map.at(7, v + 1), (MatrixPosition{p.row, p.column + 1})) << x.name;
    }
  }
}

TEST(InstructionTable, ThreadsMapToLanes) {
  for (const MmaAtom& x : mma_atoms()) {
    EXPECT_EQ(layout::size(x.thread_id).value, x.threads) << x.name;
    std::set<std::int64_t> lanes;
    for (int t = 0; t < x.threads; ++t) lanes.insert(x.thread_id(t));
    EXPECT_EQ(lanes.size(), static_cast<std::size_t>(x.threads)) << x.name;
  }
}

TEST(InstructionTable, IsOrderedByArchitecture) {
  EXPECT_TRUE(std::ranges::is_sorted(mma_atoms(), {}, &MmaAtom::arch));
  EXPECT_TRUE(std::ranges::is_sorted(copy_atoms(), {}, &CopyAtom::arch));
}

// The two ends of a copy name the same bits, as many times as each end repeats them.
TEST(InstructionTable, CopiesMoveEveryBit) {
  for (const CopyAtom& x : copy_atoms()) {
    if (x.kind == CopyKind::automatic) continue;
    std::set<std::int64_t> from;
    std::set<std::int64_t> to;
    for (std::int64_t i = 0; i < layout::size(x.source_bits).value; ++i) from.insert(x.source_bits(i));
    for (std::int64_t i = 0; i < layout::size(x.destination_bits).value; ++i) to.insert(x.destination_bits(i));
    EXPECT_EQ(from, to) << x.name;
    EXPECT_EQ(static_cast<std::int64_t>(from.size()), layout::cosize(x.source_bits).value) << x.name;
  }
}

// A unit's bits stay together, in order: why .trans cannot transpose bytes, of which two are in a unit, nor 32-bit
// elements, which are two units.
TEST(InstructionTable, UnitsOfACopyStayTogether) {
  for (const CopyAtom& x : copy_atoms()) {
    if (x.kind == CopyKind::automatic) continue;
    const std::int64_t bits_each = layout::size(layout::LayoutRef(x.destination_bits)[1]).value;
    std::int64_t longest_run = bits_each;
    for (std::int64_t b = 1; b < bits_each; ++b) {
      const std::int64_t step = x.destination_bits(x.threads * b) - x.destination_bits(x.threads * (b - 1));
      if (step != 1) {
        EXPECT_EQ(b % x.unit_bits, 0) << x.name;
        longest_run = std::min(longest_run, b);
      }
    }
    if (x.name.ends_with("LDSM_T")) {
      EXPECT_EQ(x.unit_bits, 16);
      EXPECT_EQ(longest_run, 16) << x.name;
    }
  }
}

// x4 reads 32 row addresses; registers 2 and 3 receive the matrices whose rows lanes 16 to 31 address.
TEST(InstructionTable, MatrixIGoesToRegisterI) {
  for (const char* name : {"SM75_U32x4_LDSM_N", "SM75_U16x8_LDSM_T", "SM90_U32x4_STSM_N", "SM90_U16x8_STSM_T"}) {
    const MatrixCopyMap map = matrix_copy_map(copy_atom(name));
    for (int lane = 0; lane < 32; ++lane) {
      for (int unit = 0; unit < 8; ++unit) {
        EXPECT_EQ(map.shared.at(lane, unit), (MatrixPosition{lane, unit})) << name;
        const auto holders = map.registers.holders({lane, unit});
        ASSERT_EQ(holders.size(), 1U);
        EXPECT_EQ(holders.front().value / 2, lane / 8) << name;
      }
    }
  }
}

// A user took mma's registers for a product of each thread's own; they are slices of one 16x8x8 product.
TEST(InstructionTable, FragmentsAreSlicesOfOneProduct) {
  const MmaAtom& x = mma_atom("SM80_16x8x8_F32BF16BF16F32_TN");
  const LaneMap a = a_map(x);
  const LaneMap b = b_map(x);
  const LaneMap c = c_map(x);
  const auto product = [&](const std::vector<double>& a_values, const std::vector<double>& b_values, int lane) {
    std::vector<double> d;
    for (int v = 0; v < c.values(); ++v) {
      const MatrixPosition p = c.at(lane, v);
      double sum = 0;
      for (int k = 0; k < x.k; ++k) {
        const Holding ha = a.holders({p.row, k}).front();
        const Holding hb = b.holders({p.column, k}).front();
        sum += a_values[static_cast<std::size_t>(ha.value)] * b_values[static_cast<std::size_t>(hb.value)];
      }
      d.push_back(sum);
    }
    return d;
  };
  const double fifth = 0.2001953125;  // 0.2 as bf16
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(product({1, 1, 1, 1}, {1, 1}, lane), std::vector<double>(4, 8.0));
    EXPECT_EQ(product({2, 1, 1, 1}, {1, 1}, lane), (std::vector<double>{12, 12, 8, 8}));
    EXPECT_NEAR(product(std::vector<double>(4, fifth), {fifth, fifth}, lane)[0], 0.320625, 1e-6);
  }
}

// --- Names -------------------------------------------------------------------------------------------------------

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST(InstructionNames, RoundTrip) {
  const std::vector<std::string> names = mma_names();
  ASSERT_EQ(names.size(), mma_atoms().size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(mma_atoms()[i].name, names[i]);
    if (i % 37 == 0 || i < 100) {
      EXPECT_EQ(mma_atom(names[i]).name, names[i]);
      EXPECT_EQ(atom(lower(names[i])).mma->name, names[i]);
    }
  }
  ASSERT_EQ(copy_names().size(), copy_atoms().size());
  for (const std::string& name : copy_names()) {
    EXPECT_EQ(copy_atom(name).name, name);
    EXPECT_EQ(atom(lower(name)).copy->name, name);
  }
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
}

TEST(InstructionNames, OneEntryIsOneObject) {
  EXPECT_EQ(&mma_atom("SM80_16x8x16_F16F16F16F16_TN"), &mma_atom("m16n8k16 f16"));
  EXPECT_EQ(&copy_atom("UniversalCopy<int>"), &copy_atom("UniversalCopy<float>"));
}

TEST(InstructionNames, ShortAndOtherSpellings) {
  const auto found = [](const char* name) {
    const AnyAtom x = atom(name);
    return x.mma != nullptr ? x.mma->name : x.copy->name;
  };
  EXPECT_EQ(found("16x8x16_F16F16F16F16"), "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(found("sm80_16x8x16_f32f16f16f32"), "SM80_16x8x16_F32F16F16F32_TN");
  EXPECT_EQ(found("m16n8k16 f16"), "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(found("m16n8k16 f16 f32"), "SM80_16x8x16_F32F16F16F32_TN");
  EXPECT_EQ(found("m16n8k16 bf16"), "SM80_16x8x16_F32BF16BF16F32_TN");
  EXPECT_EQ(found("mma.m16n8k32.s8"), "SM80_16x8x32_S32S8S8S32_TN");
  EXPECT_EQ(found("m16n8k64 u4 SATFINITE"), "SM80_16x8x64_S32U4U4S32_TN_SATURATE");
  EXPECT_EQ(found("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"), "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(found("wgmma m64n256k16 f32 f16 RS"), "SM90_64x256x16_F32F16F16_RS");
  EXPECT_EQ(found("SM90::GMMA::MMA_64x64x16_F16F16F16_SS<GMMA::Major::K,GMMA::Major::MN>"),
            "SM90_64x64x16_F16F16F16_SS");
  EXPECT_EQ(found("UniversalFMA<float>"), "UniversalFMA<float,float,float,float>");
  EXPECT_EQ(found("cute::UniversalFMA<float, half_t>"), "UniversalFMA<float,half_t,half_t,float>");
  EXPECT_EQ(found("UniversalCopy<cute::half_t>"), "UniversalCopy<uint16_t>");
  EXPECT_EQ(found("UniversalCopy<int, float>"), "UniversalCopy<uint32_t>");
  EXPECT_EQ(found("SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>"), "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>");
  EXPECT_EQ(found("SM80_CP_ASYNC_CACHEALWAYS_ZFILL<float>"), "SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint32_t>");
  EXPECT_EQ(found("AutoVectorizingCopy"), "AutoVectorizingCopyWithAssumedAlignment<128>");
  EXPECT_EQ(found("DefaultCopy"), "AutoVectorizingCopyWithAssumedAlignment<8>");
  EXPECT_EQ(found("ldmatrix x4"), "SM75_U32x4_LDSM_N");
  EXPECT_EQ(found("ldmatrix x4 trans"), "SM75_U16x8_LDSM_T");
  EXPECT_EQ(found("ldmatrix.sync.aligned.x4.m8n8.shared.b16"), "SM75_U32x4_LDSM_N");
  EXPECT_EQ(found("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16"), "SM90_U16x4_STSM_T");
}

TEST(InstructionNames, WrongOnesNameTheNearest) {
  const auto caught = test::error_of([] { (void)mma_atom("SM80_16x8x16_F16F16F16F16_NT"); });
  EXPECT_EQ(caught.message, "MMA atom: expected a name of the table, found 'SM80_16x8x16_F16F16F16F16_NT'");
  EXPECT_EQ(caught.hint.find("did you mean SM80_16x8x16_F16F16F16F16_TN"), 0U) << caught.hint;
  EXPECT_EQ(caught.exit_code, 2);
  const auto strange = test::error_of([] { (void)atom("frobnicate"); });
  EXPECT_EQ(strange.message, "atom: expected a name of the table, found 'frobnicate'");
  EXPECT_EQ(strange.hint, "tileloom atom list shows all names");
  for (const char* bad :
       {"", " ", "<", "UniversalCopy<>", "UniversalCopy<int,double>", "UniversalCopy<widget>",
        "SM80_CP_ASYNC_CACHEGLOBAL<uint32_t>", "UniversalFMA<float,float,float,float,float>", "\xff"}) {
    EXPECT_EQ(test::error_of([&] { (void)atom(bad); }).exit_code, 2) << bad;
  }
}

// Nearness to a long text takes time; no name is that long.
TEST(InstructionNames, LongOnesAreRefusedAtOnce) {
  try {
    (void)atom(std::string(100000, 'm'));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "atom: expected a name of at most 200 characters, found 100000");
  }
}

TEST(InstructionNames, AmbiguousOnesListTheCandidates) {
  EXPECT_ERROR(mma_atom("16x8x8_F32F16F16F32"),
               "MMA atom '16x8x8_F32F16F16F32': expected the name of one, found 2 that it fits: "
               "SM75_16x8x8_F32F16F16F32_TN, SM80_16x8x8_F32F16F16F32_TN",
               2);
  const auto many = test::error_of([] { (void)atom("wgmma"); });
  EXPECT_NE(many.message.find(" more"), std::string::npos) << many.message;
  EXPECT_EQ(many.hint, "write one of these names, or more of its words");
}

}  // namespace
}  // namespace tileloom::hw
