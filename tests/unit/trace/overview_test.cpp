// SPDX-License-Identifier: Apache-2.0
// Layouts of every stage, as the code of known kernels prints them.
#include <gtest/gtest.h>

#include <map>

#include "tileloom/trace/overview.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

std::map<std::string, std::string> layouts(const Overview& o) {
  std::map<std::string, std::string> all;
  for (const StageLayouts& stage : o.stages) {
    for (const NamedLayout& t : stage.tensors) {
      all[t.name] = to_string(t.layout);
    }
  }
  return all;
}

InstructionCount count_of(const Overview& o, const std::string& what) {
  for (const InstructionCount& c : o.counts) {
    if (c.what == what) {
      return c;
    }
  }
  return {};
}

// M = 128, N = 256, K = 64, rows without gaps.
TEST(Overview, simple_kernel_prints_as_cute_does) {
  const Kernel kernel = build_kernel(cli::read_kernel_config("simple_128x128x16_f16", {}),
                                     {{"M", 128}, {"N", 256}, {"K", 64}, {"lda", 64}, {"ldb", 64}, {"ldd", 256}});
  const auto l = layouts(overview(kernel));
  EXPECT_EQ(l.at("gA"), "(_128,_16,4):(64,_1,_16)");
  EXPECT_EQ(l.at("gB"), "(_128,_16,4):(64,_1,_16)");
  EXPECT_EQ(l.at("gC"), "(_128,_128):(256,_1)");
  EXPECT_EQ(l.at("tCgA"), "((_2,_2,_2),_4,_1,4):((_1,512,_8),2048,_0,_16)");
  EXPECT_EQ(l.at("tCgB"), "((_2,_2),(_2,_4),_1,4):((_1,_8),(1024,2048),_0,_16)");
  EXPECT_EQ(l.at("tCgC"), "((_2,_2),_4,_8):((_1,2048),8192,_16)");
}

TEST(Overview, multistage_fragments_and_instruction_counts) {
  const Overview o = overview(build_kernel(cli::read_kernel_config("multistage_128x128x64_f16", {})));
  const auto l = layouts(o);
  EXPECT_EQ(l.at("tCrA"), "((_2,_2,_2),_4,(_2,_2)):((_1,_2,_4),_8,(_32,_64))");
  EXPECT_EQ(l.at("tXrB"), "((_8,_1),_4,_4):((_1,_0),_8,_32)");
  for (const char* load : {"A: shared -> registers", "B: shared -> registers"}) {
    const InstructionCount c = count_of(o, load);
    EXPECT_EQ(c.per_k_block, 4);
    EXPECT_EQ(c.per_k_tile, 16);
    EXPECT_EQ(c.cta_per_k_tile, 64);
  }
  EXPECT_EQ(count_of(o, "mma").per_k_block, 32);
  EXPECT_EQ(count_of(o, "mma").cta_per_k_tile, 512);
  for (const FragmentSize& f : o.fragments) {
    EXPECT_EQ(f.values, 128) << f.name;
    EXPECT_EQ(f.registers, 64) << f.name;
  }
  EXPECT_EQ(o.expansion.atoms, (std::array<std::int64_t, 3>{2, 2, 1}));
  EXPECT_EQ(o.expansion.permutation, (std::array<std::int64_t, 3>{32, 32, 16}));
  EXPECT_EQ(o.expansion.threads, 128);
}

// Products of all MMAs make the tile; copies move each element once.
TEST(Overview, counts_add_up_to_the_tile) {
  for (const Kernel& kernel : all_kernels()) {
    const Overview o = overview(kernel);
    const hw::MmaAtom& atom = kernel.mma.atom();
    const auto& tile = kernel.config.tile;
    EXPECT_EQ(count_of(o, "mma").cta_per_k_tile * atom.m * atom.n * atom.k, tile[0] * tile[1] * tile[2]);
    for (const Operand operand : {Operand::a, Operand::b}) {
      const OperandPath& p = kernel.path(operand);
      const std::string x(1, letter(operand));
      if (p.fill) {
        EXPECT_EQ(count_of(o, x + ": global -> shared").cta_per_k_tile * 32 * 8, p.elements());
      }
      EXPECT_EQ(cosize(p.fragment).value * kernel.threads(),
                p.elements() * o.expansion.atoms.at(operand == Operand::a ? 1 : 0));
    }
  }
}

TEST(Overview, partitions_differ_from_thread_to_thread) {
  const Kernel kernel = build_kernel(cli::read_kernel_config("multistage", {}));
  EXPECT_NE(layouts(overview(kernel, 0)).at("tXsA"), layouts(overview(kernel, 5)).at("tXsA"));
  EXPECT_EQ(error_of([&] { return overview(kernel, 128); }).first, "thread 128, expected 0 to 127");
}

}  // namespace
}  // namespace tileloom::trace::test
