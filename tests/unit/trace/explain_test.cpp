// SPDX-License-Identifier: Apache-2.0
// What is said of each tensor of each committed configuration holds: where a partition starts, what a mode's step
// moves, the formula of the offset, and the drawing of a thread's elements.
#include <gtest/gtest.h>

#include <set>

#include "tileloom/trace/explain.hpp"
#include "tileloom/trace/route.hpp"
#include "tileloom/trace/tile_map.hpp"
#include "trace/tensor_elements.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

const std::vector<std::int64_t> some_threads{0, 5, 31};

// Offset of element (row, column, third) in the whole tensor of that memory.
std::int64_t whole_offset(const Kernel& kernel, const NamedLayout& t, const std::array<std::int64_t, 3>& e) {
  const OperandPath& p = kernel.path(t.operand);
  return offset_at(t.memory == Memory::global ? *p.global : *p.shared, e[0], e[1], e[2]);
}

// f(kernel, tensor, thread), for all of them.
template <class F>
void for_all_tensors(const F& f) {
  for (const Kernel& kernel : all_kernels()) {
    for (const std::int64_t thread : some_threads) {
      for (const StageLayouts& stage : overview(kernel, thread).stages) {
        for (const NamedLayout& t : stage.tensors) {
          SCOPED_TRACE(kernel.config.name + " " + t.name + " of thread " + std::to_string(thread));
          f(kernel, t, thread);
        }
      }
    }
  }
}

TEST(Tensors, a_partition_from_its_start_is_the_elements_of_its_thread) {
  int partitions = 0;
  for_all_tensors([&](const Kernel& kernel, const NamedLayout& t, std::int64_t thread) {
    if (t.memory == Memory::registers || t.division == Division::none) {
      return;
    }
    ++partitions;
    const TensorElements elements(kernel, t, thread);
    const std::int64_t count = std::min<std::int64_t>(size(domain(t.layout)).value, 600);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(t.start + at(t.layout, i), whole_offset(kernel, t, elements.at(i)));
    }
  });
  EXPECT_GT(partitions, 200);
}

// tXrA(i) and tCrC_r2s(i) are the slots of the elements that their coordinates stand for.
TEST(Tensors, register_tensors_hold_what_their_coordinates_say) {
  for_all_tensors([&](const Kernel& kernel, const NamedLayout& t, std::int64_t thread) {
    if (t.memory != Memory::registers) {
      return;
    }
    const TensorElements elements(kernel, t, thread);
    const TileMap map = tile_map(kernel, thread_elements(kernel, t.operand, thread));
    for (std::int64_t i = 0; i < size(domain(t.layout)).value; ++i) {
      const auto e = elements.at(i);
      ASSERT_EQ(at(t.layout, i), map.at(e[0], e[1]));
    }
  });
}

TEST(Explain, the_formula_is_the_layout) {
  for_all_tensors([&](const Kernel& kernel, const NamedLayout& t, std::int64_t thread) {
    const ExplainedTensor e = explain(kernel, t, thread);
    const std::int64_t count = size(domain(t.layout)).value;
    std::int64_t values = 1;
    for (const ExplainedMode& m : e.modes) {
      values *= m.size;
      EXPECT_EQ(m.symbol.empty(), m.size == 1);
    }
    ASSERT_EQ(values, count);
    const TensorElements elements(kernel, t, thread);
    const auto start = elements.at(0);
    for (std::int64_t i = 0; i < count; i += 1 + count / 500) {
      std::int64_t sum = e.before;
      std::int64_t rest = i;
      std::array<std::int64_t, 3> element = start;
      bool even = true;
      for (const ExplainedMode& m : e.modes) {
        sum += rest % m.size * m.stride;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          element.at(axis) += rest % m.size * m.step.at(axis);
        }
        even = even && m.even;
        rest /= m.size;
      }
      ASSERT_EQ(e.swizzle ? (*e.swizzle)(sum) : sum, at(t.layout, i));
      if (even) {
        ASSERT_EQ(element, elements.at(i));
      }
    }
  });
}

TEST(Explain, modes_come_from_where_the_code_has_them) {
  const Kernel kernel = build_kernel(cli::read_kernel_config("simple_128x128x16_f16", {}),
                                     {{"M", 128}, {"N", 256}, {"K", 64}, {"lda", 64}, {"ldb", 64}, {"ldd", 256}});
  const Overview o = overview(kernel);
  const auto explained = [&](const std::string& name) {
    for (const StageLayouts& stage : o.stages) {
      for (const NamedLayout& t : stage.tensors) {
        if (t.name == name) {
          return explain(kernel, t, 0);
        }
      }
    }
    throw std::logic_error(name);
  };
  using Step = std::array<std::int64_t, 3>;
  const ExplainedTensor a = explained("tCgA");  // ((_2,_2,_2),_4,_1,4):((_1,512,_8),2048,_0,_16)
  ASSERT_EQ(a.modes.size(), 6U);
  EXPECT_EQ(a.modes[1].symbol, "b");
  EXPECT_EQ(a.modes[1].stride, 512);
  EXPECT_EQ(a.modes[1].step, (Step{8, 0, 0}));
  EXPECT_EQ(a.modes[1].origin, Origin::instruction);
  EXPECT_EQ(a.modes[3].symbol, "m");
  EXPECT_EQ(a.modes[3].step, (Step{32, 0, 0}));
  EXPECT_EQ(a.modes[3].origin, Origin::repeats);
  EXPECT_EQ(a.modes[3].whole, 128);
  EXPECT_EQ(a.modes[3].part, 32);
  EXPECT_EQ(a.modes[4].size, 1) << "a mode of one value is still named";
  EXPECT_EQ(a.modes[4].mode, "MMA_K");
  EXPECT_EQ(a.modes[5].origin, Origin::k_tile);
  EXPECT_EQ(a.modes[5].step, (Step{0, 0, 1}));
  const ExplainedTensor b = explained("tCgB");  // MMA_N = (_2,_4): the permutation's two, then the tile's four
  EXPECT_EQ(b.modes[2].symbol, "n0");
  EXPECT_EQ(b.modes[2].origin, Origin::permutation);
  EXPECT_EQ(b.modes[2].whole, 32);
  EXPECT_EQ(b.modes[2].part, 16);
  EXPECT_EQ(b.modes[3].origin, Origin::repeats);
  EXPECT_EQ(b.modes[3].step, (Step{32, 0, 0}));
}

TEST(TileMap, repeats_as_it_says) {
  for (const Kernel& kernel : all_kernels()) {
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      const TileMap map = tile_map(kernel, thread_elements(kernel, o, 7));
      EXPECT_EQ(map.down.period * map.down.count, map.rows);
      EXPECT_EQ(map.across.period * map.across.count, map.columns);
      std::set<std::int64_t> slots;
      for (std::int64_t r = 0; r < map.rows; ++r) {
        for (std::int64_t c = 0; c < map.columns; ++c) {
          const std::int64_t slot = map.at(r, c);
          const std::int64_t first = map.at(r % map.down.period, c % map.across.period);
          ASSERT_EQ(slot < 0, first < 0);
          if (slot >= 0) {
            slots.insert(slot);
          }
          if (slot >= 0 && map.down.slots && map.across.slots) {
            ASSERT_EQ(slot, first + r / map.down.period * *map.down.slots + c / map.across.period * *map.across.slots);
          }
        }
      }
      EXPECT_EQ(static_cast<std::int64_t>(slots.size()), size(kernel.path(o).fragment).value);
    }
  }
}

}  // namespace
}  // namespace tileloom::trace::test
