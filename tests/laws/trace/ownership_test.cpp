// SPDX-License-Identifier: Apache-2.0
// Whatever the configuration: all threads together hold the tile, no element is left out or held more often than
// others, and the views of a copy are views of what the MMA holds. And the same checks notice tables that are wrong.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "laws/trace/generator.hpp"

namespace tileloom::trace::laws {
namespace {

// How often each offset occurs, if all occur equally often.
std::optional<std::int64_t> even_count(const std::map<std::int64_t, std::int64_t>& counts) {
  for (const auto& [offset, count] : counts) {
    if (count != counts.begin()->second) {
      return std::nullopt;
    }
  }
  return counts.empty() ? std::nullopt : std::optional(counts.begin()->second);
}

std::map<std::int64_t, std::int64_t> offsets_of(const AnyLayout& tensor) {
  std::map<std::int64_t, std::int64_t> all;
  for (std::int64_t i = 0; i < size(domain(tensor)).value; ++i) {
    ++all[at(tensor, i)];
  }
  return all;
}

std::vector<int> thread_numbers(const TiledMma& mma) {
  std::vector<int> numbers;
  for (std::int64_t i = 0; i < mma.threads().value; ++i) {
    numbers.push_back(static_cast<int>(mma.thr_layout_vmnk()(i)));
  }
  return numbers;
}

// Empty if every element of the tensor is held equally often by all threads together.
std::string uneven(const TiledMma& mma, Operand o, const AnyLayout& tensor) {
  std::map<std::int64_t, std::int64_t> held;
  std::int64_t values = 0;
  for (const int t : thread_numbers(mma)) {
    const std::vector<std::int64_t> own = offsets(mma.partition(o, tensor, thread(t)));
    values = static_cast<std::int64_t>(own.size());
    for (const std::int64_t x : own) {
      ++held[x];
    }
  }
  const auto whole = offsets_of(tensor);
  if (held.size() != whole.size() || held.begin()->first != whole.begin()->first) {
    return std::to_string(held.size()) + " of " + std::to_string(whole.size()) + " elements are held";
  }
  const std::int64_t expected = mma.threads().value * values / static_cast<std::int64_t>(whole.size());
  return even_count(held) == expected ? "" : "some elements are held more often than others";
}

constexpr std::array operands{Operand::a, Operand::b, Operand::c};

// Small enough to look at every element of every thread.
Configuration small_configuration(Generator& g) {
  for (;;) {
    Configuration c = g.configuration();
    if (c.tile[0] * c.tile[1] <= 64 * 64 && c.tile[1] * c.tile[2] <= 64 * 64 && c.tile[0] * c.tile[2] <= 64 * 64) {
      return c;
    }
  }
}

class Ownership : public testing::Test {
 protected:
  std::uint64_t seed_ = seed(20260701);
  testing::ScopedTrace trace_{__FILE__, __LINE__, "TILELOOM_SEED=" + std::to_string(seed_)};
  Generator g_{seed_};
};

TEST_F(Ownership, partitions_cover_the_tile_evenly) {
  for (int i = 0; i < 60; ++i) {
    const Configuration c = small_configuration(g_);
    const TiledMma mma = c.mma(i % 2 == 0 ? Semantics::cute : Semantics::correct);
    for (const Operand o : operands) {
      EXPECT_EQ(uneven(mma, o, c.tensor(o)), "") << letter(o) << " of " << c.text();
    }
  }
}

// The thread-value layout of the tile and the partition of a tensor of that tile are the same map.
TEST_F(Ownership, layout_tv_and_partition_agree) {
  for (int i = 0; i < 60; ++i) {
    const Configuration c = small_configuration(g_);
    const TiledMma mma = c.mma(Semantics::correct);
    for (const Operand o : operands) {
      const auto [first, second] = modes_of(o);
      const Layout tv = mma.layout_tv(o);
      const Layout tile = make_layout(Tree::tuple({mma.tile_size(first), mma.tile_size(second)}));
      const std::int64_t lanes = size(LayoutRef(tv)[0]).value;
      EXPECT_EQ(lanes, mma.lanes().value);
      for (std::int64_t t = 0; t < lanes; t += 1 + lanes / 16) {
        const std::vector<std::int64_t> own = offsets(mma.partition(o, tile, thread(static_cast<int>(t))));
        for (std::size_t v = 0; v < own.size(); ++v) {
          ASSERT_EQ(own[v], tv(t + lanes * static_cast<std::int64_t>(v))) << letter(o) << " of " << c.text();
        }
      }
    }
  }
}

// Where CuTe breaks the law: atoms in K hold the same C, but its layout gives each K its own, past the end of the tile.
TEST_F(Ownership, cutes_layout_of_c_runs_past_the_tile_with_atoms_in_k) {
  const std::string atoms = "(_1,_4,_2)";
  const Layout cute = tiled_mma(half_mma, atoms, "<_16,_32,_32>").layout_tv(Operand::c);
  const Layout right = tiled_mma(half_mma, atoms, "<_16,_32,_32>", Semantics::correct).layout_tv(Operand::c);
  EXPECT_EQ(to_string(cute), "((_4,_8,_8),((_2,_2),(_1,_1))):((_32,_1,_128),((_16,_8),(_0,_0)))");
  EXPECT_EQ(to_string(right), "((_4,_8,_4,_2),((_2,_2),(_1,_1))):((_32,_1,_128,_0),((_16,_8),(_0,_0)))");
  EXPECT_GT(cosize(cute).value, 16 * 32);
  EXPECT_EQ(cosize(right).value, 16 * 32);
}

TEST_F(Ownership, fragments_are_compact) {
  for (int i = 0; i < 60; ++i) {
    const Configuration c = small_configuration(g_);
    const TiledMma mma = c.mma(Semantics::cute);
    for (const Operand o : operands) {
      const AnyLayout part = mma.partition(o, c.tensor(o), thread(0)).layout;
      const Layout fragment = mma.make_fragment(o, part);
      EXPECT_TRUE(is_bijective(fragment)) << to_string(fragment) << ' ' << c.text();
      EXPECT_TRUE(congruent(fragment.shape(), domain(part).shape()));
      if (o != Operand::c) {
        EXPECT_EQ(fragment, fragment_steps(domain(part), Semantics::cute).fragment);
      }
    }
  }
}

struct CopyCase {
  Configuration configuration;
  Operand operand = Operand::a;
  const hw::CopyAtom* atom = nullptr;
};

// A configuration and a copy atom that goes with it.
CopyCase copy_case(Generator& g) {
  std::vector<const hw::CopyAtom*> atoms;
  for (const hw::CopyAtom& a : hw::copy_atoms()) {
    atoms.push_back(&a);
  }
  for (;;) {
    CopyCase c{small_configuration(g), operands[static_cast<std::size_t>(g.below(3))], g.one_of(atoms)};
    try {
      (void)tiled_copy_for(c.configuration.mma(Semantics::correct), c.operand, *c.atom);
      return c;
    } catch (const Error&) {
      continue;
    }
  }
}

TEST_F(Ownership, both_ends_of_a_tiled_copy_cover_the_tile_evenly) {
  for (int i = 0; i < 60; ++i) {
    const CopyCase c = copy_case(g_);
    const TiledMma mma = c.configuration.mma(Semantics::correct);
    const TiledCopy copy = tiled_copy_for(mma, c.operand, *c.atom);
    const AnyLayout tensor = c.configuration.tensor(c.operand);
    for (const End end : {End::source, End::destination}) {
      std::map<std::int64_t, std::int64_t> held;
      for (std::int64_t t = 0; t < copy.threads().value; ++t) {
        for (const std::int64_t x : offsets(copy.partition(end, tensor, thread(static_cast<int>(t))))) {
          ++held[x];
        }
      }
      EXPECT_EQ(held.size(), offsets_of(tensor).size()) << c.atom->name << ' ' << c.configuration.text();
      EXPECT_TRUE(even_count(held)) << c.atom->name << ' ' << c.configuration.text();
    }
  }
}

// An element that leaves at the source arrives where the destination expects just that element.
TEST_F(Ownership, source_and_destination_mean_the_same_element) {
  for (int i = 0; i < 40; ++i) {
    const CopyCase c = copy_case(g_);
    const TiledCopy copy = tiled_copy_for(c.configuration.mma(Semantics::correct), c.operand, *c.atom);
    const Layout from = copy.layout_tv(End::source);
    const Layout to = copy.layout_tv(End::destination);
    const std::int64_t lanes = size(LayoutRef(copy.atom_reference())[0]).value;
    const auto place = [&](const Layout& tv, std::int64_t atom_tv) {
      return tv(atom_tv % lanes + copy.threads().value * (atom_tv / lanes));  // of the first atom
    };
    std::map<std::int64_t, std::int64_t> sent;
    for (std::int64_t s = 0; s < size(copy.atom_source()).value; ++s) {
      sent[copy.atom_source()(s)] = place(from, s);
    }
    for (std::int64_t d = 0; d < size(copy.atom_destination()).value; ++d) {
      EXPECT_EQ(sent.at(copy.atom_destination()(d)), place(to, d)) << c.atom->name << ' ' << c.configuration.text();
    }
  }
}

// What the copy puts into a register is what the MMA expects there.
TEST_F(Ownership, retile_regroups_the_same_registers) {
  for (int i = 0; i < 60; ++i) {
    const CopyCase c = copy_case(g_);
    const TiledMma mma = c.configuration.mma(Semantics::correct);
    const TiledCopy copy = tiled_copy_for(mma, c.operand, *c.atom);
    const AnyLayout tensor = c.configuration.tensor(c.operand);
    const Int t = thread(static_cast<int>(g_.below(mma.threads().value)));
    const Sliced own = mma.partition(c.operand, tensor, t);
    const Layout fragment = mma.make_fragment(c.operand, own.layout);
    std::map<std::int64_t, std::int64_t> element;  // by slot
    for (std::int64_t x = 0; x < size(fragment).value; ++x) {
      element[fragment(x)] = own.offset.leaf().value + at(own.layout, x);
    }
    const AnyLayout view = copy.retile(fragment);
    EXPECT_EQ(offsets_of(view), offsets_of(fragment)) << c.atom->name << ' ' << c.configuration.text();
    // The end of the copy that is described by the reference is the one in registers.
    const bool load = c.atom->kind != hw::CopyKind::stmatrix;
    const std::vector<std::int64_t> moved = offsets(copy.partition(load ? End::destination : End::source, tensor, t));
    ASSERT_EQ(static_cast<std::int64_t>(moved.size()), size(domain(view)).value);
    for (std::size_t x = 0; x < moved.size(); ++x) {
      ASSERT_EQ(element.at(at(view, static_cast<std::int64_t>(x))), moved[x])
          << c.atom->name << ' ' << c.configuration.text();
    }
  }
}

TEST_F(Ownership, copies_by_threads_and_values_cover_the_tile_evenly) {
  for (int i = 0; i < 60; ++i) {
    const std::int64_t rows = std::int64_t{1} << (2 + g_.below(4));
    const std::int64_t columns = std::int64_t{1} << g_.below(4);
    const Layout threads = make_layout(Tree::tuple({Int::make_static(rows), Int::make_static(columns)}),
                                       g_.below(2) == 0 ? layout::Major::left : layout::Major::right);
    const std::int64_t vector = std::int64_t{1} << g_.below(4);
    const Layout values = layout::parse_layout("(_1,_" + std::to_string(vector) + "):(_0,_1)");
    const TiledCopy copy = make_tiled_copy(hw::copy_atom("UniversalCopy<uint" + std::to_string(16 * vector) + "_t>"),
                                           16, threads, values, Semantics::cute);
    const AnyLayout tensor = make_layout(
        Tree::tuple({Int::make_static(2 * rows), Int::make_static(4 * columns * vector)}), layout::Major::right);
    std::map<std::int64_t, std::int64_t> held;
    for (std::int64_t t = 0; t < rows * columns; ++t) {
      const Sliced part = copy.partition_source(tensor, thread(static_cast<int>(t)));
      EXPECT_NO_THROW(check_vectorizes(copy, End::source, part.layout, "A"));
      for (const std::int64_t x : offsets(part)) {
        ++held[x];
      }
    }
    EXPECT_EQ(held.size(), offsets_of(tensor).size());
    EXPECT_EQ(even_count(held), 1);
  }
}

// --- Seeded faults -------------------------------------------------------------------------------------------------

TEST_F(Ownership, a_wrong_row_of_the_table_is_noticed) {
  hw::MmaAtom broken = hw::mma_atom(half_mma);
  const AnyLayout tensor = any_layout("(_32,_32):(_32,_1)");
  EXPECT_EQ(uneven(TiledMma(broken, {}, Int::make_any(), Semantics::cute), Operand::a, tensor), "");
  broken.a.tv = layout::parse_layout("((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_64))");  // 64 for 128
  EXPECT_EQ(uneven(TiledMma(broken, {}, Int::make_any(), Semantics::cute), Operand::a, tensor),
            "768 of 1024 elements are held");
  broken = hw::mma_atom(half_mma);
  broken.b.tv = layout::parse_layout("((_4,_8),(_2,_2)):((_16,_1),(_8,_0))");  // 0 for 64
  EXPECT_EQ(uneven(TiledMma(broken, {}, Int::make_any(), Semantics::cute), Operand::b, tensor),
            "512 of 1024 elements are held");
}

TEST_F(Ownership, a_copy_with_a_wrong_destination_is_noticed) {
  hw::CopyAtom broken = hw::copy_atom("SM75_U32x4_LDSM_N");
  const TiledMma mma = tiled_mma(half_mma);
  const AnyLayout tensor = any_layout("(_16,_16):(_16,_1)");
  const auto covered = [&](const hw::CopyAtom& atom) {
    const TiledCopy copy = tiled_copy_for(mma, Operand::a, atom);
    std::map<std::int64_t, std::int64_t> held;
    for (int t = 0; t < 32; ++t) {
      for (const std::int64_t x : offsets(copy.partition_source(tensor, thread(t)))) {
        ++held[x];
      }
    }
    return held.size();
  };
  EXPECT_EQ(covered(broken), 256U);
  broken.source_bits = layout::parse_layout("((_16,_2),_128):((_128,_0),_1)");  // lanes 16..31 repeat the rows
  EXPECT_EQ(covered(broken), 128U);
}

}  // namespace
}  // namespace tileloom::trace::laws
