// SPDX-License-Identifier: Apache-2.0
// Every result of every committed configuration from the register that holds it to global memory, as plain arithmetic
// has it, and the way back from registers.
#include <gtest/gtest.h>

#include "unit/trace/proof_support.hpp"

namespace tileloom::trace::test {
namespace {

// Through shared memory: parts of `rows` x `columns`, made of squares that all warps cover in a step.
void check_store(const Numbers& n, const Route& r, int holder) {
  const OperandPath& path = n.kernel.path(Operand::c);
  const MatrixPosition p = r.element;
  const auto rows = static_cast<int>(mode_size(*path.shared, 0));
  const auto columns = static_cast<int>(mode_size(*path.shared, 1));
  const auto pipes = mode_size(*path.shared, 2);
  const bool along_m = n.kernel.config.name.find("_s3_") != std::string::npos;
  const std::int64_t part = along_m ? p.row / rows + path.rows / rows * (p.column / columns)
                                    : p.column / columns + path.columns / columns * (p.row / rows);
  ASSERT_EQ(r.slab->part, part);
  ASSERT_EQ(r.slab->round, part / pipes);
  ASSERT_EQ(r.slab->rounds * pipes * rows * columns, path.elements());
  const MatrixPosition in{p.row % rows, p.column % columns};
  ASSERT_EQ(r.slab->in_part, in);
  const int step = 16 * n.warps[1];  // columns of a square
  const std::int64_t square = in.column / step + part % pipes;
  const std::int64_t offset = in.row * step + in.column % step + square * rows * step;
  ASSERT_EQ(r.shared->before_swizzle, offset);
  ASSERT_EQ(r.shared->offset, n.swizzle(offset));
  ASSERT_EQ(r.shared->byte, 2 * n.swizzle(offset));
  const AnyLayout retiled = path.fill->retile(path.fragment);  // tCrC_r2s
  const RegisterPlace& place = r.holders.front().place;
  ASSERT_TRUE(place.copy);
  const auto& [v, m, step_n] = *place.copy;
  const std::int64_t index = v + mode_size(retiled, 0) * (m + mode_size(retiled, 1) * step_n);
  ASSERT_EQ(at(retiled, index), place.slot);
  ASSERT_EQ(r.stores.size(), 1U);
  ASSERT_EQ(r.stores.front().thread, holder) << "who holds it stores it";
  ASSERT_EQ(r.stores.front().bytes, 4);
  ASSERT_EQ(r.stores.front().first, (MatrixPosition{p.row, p.column / 2 * 2}));
  ASSERT_EQ(r.stores.front().position, p.column % 2);
  ASSERT_EQ(r.copies.size(), 1U);
  const int chunks = columns / 8;
  const CopyPlace& c = r.copies.front();
  ASSERT_EQ(c.thread, in.row % (static_cast<int>(n.kernel.threads()) / chunks) * chunks + in.column / 8);
  ASSERT_EQ(c.bytes, 16);
  ASSERT_EQ(c.first, (MatrixPosition{p.row, p.column / 8 * 8}));
  ASSERT_EQ(c.last, (MatrixPosition{p.row, p.column / 8 * 8 + 7}));
  ASSERT_EQ(*c.global_byte, r.global->byte - 2 * (p.column % 8));
}

void check_results(const Numbers& n, CtaIndex cta) {
  const OperandPath& path = n.kernel.path(Operand::c);
  const RouteTracer tracer(n.kernel, cta);
  const hw::LaneMap map = hw::c_map(n.atom);
  const auto repeats_m = static_cast<int>(path.rows / 16 / n.warps[0]);
  Slots slots(n.kernel, Operand::c);
  for (int column = 0; column < path.columns; ++column) {
    for (int row = 0; row < path.rows; ++row) {
      SCOPED_TRACE(name_of(n.kernel, Operand::c, {row, column}));
      const Route r = tracer.follow(Operand::c, {row, column});
      ASSERT_EQ(r.holders.size(), 1U);
      const RegisterPlace& place = r.holders.front().place;
      const hw::Holding held = map.holders({row % 16, column % 8}).front();
      const int warp = row / 16 % n.warps[0] + n.warps[0] * (column / 8 % n.warps[1]);
      ASSERT_EQ(place.thread, 32 * warp + held.thread);
      ASSERT_EQ(place.mma, (std::array<int, 3>{held.value, row / 16 / n.warps[0], column / 8 / n.warps[1]}));
      ASSERT_EQ(place.slot, held.value + 4 * (place.mma[1] + repeats_m * place.mma[2]));
      ASSERT_EQ(to_string(place.bits), to_string(hw::register_bits(n.atom.d, held.value)));
      slots.visit(place);
      if (path.global) {
        ASSERT_EQ(r.global->offset, (row + path.rows * cta.m) * n.leading(Operand::c) + column + path.columns * cta.n);
      }
      if (path.shared) {
        check_store(n, r, place.thread);
      } else {
        ASSERT_TRUE(r.stores.empty() && r.copies.empty() && !r.slab && !r.shared);
      }
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
  EXPECT_TRUE(slots.each_once()) << n.kernel.config.name << " D";
}

TEST(Proof, every_result_takes_the_way_that_the_numbers_say) {
  const std::vector<Kernel> kernels = cute_kernels();
  for (std::size_t i = 0; i < kernels.size() && !HasFatalFailure(); ++i) {
    check_results(Numbers(kernels[i]), place_to_look(kernels[i], i).cta);
  }
}

// From each register of a few threads the way of each element, the same as by the element.
TEST(Proof, a_register_s_elements_go_the_same_way) {
  for (const Kernel& kernel : cute_kernels()) {
    const RouteTracer tracer(kernel);
    for (const std::string name : {"a0", "a3", "b1", "d0", "d1"}) {
      const int warp = static_cast<int>(kernel.threads()) / 32 - 1;
      const RegisterReport report = tracer.report(name, warp, 13);
      ASSERT_EQ(report.routes.size(), report.contents.size());
      for (std::size_t i = 0; i < report.contents.size(); ++i) {
        for (std::size_t j = 0; j < report.contents[i].elements.size(); ++j) {
          const Route& found = report.routes[i][j];
          const Route all = tracer.follow(report.operand, report.contents[i].elements[j]);
          ASSERT_EQ(found.holders.size(), 1U);
          const RegisterPlace& place = found.holders.front().place;
          EXPECT_EQ(place.thread, 32 * warp + 13);
          EXPECT_EQ(place.bits.name, name);
          EXPECT_EQ(place.slot, report.contents[i].slots[j]);
          EXPECT_EQ(std::ranges::count_if(all.holders,
                                          [&](const Holder& h) {
                                            return h.place.thread == place.thread && h.place.slot == place.slot &&
                                                   h.place.copy == place.copy;
                                          }),
                    1);
          EXPECT_EQ(found.shared.has_value(), all.shared.has_value());
          EXPECT_TRUE(!found.shared || found.shared->byte == all.shared->byte);
          EXPECT_TRUE(!found.global || found.global->byte == all.global->byte);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tileloom::trace::test
