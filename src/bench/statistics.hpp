// SPDX-License-Identifier: Apache-2.0
// What repeated measurements say.
#pragma once

#include <vector>

namespace tileloom::bench {

struct Summary {
  double min = 0;
  double median = 0;
  double mean = 0;
  double max = 0;

  // (max - min) / median: how far apart the repetitions are.
  [[nodiscard]] double spread() const { return (max - min) / median; }
};

// Precondition: at least one value.
[[nodiscard]] Summary summarise(std::vector<double> values);

// The median of a[i] / b[i]: rounds that ran beside each other are compared with each other. Precondition: as many
// values in both, at least one.
[[nodiscard]] double median_ratio(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tileloom::bench
