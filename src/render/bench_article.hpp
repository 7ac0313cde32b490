// SPDX-License-Identifier: Apache-2.0
// The table of an article's sweep over square sizes.
#pragma once

#include <memory>
#include <ostream>

#include "render/bench_table.hpp"

namespace tileloom::render {

// TFLOPS of the article's columns, the gain of the last over the first in percent, cuBLAS, the fastest of ours over it,
// the widest spread (~ behind it: a contender is noisy), clock and power of the fastest.
[[nodiscard]] std::unique_ptr<BenchTable> article_table(const bench::Report& report, const BenchColumns& columns);

// The geometric mean of the gain, and which contenders the columns are.
void article_summary(std::ostream& out, const bench::Report& report);

}  // namespace tileloom::render
