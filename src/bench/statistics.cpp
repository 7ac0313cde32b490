// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tileloom::bench {
namespace {

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

Summary summarise(std::vector<double> values) {
  std::ranges::sort(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.front(), median_of_sorted(values), sum / static_cast<double>(values.size()), values.back()};
}

double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  std::ranges::transform(a, b, std::back_inserter(ratios), [](double x, double y) { return x / y; });
  return summarise(std::move(ratios)).median;
}

}  // namespace tileloom::bench
