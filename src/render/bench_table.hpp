// SPDX-License-Identifier: Apache-2.0
// Measured shapes as a table, a shape at a time.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/articles.hpp"
#include "bench/results.hpp"

namespace tileloom::render {

// Six cells for 1, of eighths where `unicode`, of # elsewhere. More than 1 makes it longer, up to the width.
[[nodiscard]] std::string bar(double fraction, int width, bool unicode);

class BenchTable {
 public:
  virtual ~BenchTable() = default;
  virtual void head(std::ostream& out) const = 0;
  virtual void rows(std::ostream& out, const bench::MeasuredShape& measured) const = 0;
};

struct BenchColumns {
  std::vector<std::string> labels;  // of all contenders
  std::vector<bench::ContenderKind> baselines;
  bool unicode = false;
};
[[nodiscard]] BenchColumns bench_columns(const bench::Report& report);
[[nodiscard]] BenchColumns bench_columns(const std::vector<bench::Contender>& contenders);

// A line a shape and under it a line a contender: time, TFLOPS, bandwidth, speed over the baselines, spread (~ behind
// it: noisy), clock and power, and its part, with a bar, of the mma.sync ceiling, or of the fastest where the report
// has no ceiling. Of an article: a line a shape.
[[nodiscard]] std::unique_ptr<BenchTable> bench_table(const bench::Report& report, const BenchColumns& columns);

// What the columns of the table do not say: device, and where shapes follow rounds, accumulation, buffers.
void bench_heading(std::ostream& out, const bench::Report& report, bool shapes_follow);

void ceilings_text(std::ostream& out, const std::vector<bench::Ceiling>& ceilings);

// Speeds over all shapes: geomean, worst, best; how many timings are noisy.
void bench_summary(std::ostream& out, const bench::Report& report);

}  // namespace tileloom::render
