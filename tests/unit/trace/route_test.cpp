// SPDX-License-Identifier: Apache-2.0
// Routes of elements: each stage agrees with the layouts and the instruction table, for every element of every
// committed configuration.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "render/trace_text.hpp"
#include "tileloom/hw/lane_maps.hpp"
#include "tileloom/trace/overview.hpp"
#include "tileloom/trace/route.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

using hw::MatrixPosition;

std::string text_of(const Kernel& kernel, Operand operand, MatrixPosition p, std::int64_t k_tile = 0) {
  std::ostringstream out;
  render::route_text(out, kernel, RouteTracer(kernel).follow(operand, p, k_tile));
  return out.str();
}

TEST(Route, one_warp_example_reads_as_designed) {
  EXPECT_EQ(text_of(kernel_of_file("examples/one-warp.json"), Operand::a, {0, 9}),
            "A(0,9)\n"
            "  shared     element 9, byte 18, bank 4                       sA (_16,_16):(_16,_1)\n"
            "  ldmatrix   SM75_U32x4_LDSM_N: lane 16 gives the row A(0,8..15), this is its element 1   "
            "e = 129 -> tv = 160 -> q = 144\n"
            "  register   lane 0, slot 5 = tCrA(5,0,0) = tXrA(5,0,0)       a2[31:16]\n"
            "  mma        SM80_16x8x16_F16F16F16F16_TN: A(m=0, k=9), feeds D(0,0..7): lanes 0..3, d0\n");
}

TEST(Route, a_copy_of_more_values_than_the_mma_holds_is_refused) {
  const auto [message, hint] =
      error_of([] { return kernel_of_file("examples/one-warp.json", {"s2r.B=SM75_U32x4_LDSM_N"}); });
  EXPECT_EQ(message, "tiled copy B: SM75_U32x4_LDSM_N moves 8 values a thread, the tiled MMA holds 4 a thread along N");
  EXPECT_EQ(hint, "use SM75_U32x2_LDSM_N, or give the MMA a permutation of at least 16 in N");
}

// Element -> register -> element, by the register's name, for every element and holder.
TEST(Route, element_to_register_and_back) {
  for (const Kernel& kernel : all_kernels()) {
    const RouteTracer tracer(kernel);
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      const TileTable& table = tracer.registers(o);
      const OperandPath& path = kernel.path(o);
      std::vector<int> reached(static_cast<std::size_t>(path.elements()));
      std::set<std::string> names;
      for (int v = 0; v < table.values(); ++v) {
        names.insert(tracer.place(o, {0, v}).bits.name);
      }
      for (int t = 0; t < table.threads(); ++t) {
        for (const std::string& name : names) {
          for (const RegisterContent& c : tracer.contents(name, table.thread_id(t) / 32, table.thread_id(t) % 32)) {
            for (std::size_t i = 0; i < c.elements.size(); ++i) {
              const MatrixPosition p = c.elements[i];
              const int value = c.mma[0] + static_cast<int>(i) +
                                static_cast<int>(mode_size(AnyLayout(path.fragment), 0)) *
                                    (c.mma[1] + static_cast<int>(mode_size(AnyLayout(path.fragment), 1)) * c.mma[2]);
              const RegisterPlace place = tracer.place(o, {t, value});
              ASSERT_EQ(place.bits.name, name);
              ASSERT_EQ(place.slot, c.slots[i]);
              ASSERT_EQ(table.at(t, value), p) << kernel.config.name << " " << name;
              ++reached.at(static_cast<std::size_t>(p.row + path.rows * p.column));
            }
          }
        }
      }
      const int each = reached.front();
      EXPECT_GE(each, 1);
      EXPECT_EQ(std::set<int>(reached.begin(), reached.end()), std::set<int>{each}) << kernel.config.name << letter(o);
    }
  }
}

// The position within an instruction is what the instruction table says of the register.
TEST(Route, registers_agree_with_the_instruction_table) {
  for (const Kernel& kernel : all_kernels()) {
    const RouteTracer tracer(kernel);
    const hw::MmaAtom& atom = kernel.mma.atom();
    for (const Operand o : {Operand::a, Operand::b}) {
      const hw::LaneMap map = o == Operand::a ? hw::a_map(atom) : hw::b_map(atom);
      const OperandPath& path = kernel.path(o);
      for (int row = 0; row < path.rows; row += 5) {
        for (int column = 0; column < path.columns; ++column) {
          const Route r = tracer.follow(o, {row, column});
          ASSERT_FALSE(r.holders.empty());
          for (const Holder& h : r.holders) {
            const MatrixPosition in_atom = map.at(h.place.lane, h.place.mma[0]);
            ASSERT_EQ(in_atom, r.feeds->in_atom);
            ASSERT_EQ(in_atom.row, row % map.rows());
            ASSERT_EQ(in_atom.column, column % map.columns());
          }
        }
      }
    }
  }
}

