// SPDX-License-Identifier: Apache-2.0
// A whole run of `tileloom bench`, measured now or read from a file, and what follows from its numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/ceilings.hpp"
#include "bench/session.hpp"
#include "bench/shapes.hpp"

namespace tileloom::bench {

struct MeasuredShape {
  Shape shape;
  ShapeResult result;
};

struct Report {
  std::string title;  // of an article's sweep; may be empty
  int article = 0;    // whose sweep; 0: none's
  std::string date;   // 2026-11-30
  Environment environment;
  Accumulate accumulate = Accumulate::f32;
  Plan plan;
  std::vector<Ceiling> ceilings;  // may be empty
  std::vector<MeasuredShape> shapes;
};

// `cublas`, `cublaslt-best`: also their labels. `kernel` for ours.
[[nodiscard]] std::string_view to_string(ContenderKind kind);

// The first contender of a kind that is not ours; nullptr where it did not run.
[[nodiscard]] const ContenderResult* find_baseline(const ShapeResult& result, ContenderKind kind);
// The baselines that ran at some shape, cuBLAS first.
[[nodiscard]] std::vector<ContenderKind> baselines(const Report& report);

// How many times as fast as `rival` it was, from rounds side by side.
[[nodiscard]] double speed_over(const ContenderResult& contender, const ContenderResult& rival);

using Choice = std::function<bool(const ContenderResult&)>;
// The contender of the greatest TFLOPS among those chosen; nullptr where none is.
[[nodiscard]] const ContenderResult* fastest(const ShapeResult& result, const Choice& chosen);
[[nodiscard]] bool is_ours(const ContenderResult& contender);

// Sustained rate by name, empty where it was not measured.
[[nodiscard]] std::optional<double> ceiling(const Report& report, std::string_view name);
// `mma.sync f16` or `mma.sync f32`: what our kernels are made of.
[[nodiscard]] std::string mma_ceiling_name(Accumulate accumulate);

// Precondition: positive values, at least one.
[[nodiscard]] double geomean(const std::vector<double>& values);

// Speeds of one contender over another, over the shapes at which both ran.
struct RatioSummary {
  std::string label;
  std::string over;
  int shapes = 0;
  double geomean = 0;
  double worst = 0;
  Shape worst_shape;
  double best = 0;
  Shape best_shape;
};

// The fastest of ours (where there are several) and each of ours, over each baseline; and `auto`, the library's choice,
// over the fastest of the others.
[[nodiscard]] std::vector<RatioSummary> summarise(const Report& report);

struct NoiseSummary {
  int timings = 0;  // contenders of all shapes
  int noisy = 0;
};
[[nodiscard]] NoiseSummary noise(const Report& report);

}  // namespace tileloom::bench
