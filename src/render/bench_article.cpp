// SPDX-License-Identifier: Apache-2.0
#include "render/bench_article.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "render/bench_text.hpp"

namespace tileloom::render {
namespace {

using bench::ContenderKind;
using bench::ContenderResult;
using bench::MeasuredShape;

const ContenderResult* fastest_in(const bench::ArticleColumn& column, const MeasuredShape& measured) {
  return bench::fastest(measured.result, [&](const ContenderResult& c) {
    return bench::is_ours(c) && c.label.starts_with(column.prefix);
  });
}

// How many times as fast as the first column the last one is.
std::optional<double> gain(const bench::Article& article, const MeasuredShape& measured) {
  const ContenderResult* const first = fastest_in(article.columns.front(), measured);
  const ContenderResult* const last = fastest_in(article.columns.back(), measured);
  return article.gain && first != nullptr && last != nullptr ? std::optional(bench::speed_over(*last, *first))
                                                             : std::nullopt;
}

class ArticleTable : public BenchTable {
 public:
  ArticleTable(const bench::Article& article, const BenchColumns& columns) : article_(article), columns_(columns) {}

  void head(std::ostream& out) const override {
    fmt::print(out, "{:>6}", "m=n=k");
    for (const bench::ArticleColumn& column : article_.columns) {
      fmt::print(out, "{:>10}", column.head);
    }
    out << (article_.gain ? "    gain %" : "");
    for (const ContenderKind kind : columns_.baselines) {
      fmt::print(out, "{:>15}{:>8}", to_string(kind), "ratio");
    }
    out << "   IQR %  SM MHz    W\n";
  }

  void rows(std::ostream& out, const MeasuredShape& measured) const override {
    fmt::print(out, "{:>6}", measured.shape.m);
    for (const bench::ArticleColumn& column : article_.columns) {
      const ContenderResult* const c = fastest_in(column, measured);
      fmt::print(out, "{:>10}", c != nullptr ? fmt::format("{:.1f}", c->tflops) : "-");
    }
    if (article_.gain) {
      const auto value = gain(article_, measured);
      fmt::print(out, "{:>10}", value ? fmt::format("{:+.1f}", 100 * (*value - 1)) : "-");
    }
    const ContenderResult* const ours = bench::fastest(measured.result, bench::is_ours);
    for (const ContenderKind kind : columns_.baselines) {
      const ContenderResult* const rival = bench::find_baseline(measured.result, kind);
      const bool both = rival != nullptr && ours != nullptr;
      fmt::print(out, "{:>15}{:>8}", both ? fmt::format("{:.1f}", rival->tflops) : "-",
                 both ? fmt::format("{:.3f}", bench::speed_over(*ours, *rival)) : "-");
    }
    state(out, measured, ours != nullptr ? *ours : measured.result.contenders.front());
  }

 private:
  static void state(std::ostream& out, const MeasuredShape& measured, const ContenderResult& shown) {
    double spread = 0;
    bool noisy = false;
    for (const ContenderResult& c : measured.result.contenders) {
      spread = std::max(spread, c.spread);
      noisy = noisy || c.noisy;
    }
    fmt::print(out, "{:>8.1f}{}{:>7}{:>5}\n", 100 * spread, noisy ? '~' : ' ', rounded(shown.sm_mhz),
               rounded(shown.watts));
  }

  const bench::Article& article_;
  BenchColumns columns_;
};

// `multistage_128x256x32_f16@3 (4 sizes), multistage_128x256x32_f16@2 (1)`
std::string winners(const bench::ArticleColumn& column, const bench::Report& report) {
  std::map<std::string, int> counts;
  for (const MeasuredShape& measured : report.shapes) {
    if (const ContenderResult* const c = fastest_in(column, measured)) {
      ++counts[c->label];
    }
  }
  std::vector<std::string> texts;
  for (const auto& [label, count] : counts) {
    texts.push_back(fmt::format("{} ({})", label, count));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::unique_ptr<BenchTable> article_table(const bench::Report& report, const BenchColumns& columns) {
  return std::make_unique<ArticleTable>(bench::article(report.article), columns);
}

void article_summary(std::ostream& out, const bench::Report& report) {
  const bench::Article& article = bench::article(report.article);
  std::vector<double> gains;
  for (const MeasuredShape& measured : report.shapes) {
    if (const auto value = gain(article, measured)) {
      gains.push_back(*value);
    }
  }
  if (gains.empty()) {
    return;
  }
  fmt::print(out, "\n{} over {}: {:+.1f} %, geometric mean of {} sizes\n", article.columns.back().head,
             article.columns.front().head, 100 * (bench::geomean(gains) - 1), gains.size());
  for (const bench::ArticleColumn& column : article.columns) {
    fmt::print(out, "{:<8}  fastest at so many sizes: {}\n", column.head, winners(column, report));
  }
}

}  // namespace tileloom::render
