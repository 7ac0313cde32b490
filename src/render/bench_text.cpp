// SPDX-License-Identifier: Apache-2.0
#include "render/bench_text.hpp"

#include <fmt/ostream.h>

#include <algorithm>

namespace tileloom::render {
namespace {

using bench::ContenderResult;
using bench::ShapeResult;

std::optional<double> best_ratio(const ShapeResult& result) {
  std::optional<double> best;
  for (const ContenderResult& contender : result.contenders) {
    if (const auto ratio = result.ratio_to_cublas(contender); ratio && contender.kind == bench::ContenderKind::kernel) {
      best = std::max(best.value_or(0), *ratio);
    }
  }
  return best;
}

}  // namespace

std::string environment_line(const bench::Environment& e) {
  return fmt::format("{} ({}, {} SMs, {} MiB L2), {}CUDA {}{}", e.device, to_string(e.arch), e.multiprocessors,
                     e.l2_bytes >> 20U, e.driver.empty() ? "" : "driver " + e.driver + ", ", e.cuda,
                     e.cublas.empty() ? "" : ", cuBLAS " + e.cublas);
}

std::string rounded(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f}", *value) : "-";
}

void timing_text(std::ostream& out, const ShapeResult& result) {
  std::size_t width = 0;
  for (const ContenderResult& c : result.contenders) {
    width = std::max(width, c.label.size());
  }
  const char* head = "timed";
  for (const ContenderResult& c : result.contenders) {
    fmt::print(out, "{:<9} {:<{}}  min {:.4f}  mean {:.4f}  max {:.4f} ms  {:.1f} TFLOPS  {} x {} launches, {}\n", head,
               c.label, width, 1e3 * c.seconds.min, 1e3 * c.seconds.mean, 1e3 * c.seconds.max, c.tflops,
               c.timing.seconds.size(), c.timing.batch, bench::coverage(c.check) + " verified");
    head = "";
  }
  if (const auto ratio = best_ratio(result)) {
    fmt::print(out, "ratio     {:.3f} of cublas's speed, the median of rounds side by side\n", *ratio);
  }
}

}  // namespace tileloom::render
