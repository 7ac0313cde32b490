// SPDX-License-Identifier: Apache-2.0
// The comparisons of the two articles that the kernels come from, as sweeps over square sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/session.hpp"

namespace tileloom::bench {

// A column of an article's table: the fastest of the contenders whose label begins so.
struct ArticleColumn {
  std::string head;
  std::string prefix;
};

struct Article {
  std::string title;
  std::vector<std::int64_t> sizes;  // m = n = k
  std::vector<ArticleColumn> columns;
  bool gain = false;  // of the last column over the first
};

// 1: the kernel without shared memory, the one through shared memory.
// 2: mma.sync by hand and through CuTe, at the article's five sizes.
// Both sum in f16, as the articles do. Precondition: number is 1 or 2.
[[nodiscard]] const Article& article(int number);

// Its kernels. Of 2: every f16 instance `handwritten`, and `multistage` with tiles of 128 x 256 x 32, each with 2, 3
// and 4 stages, in bands of 2048 columns. Throws Error(cannot_run) where this build lacks a family.
[[nodiscard]] std::vector<Contender> article_contenders(int number);

}  // namespace tileloom::bench
