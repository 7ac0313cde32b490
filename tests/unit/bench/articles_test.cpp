// SPDX-License-Identifier: Apache-2.0
#include "bench/articles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/instances.hpp"
#include "unit/gemm/error_of.hpp"

namespace tileloom::bench {
namespace {

bool shipped(std::string_view family) {
  const auto all = kernels::instances();
  return std::ranges::find(all, family, &kernels::KernelInstance::family) != all.end();
}

// Every contender of an article can be configured at every one of its sizes and belongs to exactly one column.
void expect_runnable(int number) {
  const Article& article = bench::article(number);
  for (const Contender& contender : article_contenders(number)) {
    EXPECT_EQ(contender.kind, ContenderKind::kernel);
    for (const std::int64_t size : {article.sizes.front(), article.sizes.back()}) {
      GemmOptions options = contender.options;
      options.backend = Backend::emulator;
      EXPECT_NO_THROW((void)configure(dense_problem(size, size, size, Accumulate::f16), options)) << contender.label;
    }
    EXPECT_EQ(
        std::ranges::count_if(article.columns, [&](const auto& c) { return contender.label.starts_with(c.prefix); }), 1)
        << contender.label;
  }
}

TEST(Articles, TheFirstAsksForKernelsThatThereAre) {
  expect_runnable(1);
  EXPECT_EQ(article(1).sizes.front(), 256);
  EXPECT_EQ(article(1).sizes.back(), 8192);
  EXPECT_EQ(article(1).sizes.size(), 32U);
}

TEST(Articles, TheSecondHasFiveSizes) {
  EXPECT_EQ(article(2).sizes, (std::vector<std::int64_t>{2048, 4096, 8192, 12288, 16384}));
}

TEST(Articles, TheSecondComparesStagesOfBothWaysOfWriting) {
  if (!shipped("handwritten")) {
    const auto error = tileloom::test::error_of([] { (void)article_contenders(2); });
    EXPECT_EQ(error.exit_code, 3);
    EXPECT_EQ(error.message, "article 2: expected kernels handwritten_..._f16, found none in this build");
    EXPECT_EQ(error.hint, "tileloom info lists the kernels that there are");
    return;
  }
  expect_runnable(2);
  std::set<int> stages;
  for (const Contender& contender : article_contenders(2)) {
    stages.insert(contender.options.stages);
    const kernels::KernelInstance* const instance = kernels::find_instance(contender.options.kernel);
    ASSERT_NE(instance, nullptr);
    EXPECT_EQ(*contender.options.raster_width * static_cast<std::uint32_t>(instance->tile_n), 2048U);
  }
  EXPECT_EQ(stages, (std::set<int>{2, 3, 4}));
}

}  // namespace
}  // namespace tileloom::bench
