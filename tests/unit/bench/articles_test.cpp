// SPDX-License-Identifier: Apache-2.0
#include "bench/articles.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tileloom::bench {
namespace {

// Every contender of an article can be configured at every one of its sizes, and cuBLAS is one of them.
TEST(Articles, AskForKernelsThatThereAre) {
  for (const int number : {1, 2}) {
    const Sweep sweep = article(number);
    int rivals = 0;
    for (const Contender& contender : sweep.contenders) {
      rivals += contender.cublas ? 1 : 0;
      for (const std::int64_t size : {sweep.sizes.front(), sweep.sizes.back()}) {
        GemmOptions options = contender.options;
        options.backend = Backend::emulator;
        EXPECT_NO_THROW((void)configure(dense_problem(size, size, size, sweep.accumulate), options));
      }
    }
    EXPECT_EQ(rivals, 1);
  }
}

TEST(Articles, TheSecondSweepsStagesOverAllSizes) {
  const Sweep sweep = article(2);
  EXPECT_EQ(sweep.sizes.front(), 256);
  EXPECT_EQ(sweep.sizes.back(), 16384);
  EXPECT_EQ(sweep.sizes.size(), 64U);
  std::set<int> stages;
  for (const Contender& contender : sweep.contenders) {
    if (!contender.cublas) {
      stages.insert(contender.options.stages);
      EXPECT_EQ(*contender.options.raster_width * 256, 2048U);
    }
  }
  EXPECT_EQ(stages, (std::set<int>{2, 3, 4}));
}

}  // namespace
}  // namespace tileloom::bench
