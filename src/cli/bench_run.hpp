// SPDX-License-Identifier: Apache-2.0
// The measuring of `tileloom bench`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/results.hpp"
#include "cli/bench_read.hpp"
#include "cli/bench_request.hpp"

namespace tileloom::cli {

// Told what is known as it becomes known; empty functions are not called.
struct BenchListener {
  std::function<void(const bench::Report&)> begun;  // all but the ceilings and shapes
  std::function<void(const bench::Report&)> ceilings;
  std::function<void(const bench::Report&)> shape;  // the last one of the report
};

// Everything asked for, ceilings first; with --resume what the file has is taken from it, and the file is written again
// after each shape.
[[nodiscard]] StoredReport measure_bench(const BenchRequest& request, const std::vector<std::string>& argv,
                                         const BenchListener& listener);

}  // namespace tileloom::cli
