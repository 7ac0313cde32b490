// SPDX-License-Identifier: Apache-2.0
// Every element of A and B of every committed configuration: the route found is the one that plain arithmetic over the
// instruction table and the numbers of the configuration gives, no element is left out, and every slot of every thread
// is reached once.
#include <gtest/gtest.h>

#include <set>

#include "unit/trace/proof_support.hpp"

namespace tileloom::trace::test {
namespace {

void check_load(const Numbers& n, const Route& r, const Holder& h) {
  const TiledCopy& copy = *n.kernel.path(r.operand).drain;
  const int values = static_cast<int>(size(copy.atom_destination()[1]).value);
  const int matrix = h.place.copy->at(0) % values / 2;
  const int half = h.place.mma[0] % 2;
  const MatrixPosition p = r.element;
  ASSERT_EQ(h.load->source_lane, 8 * matrix + h.place.lane / 4);
  ASSERT_EQ(h.load->source_thread, h.place.warp * 32 + h.load->source_lane);
  ASSERT_EQ(h.load->first, (MatrixPosition{p.row, p.column / 8 * 8}));
  ASSERT_EQ(h.load->last, (MatrixPosition{p.row, p.column / 8 * 8 + 7}));
  ASSERT_EQ(h.load->position, p.column % 8);
  ASSERT_EQ(h.load->e, 64 * matrix + 8 * (h.place.lane / 4) + 2 * (h.place.lane % 4) + half);
  ASSERT_EQ(h.load->tv, h.place.lane + 32 * (2 * matrix + half));
  const std::int64_t rows = n.kernel.mma.tile_size(modes_of(r.operand).first).value;
  ASSERT_EQ(h.load->q, p.row % rows + rows * (p.column % n.atom.k));
}

void check_feeds(const Numbers& n, const Route& r) {
  const bool a = r.operand == Operand::a;
  const int row = r.element.row;
  const int last_row = static_cast<int>(n.kernel.config.tile[0]) - 1;
  const int last_column = static_cast<int>(n.kernel.config.tile[1]) - 1;
  ASSERT_EQ(r.feeds->first, (a ? MatrixPosition{row, 0} : MatrixPosition{0, row}));
  ASSERT_EQ(r.feeds->last, (a ? MatrixPosition{row, last_column} : MatrixPosition{last_row, row}));
  const bool halves = n.atom.d.per_register() == 2;
  std::set<int> warps;
  std::set<int> lanes;
  std::set<std::string> registers;
  const int own_warp = row / (a ? 16 : 8) % n.warps[a ? 0 : 1];
  for (int other = 0; other < n.warps[a ? 1 : 0]; ++other) {
    warps.insert(a ? own_warp + n.warps[0] * other : other + n.warps[0] * own_warp);
  }
  for (int i = 0; i < (a ? 4 : 8); ++i) {
    lanes.insert(a ? 4 * (row % 8) + i : 4 * i + row % 8 / 2);
  }
  for (int i = 0; i < 2; ++i) {  // d0 d1 of row m, d2 d3 of row m + 8; of halves d0 and d1
    const int value = a ? 2 * (row % 16 / 8) + i : 2 * i + row % 2;
    registers.insert("d" + std::to_string(halves ? value / 2 : value));
  }
  ASSERT_EQ(std::set<int>(r.feeds->warps.begin(), r.feeds->warps.end()), warps);
  ASSERT_EQ(std::set<int>(r.feeds->lanes.begin(), r.feeds->lanes.end()), lanes);
  ASSERT_EQ(std::set<std::string>(r.feeds->registers.begin(), r.feeds->registers.end()), registers);
}

void check_memory(const Numbers& n, const Route& r) {
  const OperandPath& path = n.kernel.path(r.operand);
  const MatrixPosition p = r.element;
  if (path.global) {
    const std::int64_t row = p.row + path.rows * (r.operand == Operand::a ? r.cta.m : r.cta.n);
    const std::int64_t column = p.column + path.columns * r.k_tile;
    ASSERT_EQ(r.global->offset, row * n.leading(r.operand) + column);
    ASSERT_EQ(r.global->byte, 2 * r.global->offset);
    ASSERT_EQ(r.global->element, (MatrixPosition{static_cast<int>(row), static_cast<int>(column)}));
  }
  ASSERT_EQ(r.copies.size(), path.fill ? 1U : 0U);
  if (path.fill) {
    const auto chunks = static_cast<int>(path.columns / 8);
    const int rows = static_cast<int>(n.kernel.threads()) / chunks;
    const CopyPlace& c = r.copies.front();
    ASSERT_EQ(c.thread, p.row % rows * chunks + p.column / 8);
    ASSERT_EQ(c.first, (MatrixPosition{p.row, p.column / 8 * 8}));
    ASSERT_EQ(c.position, p.column % 8);
    ASSERT_EQ(c.bytes, 16);
    ASSERT_EQ(*c.global_byte, r.global->byte - 2 * c.position);
  }
  ASSERT_EQ(r.shared.has_value(), path.shared.has_value());
  if (path.shared) {
    const std::int64_t stage = r.k_tile % n.kernel.config.stages;
    const std::int64_t offset =
        p.row * path.columns + p.column + stage * n.stage_elements.at(static_cast<std::size_t>(r.operand));
    ASSERT_EQ(r.shared->before_swizzle, offset);
    ASSERT_EQ(r.shared->offset, n.swizzle(offset));
    ASSERT_EQ(r.shared->byte, path.shared_at + 2 * n.swizzle(offset));
    ASSERT_EQ(r.shared->bank, r.shared->byte / 4 % 32);
    ASSERT_EQ(r.shared->stage, stage);
  }
}

// The holders of an element: the instruction table within an instruction, and the warps that work side by side.
void check_operand(const Numbers& n, Operand o, CtaIndex cta, std::int64_t k_tile) {
  const OperandPath& path = n.kernel.path(o);
  const RouteTracer tracer(n.kernel, cta);
  const hw::LaneMap map = o == Operand::a ? hw::a_map(n.atom) : hw::b_map(n.atom);
  const int own = n.warps[o == Operand::a ? 0 : 1];
  const int others = n.warps[o == Operand::a ? 1 : 0];
  Slots slots(n.kernel, o);
  for (int column = 0; column < path.columns; ++column) {
    for (int row = 0; row < path.rows; ++row) {
      SCOPED_TRACE(name_of(n.kernel, o, {row, column}));
      const Route r = tracer.follow(o, {row, column}, k_tile);
      const MatrixPosition in_atom{row % map.rows(), column % map.columns()};
      const hw::Holding held = map.holders(in_atom).front();
      const int block = row / map.rows();
      ASSERT_EQ(r.holders.size(), static_cast<std::size_t>(others));
      ASSERT_EQ(r.feeds->in_atom, in_atom);
      std::set<int> warps;
      for (const Holder& h : r.holders) {
        ASSERT_EQ(h.place.lane, held.thread);
        ASSERT_EQ(h.place.mma, (std::array<int, 3>{held.value, block / own, column / map.columns()}));
        ASSERT_EQ(to_string(h.place.bits), to_string(hw::register_bits(n.kernel.mma.operand(o), held.value)));
        warps.insert(h.place.warp);
        slots.visit(h.place);
        if (path.drain) {
          check_load(n, r, h);
        }
      }
      for (int other = 0; other < others; ++other) {
        ASSERT_TRUE(warps.contains(o == Operand::a ? block % own + own * other : other + others * (block % own)));
      }
      check_memory(n, r);
      check_feeds(n, r);
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
  EXPECT_TRUE(slots.each_once()) << n.kernel.config.name << " " << letter(o);
}

TEST(Proof, every_element_of_a_and_b_takes_the_way_that_the_numbers_say) {
  const std::vector<Kernel> kernels = cute_kernels();
  EXPECT_EQ(kernels.size(), 20U) << "the one-warp example, the example of 128 x 256 x 32, eighteen shipped kernels";
  for (std::size_t i = 0; i < kernels.size() && !HasFatalFailure(); ++i) {
    const auto [cta, k_tile] = place_to_look(kernels[i], i);
    for (const Operand o : {Operand::a, Operand::b}) {
      check_operand(Numbers(kernels[i]), o, cta, k_tile);
    }
  }
}

}  // namespace
}  // namespace tileloom::trace::test
