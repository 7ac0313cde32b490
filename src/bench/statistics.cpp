// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tileloom::bench {
namespace {

// The value below which a part of all is, between neighbours in proportion.
double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Summary summarise(std::vector<double> values) {
  std::ranges::sort(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {.min = values.front(),
          .q1 = quantile(values, 0.25),
          .median = quantile(values, 0.5),
          .q3 = quantile(values, 0.75),
          .mean = sum / static_cast<double>(values.size()),
          .max = values.back(),
          .count = values.size()};
}

double Summary::uncertainty() const {
  constexpr double sigma_over_iqr = 1 / 1.349;
  constexpr double median_over_mean = 1.253;  // how much less certain a median is, sqrt(pi / 2)
  return median_over_mean * sigma_over_iqr * relative_iqr() / std::sqrt(static_cast<double>(count));
}

double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  std::ranges::transform(a, b, std::back_inserter(ratios), [](double x, double y) { return x / y; });
  return summarise(std::move(ratios)).median;
}

}  // namespace tileloom::bench
