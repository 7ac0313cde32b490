// SPDX-License-Identifier: Apache-2.0
// The order of the MMAs of a k-block: that of CuTe, as the compiled kernels have it.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "kernels/instances.hpp"
#include "tileloom/trace/gemm_walk.hpp"
#include "unit/trace/kernel_support.hpp"

namespace tileloom::trace::test {
namespace {

// Operands of each mma.sync of a PTX text, in order: the registers of A and of B.
struct PtxMma {
  std::string a, b;
};

std::vector<PtxMma> mmas_of(const std::string& ptx) {
  std::vector<PtxMma> all;
  for (std::size_t at = ptx.find("mma.sync"); at != std::string::npos; at = ptx.find("mma.sync", at + 1)) {
    std::vector<std::string> groups;
    const std::size_t end = ptx.find(';', at);
    for (std::size_t open = ptx.find('{', at); open < end; open = ptx.find('{', open + 1)) {
      groups.push_back(ptx.substr(open, ptx.find('}', open) - open));
    }
    if (groups.size() == 4) {
      all.push_back({groups[1], groups[2]});
    }
  }
  return all;
}

// Numbers texts by their first appearance.
class Numbering {
 public:
  int operator()(const std::string& text) {
    return numbers_.emplace(text, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, int> numbers_;
};

// Fragments are numbered by their first appearance: the pattern is compared, not the names of registers.
TEST(GemmWalk, is_the_order_of_the_mmas_in_every_compiled_kernel) {
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    if (instance.family == "handwritten") {
      continue;  // its order is its own
    }
    const Kernel kernel = build_kernel(cli::read_kernel_config(std::string(instance.name), {}));
    const GemmWalk walk = gemm_walk(kernel);
    const std::vector<PtxMma> mmas = mmas_of(kernels::ptx_text(instance, hw::sm_90));
    ASSERT_GE(mmas.size(), walk.steps.size()) << instance.name;
    ASSERT_EQ(mmas.size() % walk.steps.size(), 0U) << instance.name;
    for (std::size_t block = 0; block < mmas.size(); block += walk.steps.size()) {
      Numbering a;
      Numbering b;
      for (std::size_t i = 0; i < walk.steps.size(); ++i) {
        const PtxMma& mma = mmas[block + i];
        const GemmStep found{a(mma.a), b(mma.b)};
        ASSERT_EQ(found, walk.steps[i]) << instance.name << ", k-block " << block / walk.steps.size() << ", mma " << i;
      }
    }
  }
}

TEST(GemmWalk, meets_each_sub_block_once_and_keeps_one_operand) {
  for (const auto& [a_bytes, b_bytes, order] : {std::tuple(16, 8, WalkOrder::columns),
                                                {8, 8, WalkOrder::rows},
                                                {8, 4, WalkOrder::rows},
                                                {4, 4, WalkOrder::row_pairs},
                                                {4, 8, WalkOrder::columns}}) {
    for (int rows = 1; rows <= 5; ++rows) {
      for (int columns = 1; columns <= 5; ++columns) {
        const GemmWalk w = gemm_walk(rows, columns, a_bytes, b_bytes);
        EXPECT_EQ(w.order, order);
        std::set<std::pair<int, int>> met;
        for (std::size_t i = 0; i < w.steps.size(); ++i) {
          const GemmStep s = w.steps[i];
          met.emplace(s.m, s.n);
          EXPECT_EQ(w.number_at(s.m, s.n), static_cast<int>(i));
          if (i > 0 && order != WalkOrder::row_pairs) {
            EXPECT_TRUE(s.m == w.steps[i - 1].m || s.n == w.steps[i - 1].n);
          }
        }
        EXPECT_EQ(met.size(), w.steps.size());
        EXPECT_EQ(static_cast<int>(met.size()), rows * columns);
      }
    }
  }
}

TEST(GemmWalk, numbers_of_a_kernel) {
  const GemmWalk w = gemm_walk(build_kernel(cli::read_kernel_config("simple_128x128x16_f16", {})));
  EXPECT_EQ(w.rows, 4);
  EXPECT_EQ(w.columns, 8);
  EXPECT_EQ(w.a_bytes, 16);
  EXPECT_EQ(w.b_bytes, 8);
  EXPECT_EQ(w.b_changes, 7) << "B stays for a whole column";
  EXPECT_EQ(w.a_changes, 8 * 3) << "and A across its end";
  EXPECT_EQ(w.block_m, 32);
  EXPECT_EQ(w.block_n, 16);
  EXPECT_EQ(w.number_at(3, 1), 4) << "the second column runs upwards";
}

}  // namespace
}  // namespace tileloom::trace::test
