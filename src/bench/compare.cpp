// SPDX-License-Identifier: Apache-2.0
#include "bench/compare.hpp"

#include <algorithm>

namespace tileloom::bench {
namespace {

const ContenderResult* find(const Report& report, const Shape& shape, const std::string& label) {
  for (const MeasuredShape& measured : report.shapes) {
    if (measured.shape.same_sizes(shape)) {
      return fastest(measured.result, [&](const ContenderResult& c) { return c.label == label; });
    }
  }
  return nullptr;
}

std::vector<ChangeSummary> summary_of(const std::vector<Change>& changes) {
  std::vector<std::string> labels;
  for (const Change& change : changes) {
    if (std::ranges::find(labels, change.label) == labels.end()) {
      labels.push_back(change.label);
    }
  }
  std::vector<ChangeSummary> summaries;
  for (const std::string& label : labels) {
    ChangeSummary& summary = summaries.emplace_back();
    summary.label = label;
    std::vector<double> speeds;
    for (const Change& change : changes) {
      if (change.label == label) {
        speeds.push_back(change.speed);
        summary.faster += change.real() && change.speed > 1 ? 1 : 0;
        summary.slower += change.real() && change.speed < 1 ? 1 : 0;
      }
    }
    summary.shapes = static_cast<int>(speeds.size());
    summary.geomean = geomean(speeds);
  }
  return summaries;
}

}  // namespace

Comparison compare(const Report& before, const Report& after) {
  Comparison comparison;
  for (const MeasuredShape& measured : after.shapes) {
    for (const ContenderResult& now : measured.result.contenders) {
      const ContenderResult* const then = find(before, measured.shape, now.label);
      if (then == nullptr) {
        ++comparison.only_after;
        continue;
      }
      comparison.changes.push_back({measured.shape, now.label, then->tflops, now.tflops,
                                    then->seconds.median / now.seconds.median, then->spread + now.spread});
    }
  }
  comparison.only_before = noise(before).timings - static_cast<int>(comparison.changes.size());
  comparison.summary = summary_of(comparison.changes);
  return comparison;
}

}  // namespace tileloom::bench
