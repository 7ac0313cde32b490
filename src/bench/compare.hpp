// SPDX-License-Identifier: Apache-2.0
// Two runs of `tileloom bench` beside each other.
#pragma once

#include <string>
#include <vector>

#include "bench/results.hpp"

namespace tileloom::bench {

// One contender at one shape, in both runs.
struct Change {
  Shape shape;
  std::string label;
  double before = 0;  // TFLOPS
  double after = 0;
  double speed = 0;    // after over before: above 1 is faster now
  double allowed = 0;  // the two spreads together

  // Whether the speeds differ by more than the two runs' spread.
  [[nodiscard]] bool real() const { return speed > 1 + allowed || speed < 1 - allowed; }
};

struct ChangeSummary {
  std::string label;
  int shapes = 0;
  double geomean = 0;  // of speed
  int faster = 0;      // shapes of real change
  int slower = 0;
};

struct Comparison {
  std::vector<Change> changes;  // in the order of the new run
  std::vector<ChangeSummary> summary;
  int only_before = 0;  // contenders of a shape that one run alone has
  int only_after = 0;
};

// Contenders are the same where sizes and labels are.
[[nodiscard]] Comparison compare(const Report& before, const Report& after);

}  // namespace tileloom::bench
