// SPDX-License-Identifier: Apache-2.0
// What repeated measurements say.
#pragma once

#include <cstddef>
#include <vector>

namespace tileloom::bench {

// A median that is less certain than this is called noisy: those of two runs as certain as this differ by less than 2 %
// in 95 of 100 cases (2 * sqrt(2) * 0.7 %).
inline constexpr double noise_bound = 0.007;

struct Summary {
  double min = 0;
  double q1 = 0;  // a quarter of the values is below, linear between neighbours
  double median = 0;
  double q3 = 0;
  double mean = 0;
  double max = 0;
  std::size_t count = 0;

  // (q3 - q1) / median: how far apart the middle half of the repetitions is.
  [[nodiscard]] double relative_iqr() const { return (q3 - q1) / median; }

  // Standard error of the median over the median, from the interquartile range of normal values: 0.93 IQR /
  // sqrt(count).
  [[nodiscard]] double uncertainty() const;
  // (max - min) / median: how far apart the repetitions are.
  [[nodiscard]] double spread() const { return (max - min) / median; }
};

// Precondition: at least one value.
[[nodiscard]] Summary summarise(std::vector<double> values);

// The median of a[i] / b[i]: rounds that ran beside each other are compared with each other. Precondition: as many
// values in both, at least one.
[[nodiscard]] double median_ratio(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tileloom::bench
