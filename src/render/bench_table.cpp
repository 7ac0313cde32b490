// SPDX-License-Identifier: Apache-2.0
#include "render/bench_table.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/bench_article.hpp"
#include "render/bench_text.hpp"

namespace tileloom::render {
namespace {

using bench::ContenderKind;
using bench::ContenderResult;
using bench::MeasuredShape;

constexpr int bar_width = 8;
constexpr int bar_of_one = 6;  // cuBLAS, which is not made of mma.sync, can be above its ceiling

class LongTable : public BenchTable {
 public:
  LongTable(const bench::Report& report, const BenchColumns& columns)
      : columns_(columns), ceiling_(bench::ceiling(report, bench::mma_ceiling_name(report.accumulate))) {
    for (const std::string& label : columns.labels) {
      width_ = std::max(width_, label.size() + 2);
    }
  }

  void head(std::ostream& out) const override {
    fmt::print(out, "{:<{}}{:>9}{:>8}{:>6}", "m,n,k", width_, "us", "TFLOPS", "TB/s");
    for (const ContenderKind kind : columns_.baselines) {
      fmt::print(out, "{:>8}", kind == ContenderKind::cublas ? "/cublas" : "/lt");
    }
    fmt::print(out, "{:>6} {:>5}{:>4}{:>7}\n", "IQR %", "MHz", "W", ceiling_ ? "% mma" : "% best");
  }

  void rows(std::ostream& out, const MeasuredShape& measured) const override {
    fmt::print(out, "{}{}{}\n", to_string(measured.shape), measured.shape.name.empty() ? "" : "  ",
               measured.shape.name);
    const double most = bench::fastest(measured.result, [](const auto&) { return true; })->tflops;
    for (const ContenderResult& c : measured.result.contenders) {
      row(out, measured, c, c.tflops / ceiling_.value_or(most));
    }
  }

 private:
  void row(std::ostream& out, const MeasuredShape& measured, const ContenderResult& c, double part) const {
    fmt::print(out, "  {:<{}}{:>9.2f}{:>8.1f}{:>6.2f}", c.label, width_ - 2, 1e6 * c.seconds.median, c.tflops,
               1e-12 * least_bytes(measured.shape) / c.seconds.median);
    for (const ContenderKind kind : columns_.baselines) {
      const auto ratio = measured.result.ratio_to(kind, c);
      fmt::print(out, "{:>8}", ratio ? fmt::format("{:.3f}", *ratio) : "-");
    }
    const std::string shown = bar(part, bar_width, columns_.unicode);
    fmt::print(out, "{:>6.1f}{}{:>5}{:>4}{:>7.1f}{}{}\n", 100 * c.spread, c.noisy ? '~' : ' ', rounded(c.sm_mhz),
               rounded(c.watts), 100 * part, shown.empty() ? "" : " ", shown);
  }

  BenchColumns columns_;
  std::optional<double> ceiling_;
  std::size_t width_ = 24;
};

void add_once(std::vector<std::string>& labels, const std::string& label) {
  if (std::ranges::find(labels, label) == labels.end()) {
    labels.push_back(label);
  }
}

}  // namespace

std::string bar(double fraction, int width, bool unicode) {
  if (!unicode) {
    const auto cells = static_cast<int>(std::lround(fraction * bar_of_one));
    return std::string(static_cast<std::size_t>(std::clamp(cells, 0, width)), '#');
  }
  const auto eighths = std::clamp(static_cast<int>(std::lround(fraction * bar_of_one * 8)), 0, width * 8);
  std::string text;
  for (int cell = 0; cell < eighths / 8; ++cell) {
    text += "\u2588";
  }
  static const std::array<const char*, 8> parts{"",       "\u258F", "\u258E", "\u258D",
                                                "\u258C", "\u258B", "\u258A", "\u2589"};
  return text + parts.at(static_cast<std::size_t>(eighths % 8));
}

BenchColumns bench_columns(const bench::Report& report) {
  BenchColumns columns;
  columns.baselines = bench::baselines(report);
  for (const MeasuredShape& measured : report.shapes) {
    for (const ContenderResult& c : measured.result.contenders) {
      add_once(columns.labels, c.label);
    }
  }
  return columns;
}

BenchColumns bench_columns(const std::vector<bench::Contender>& contenders) {
  BenchColumns columns;
  for (const bench::Contender& c : contenders) {
    add_once(columns.labels, c.label);
    if (c.kind != ContenderKind::kernel) {
      columns.baselines.push_back(c.kind);
    }
  }
  return columns;
}

std::unique_ptr<BenchTable> bench_table(const bench::Report& report, const BenchColumns& columns) {
  if (report.article > 0) {
    return article_table(report, columns);
  }
  return std::make_unique<LongTable>(report, columns);
}

void bench_heading(std::ostream& out, const bench::Report& report, bool shapes_follow) {
  if (!report.title.empty()) {
    out << report.title << '\n';
  }
  out << environment_line(report.environment) << '\n';
  if (!shapes_follow) {
    return;
  }
  fmt::print(out,
             "median of at least {} rounds, {} accumulation, normal data, {} buffers; each product verified first\n",
             report.plan.rounds, to_string(report.accumulate), report.plan.cold ? "cold" : "hot");
}

void ceilings_text(std::ostream& out, const std::vector<bench::Ceiling>& ceilings) {
  fmt::print(out, "{:<14}{:<7}{:>9}{:>11}{:>8}{:>6}\n", "ceiling", "unit", "burst", "sustained", "SM MHz", "W");
  for (const bench::Ceiling& c : ceilings) {
    fmt::print(out, "{:<14}{:<7}{:>9.2f}{:>11.2f}{:>8}{:>6}\n", c.name, c.unit, c.burst, c.sustained, rounded(c.sm_mhz),
               rounded(c.watts));
  }
}

void bench_summary(std::ostream& out, const bench::Report& report) {
  std::vector<bench::RatioSummary> all = bench::summarise(report);
  if (report.article > 0) {  // its columns are what the kernels are compared by
    std::erase_if(all, [](const bench::RatioSummary& s) { return !s.label.starts_with("fastest"); });
  }
  std::size_t width = 8;
  for (const bench::RatioSummary& s : all) {
    width = std::max(width, s.label.size());
  }
  if (!all.empty()) {
    fmt::print(out, "\n{:<{}}  {:<14}{:>7}{:>9}{:>8}{:>8}  {}\n", "speed of", width, "over", "shapes", "geomean",
               "best", "worst", "at");
  }
  for (const bench::RatioSummary& s : all) {
    fmt::print(out, "{:<{}}  {:<14}{:>7}{:>9.3f}{:>8.3f}{:>8.3f}  {}\n", s.label, width, s.over, s.shapes, s.geomean,
               s.best, s.worst, to_string(s.worst_shape));
  }
  if (report.article > 0) {
    article_summary(out, report);
  }
  if (const bench::NoiseSummary noise = bench::noise(report); noise.noisy > 0) {
    fmt::print(out, "noisy (~): {} of {} timings, whose median is uncertain by more than {:.1f} %\n", noise.noisy,
               noise.timings, 100 * bench::noise_bound);
  }
}

}  // namespace tileloom::render
