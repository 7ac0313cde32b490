// SPDX-License-Identifier: Apache-2.0
#include "bench/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tileloom::bench {
namespace {

// Which contender of a shape is meant; nullptr: none.
using Pick = std::function<const ContenderResult*(const ShapeResult&)>;

Pick by_label(const std::string& label) {
  return [label](const ShapeResult& result) {
    return fastest(result, [&](const ContenderResult& c) { return c.label == label; });
  };
}

Pick by_kind(ContenderKind kind) {
  return [kind](const ShapeResult& result) { return find_baseline(result, kind); };
}

std::optional<RatioSummary> ratios(const Report& report, const std::string& label, const Pick& ours,
                                   const std::string& over, const Pick& rival) {
  RatioSummary summary{label, over, 0, 0, 0, {}, 0, {}};
  std::vector<double> values;
  for (const MeasuredShape& measured : report.shapes) {
    const ContenderResult* const a = ours(measured.result);
    const ContenderResult* const b = rival(measured.result);
    if (a == nullptr || b == nullptr) {
      continue;
    }
    const double value = speed_over(*a, *b);
    if (values.empty() || value < summary.worst) {
      summary.worst = value;
      summary.worst_shape = measured.shape;
    }
    if (values.empty() || value > summary.best) {
      summary.best = value;
      summary.best_shape = measured.shape;
    }
    values.push_back(value);
  }
  if (values.empty()) {
    return std::nullopt;
  }
  summary.shapes = static_cast<int>(values.size());
  summary.geomean = geomean(values);
  return summary;
}

std::vector<std::string> our_labels(const Report& report) {
  std::vector<std::string> labels;
  for (const MeasuredShape& measured : report.shapes) {
    for (const ContenderResult& c : measured.result.contenders) {
      if (is_ours(c) && std::ranges::find(labels, c.label) == labels.end()) {
        labels.push_back(c.label);
      }
    }
  }
  return labels;
}

}  // namespace

std::string_view to_string(ContenderKind kind) {
  switch (kind) {
    case ContenderKind::cublas:
      return "cublas";
    case ContenderKind::cublaslt_best:
      return "cublaslt-best";
    default:
      return "kernel";
  }
}

const ContenderResult* find_baseline(const ShapeResult& result, ContenderKind kind) {
  const auto found = std::ranges::find(result.contenders, kind, &ContenderResult::kind);
  return found == result.contenders.end() ? nullptr : &*found;
}

std::vector<ContenderKind> baselines(const Report& report) {
  std::vector<ContenderKind> kinds;
  for (const ContenderKind kind : {ContenderKind::cublas, ContenderKind::cublaslt_best}) {
    if (std::ranges::any_of(report.shapes,
                            [&](const MeasuredShape& m) { return find_baseline(m.result, kind) != nullptr; })) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

double speed_over(const ContenderResult& contender, const ContenderResult& rival) {
  return median_ratio(rival.timing.seconds, contender.timing.seconds);
}

const ContenderResult* fastest(const ShapeResult& result, const Choice& chosen) {
  const ContenderResult* best = nullptr;
  for (const ContenderResult& c : result.contenders) {
    if (chosen(c) && (best == nullptr || c.tflops > best->tflops)) {
      best = &c;
    }
  }
  return best;
}

bool is_ours(const ContenderResult& contender) {
  return contender.kind == ContenderKind::kernel;
}

std::optional<double> ceiling(const Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.ceilings, name, &Ceiling::name);
  return found == report.ceilings.end() ? std::nullopt : std::optional(found->sustained);
}

std::string mma_ceiling_name(Accumulate accumulate) {
  return fmt::format("mma.sync {}", tileloom::to_string(accumulate));
}

double geomean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

std::vector<RatioSummary> summarise(const Report& report) {
  std::vector<RatioSummary> all;
  const auto add = [&](const std::string& label, const Pick& ours, const std::string& over, const Pick& rival) {
    if (auto summary = ratios(report, label, ours, over, rival)) {
      all.push_back(std::move(*summary));
    }
  };
  const std::vector<std::string> labels = our_labels(report);
  for (const ContenderKind kind : baselines(report)) {
    const std::string over(to_string(kind));
    if (labels.size() > 1) {
      add(
          fmt::format("fastest of {}", labels.size()), [](const ShapeResult& r) { return fastest(r, is_ours); }, over,
          by_kind(kind));
    }
    for (const std::string& label : labels) {
      add(label, by_label(label), over, by_kind(kind));
    }
  }
  if (labels.size() > 1) {
    add("auto", by_label("auto"), "fastest other",
        [](const ShapeResult& r) { return fastest(r, [](const auto& c) { return is_ours(c) && c.label != "auto"; }); });
  }
  return all;
}

NoiseSummary noise(const Report& report) {
  NoiseSummary summary;
  for (const MeasuredShape& measured : report.shapes) {
    for (const ContenderResult& c : measured.result.contenders) {
      ++summary.timings;
      summary.noisy += c.noisy ? 1 : 0;
    }
  }
  return summary;
}

}  // namespace tileloom::bench
