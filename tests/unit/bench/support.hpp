// SPDX-License-Identifier: Apache-2.0
// Runs that were never measured.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/results.hpp"

namespace tileloom::bench::test {

inline ContenderResult timed(const Shape& shape, const std::string& label, std::vector<double> seconds,
                             ContenderKind kind = ContenderKind::kernel) {
  ContenderResult c;
  c.label = label;
  c.kind = kind;
  c.kernel = kind == ContenderKind::kernel ? label.substr(0, label.find('@')) : "";
  c.timing.seconds = std::move(seconds);
  c.timing.batch = 7;
  c.seconds = summarise(c.timing.seconds);
  c.spread = c.seconds.relative_iqr();
  c.noisy = c.seconds.uncertainty() > noise_bound;
  c.tflops = 1e-12 * operations(shape) / c.seconds.median;
  return c;
}

inline Report empty_report() {
  Report report;
  report.date = "2026-11-30";
  report.environment.device = "A <GPU> & more";
  report.environment.arch = hw::sm_90;
  report.environment.cuda = "13.0";
  return report;
}

}  // namespace tileloom::bench::test