// The row that the source lane gives holds the element where ldmatrix takes it, and the copy writes the register that
// the MMA reads.
TEST(Route, loads_bring_each_element_to_its_slot) {
  int loads = 0;
  for (const Kernel& kernel : all_kernels()) {
    const RouteTracer tracer(kernel);
    for (const Operand o : {Operand::a, Operand::b}) {
      const OperandPath& path = kernel.path(o);
      if (!path.drain) {
        continue;
      }
      const AnyLayout registers = path.drain->retile(path.fragment);
      for (int row = 0; row < path.rows; row += 3) {
        for (int column = 0; column < path.columns; column += 5) {
          const Route r = tracer.follow(o, {row, column});
          for (const Holder& h : r.holders) {
            ASSERT_TRUE(h.load && h.place.copy);
            const auto& i = *h.place.copy;
            const std::int64_t index = i[0] + mode_size(registers, 0) * (i[1] + mode_size(registers, 1) * i[2]);
            ASSERT_EQ(at(registers, index), h.place.slot);
            ASSERT_EQ(h.load->first.row, row);
            ASSERT_EQ(h.load->first.column + h.load->position, column);
            ASSERT_EQ(h.load->source_thread / 32, h.place.thread / 32);
            const std::int64_t tile_rows = kernel.mma.tile_size(modes_of(o).first).value;
            const std::int64_t tile_columns = kernel.mma.tile_size(2).value;
            ASSERT_EQ(h.load->q, row % tile_rows + tile_rows * (column % tile_columns));
            ++loads;
          }
        }
      }
    }
  }
  EXPECT_GT(loads, 5000);
}

// One thread copies an element, into the place where ldmatrix looks for it; its vector is contiguous at both ends.
TEST(Route, copies_hold_the_element_that_they_are_said_to_move) {
  for (const Kernel& kernel : all_kernels()) {
    const RouteTracer tracer(kernel);
    for (const Operand o : {Operand::a, Operand::b}) {
      const OperandPath& path = kernel.path(o);
      if (!path.fill) {
        continue;
      }
      const TileTable from(*path.fill, End::source, path.rows, path.columns);
      const std::int64_t stages = mode_size(*path.shared, 2);
      const std::int64_t k_tile = 2 * stages - 1;  // the second round over the stages
      for (int row = 0; row < path.rows; row += 7) {
        for (int column = 0; column < path.columns; column += 3) {
          const Route r = tracer.follow(o, {row, column}, k_tile);
          ASSERT_EQ(r.copies.size(), 1U);
          const CopyPlace& c = r.copies.front();
          const auto source = from.holders({row, column});
          ASSERT_EQ(source.size(), 1U);
          ASSERT_EQ(source.front().thread, c.thread) << "both ends of a copy are the same thread's";
          ASSERT_EQ(c.first.row, row);
          ASSERT_EQ(c.first.column + c.position, column);
          ASSERT_EQ(r.shared->stage, stages - 1);
          ASSERT_EQ(r.shared->byte, path.shared_at + r.shared->offset * path.bits / 8);
          ASSERT_EQ(r.shared->offset,
                    offset_at(*path.shared, c.first.row, c.first.column, r.shared->stage) + c.position);
          ASSERT_EQ(r.global->offset, at(*path.matrix, "(" + std::to_string(row) + "," +
                                                           std::to_string(column + k_tile * path.columns) + ")"));
        }
      }
    }
  }
}

// Every result is fed by the elements of its row of A and its column of B, and by no others.
TEST(Route, results_are_held_where_their_factors_say) {
  for (const Kernel& kernel : all_kernels()) {
    const RouteTracer tracer(kernel);
    for (const MatrixPosition p : {MatrixPosition{0, 0}, {9, 5}, {13, 7}}) {
      const Route d = tracer.follow(Operand::c, p);
      ASSERT_EQ(d.holders.size(), 1U);
      const RegisterPlace& place = d.holders.front().place;
      for (const Feeds& f :
           {*tracer.follow(Operand::a, {p.row, 2}).feeds, *tracer.follow(Operand::b, {p.column, 2}).feeds}) {
        EXPECT_TRUE(f.first.row <= p.row && p.row <= f.last.row && f.first.column <= p.column &&
                    p.column <= f.last.column);
        EXPECT_EQ(std::ranges::count(f.warps, place.warp), 1);
        EXPECT_EQ(std::ranges::count(f.lanes, place.lane), 1);
        EXPECT_EQ(std::ranges::count(f.registers, place.bits.name), 1);
      }
    }
  }
}

TEST(Route, what_there_is_not_is_refused) {
  const Kernel kernel = build_kernel(cli::read_kernel_config("multistage", {}));
  const RouteTracer tracer(kernel);
  EXPECT_EQ(error_of([&] {
              return tracer.follow(Operand::a, {0, 64});
            }).first,
            "A(0,64): outside the CTA's tile, which has 128 x 64");
  EXPECT_EQ(error_of([&] { return tracer.follow(Operand::b, {0, 0}, 64); }).first, "k-tile 64 of B, expected 0 to 63");
  EXPECT_EQ(error_of([&] { return tracer.contents("a4", 0, 0); }).first,
            "register a4, expected a0 to a3: SM80_16x8x16_F32F16F16F32_TN has 4");
  EXPECT_EQ(error_of([&] { return tracer.contents("x", 0, 0); }).first,
            "register 'x', expected a letter of a, b, c, d and a number");
  EXPECT_EQ(error_of([&] { return tracer.contents("a0", 4, 0); }).first,
            "warp 4, lane 0: the tiled MMA has no such thread");
}

}  // namespace
}  // namespace tileloom::trace::test
