// SPDX-License-Identifier: Apache-2.0
// What a plot of measured shapes shows.
#include "render/bench_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/bench_table.hpp"
#include "render/bench_text.hpp"

namespace tileloom::render {
namespace {

using bench::ContenderKind;
using bench::ContenderResult;
using bench::MeasuredShape;

double size_of(const bench::Shape& shape) {
  return std::cbrt(operations(shape) / 2);
}

PlotPoint point(const MeasuredShape& measured, double y, const std::string& label) {
  return {size_of(measured.shape), y,
          fmt::format("{} {}{}: {:.4g}", label, to_string(measured.shape),
                      measured.shape.name.empty() ? "" : " " + measured.shape.name, y)};
}

template <class Value>  // std::optional<double>(shape, contender)
std::vector<PlotSeries> series_of(const bench::Report& report, const std::vector<std::string>& labels, Value value) {
  std::vector<PlotSeries> all;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    PlotSeries series{labels[i], static_cast<int>(i), {}};
    for (const MeasuredShape& measured : report.shapes) {
      for (const ContenderResult& c : measured.result.contenders) {
        const std::optional<double> y = c.label == labels[i] ? value(measured, c) : std::nullopt;
        if (y) {
          series.points.push_back(point(measured, *y, labels[i]));
        }
      }
    }
    all.push_back(std::move(series));
  }
  return all;
}

std::vector<PlotLine> ceiling_lines(const bench::Report& report) {
  std::vector<PlotLine> lines;
  for (const char* instruction : {"mma.sync", "wgmma"}) {
    const std::string name = fmt::format("{} {}", instruction, to_string(report.accumulate));
    if (const auto value = bench::ceiling(report, name)) {
      lines.push_back({fmt::format("{} {:.0f}", name, *value), *value});
    }
  }
  return lines;
}

PlotPanel speed_panel(const bench::Report& report, const std::vector<std::string>& labels, ContenderKind baseline) {
  PlotPanel panel{fmt::format("speed over {}", bench::to_string(baseline)), {}, {{"1", 1}}};
  panel.series = series_of(report, labels, [&](const MeasuredShape& measured, const ContenderResult& c) {
    return c.kind == baseline ? std::nullopt : measured.result.ratio_to(baseline, c);
  });
  return panel;
}

bool ascending_squares(const bench::Report& report) {
  for (std::size_t i = 0; i < report.shapes.size(); ++i) {
    const bench::Shape& shape = report.shapes[i].shape;
    if (!shape.square() || (i > 0 && report.shapes[i - 1].shape.m > shape.m)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Plot bench_plot(const bench::Report& report) {
  Plot plot;
  const BenchColumns columns = bench_columns(report);
  plot.title = report.title.empty() ? "tileloom bench: " + report.environment.device : report.title;
  plot.notes = {environment_line(report.environment),
                fmt::format("{}, {} accumulation, normal data, {} buffers, median of at least {} rounds", report.date,
                            to_string(report.accumulate), report.plan.cold ? "cold" : "hot", report.plan.rounds)};
  plot.joined = ascending_squares(report);
  plot.x_title = plot.joined ? "m = n = k" : "size: cube root of m n k";
  plot.panels.push_back(
      {"TFLOPS",
       series_of(report, columns.labels,
                 [](const MeasuredShape&, const ContenderResult& c) { return std::optional(c.tflops); }),
       ceiling_lines(report)});
  if (!columns.baselines.empty()) {
    plot.panels.push_back(speed_panel(report, columns.labels, columns.baselines.front()));
  }
  return plot;
}

}  // namespace tileloom::render
