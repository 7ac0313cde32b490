// SPDX-License-Identifier: Apache-2.0
#include "render/bench_csv.hpp"

#include <fmt/format.h>

#include "text/csv.hpp"

namespace tileloom::render {
namespace {

using bench::ContenderKind;

std::string number(double value) {
  return fmt::format("{}", value);  // as many digits as it takes to read it back
}

std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "";
}

std::vector<std::string> cells(const bench::MeasuredShape& measured, const bench::ContenderResult& c) {
  const bench::Shape& s = measured.shape;
  return {s.name,
          std::to_string(s.m),
          std::to_string(s.n),
          std::to_string(s.k),
          c.label,
          std::string(to_string(c.kind)),
          c.kernel,
          c.algorithm,
          std::to_string(c.stages),
          std::to_string(c.raster_width),
          number(c.seconds.median),
          number(c.seconds.min),
          number(c.seconds.max),
          number(c.spread),
          c.noisy ? "1" : "0",
          number(c.tflops),
          number(1e-12 * least_bytes(s) / c.seconds.median),
          number(measured.result.ratio_to(ContenderKind::cublas, c)),
          number(measured.result.ratio_to(ContenderKind::cublaslt_best, c)),
          number(c.sm_mhz),
          number(c.watts)};
}

}  // namespace

std::string bench_csv(const bench::Report& report) {
  std::string text = csv_line({"name",
                               "m",
                               "n",
                               "k",
                               "contender",
                               "kind",
                               "kernel",
                               "algorithm",
                               "stages",
                               "raster_width_tiles",
                               "seconds_median",
                               "seconds_min",
                               "seconds_max",
                               "spread",
                               "noisy",
                               "tflops",
                               "terabytes_per_second",
                               "speed_over_cublas",
                               "speed_over_cublaslt_best",
                               "sm_mhz",
                               "watts"});
  for (const bench::MeasuredShape& measured : report.shapes) {
    for (const bench::ContenderResult& c : measured.result.contenders) {
      text += csv_line(cells(measured, c));
    }
  }
  return text;
}

}  // namespace tileloom::render
