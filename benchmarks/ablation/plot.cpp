// SPDX-License-Identifier: Apache-2.0
#include "ablation/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tileloom/error.hpp"

namespace tileloom::ablation {
namespace {

using Json = nlohmann::ordered_json;

constexpr double row_height = 22, top = 70, label_width = 190, panel_width = 330, panel_gap = 70;
constexpr double most_tflops = 700, most_wavefronts = 4;
constexpr double difference = 0.03;  // what is nearer to the base is not told from it
constexpr std::string_view style =
    "text{font:12px sans-serif;fill:#222}.title{font-size:14px;font-weight:bold}.base{fill:#1f5a96}.bar{fill:#7fa8d1}"
    ".better{fill:#5f9e6e}.worse{fill:#d99a6c}.ceiling{stroke:#b02a2a;stroke-width:2}.value{font-size:11px}";

const Json& named(const Json& rows, const std::string& name) {
  return *std::ranges::find_if(rows, [&](const Json& row) { return row.at("name") == name; });
}

double wavefronts_per_mma(const Json& kernel) {
  double sum = 0;
  for (const Json& cost : kernel.at("per_k_tile")) {
    sum += cost.at("wavefronts").get<double>();
  }
  return sum / kernel.at("mma_sync_per_k_tile").get<double>();
}

// A bar from x on, its value behind it, and a mark where the most that can be reached lies.
std::string bar(double x, double y, double scale, double value, double mark, std::string_view kind, int digits) {
  const double width = value * scale;
  const double room = (mark - value) * scale;  // for the value before the mark
  const double end = x + (room > 0 && room < 40 ? mark * scale : width);
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"15\"/>"
      "<line class=\"ceiling\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>"
      "<text class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\">{:.{}f}</text>\n",
      kind, x, y, width, x + mark * scale, y - 2, x + mark * scale, y + 17, end + 5, y + 12, value, digits);
}

}  // namespace

std::string svg(const Json& results, std::int64_t size) {
  const Json& sizes = results.at("sizes");
  const auto found = std::ranges::find_if(sizes, [&](const Json& row) { return row.at("size") == size; });
  if (found == sizes.end()) {
    throw Error(ErrorKind::bad_input, fmt::format("plot: expected results at {}, found none", size));
  }
  const Json& times = found->at("variants");
  const auto tflops = [&](const std::string& name) { return named(times, name).at("tflops").get<double>(); };
  const Json& variants = results.at("variants");
  const double base = tflops(variants.front().at("name"));
  const double second = label_width + panel_width + panel_gap;
  const double cycles = results.at("cycles_per_mma").get<double>();
  std::string rows;
  double y = top;
  for (const Json& variant : variants) {
    const std::string name = variant.at("name");
    const Json& kernel = named(results.at("kernels"), variant.at("kernel"));
    const double value = tflops(name);
    const std::string_view kind = name == variants.front().at("name") ? "base"
                                  : value < base * (1 - difference)   ? "worse"
                                  : value > base * (1 + difference)   ? "better"
                                                                      : "bar";
    const double ceiling = tflops("mma.sync " + kernel.at("accumulate").get<std::string>());
    rows += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", label_width - 8, y + 12,
                        variant.at("switch").get<std::string>());
    rows += bar(label_width, y, panel_width / most_tflops, value, ceiling, kind, 0);
    rows += bar(second, y, panel_width / most_wavefronts, wavefronts_per_mma(kernel), cycles, kind, 2);
    y += row_height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
      "<style>{2}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text class=\"title\" x=\"12\" y=\"24\">One switch at a time, m = n = k = {3}, {4}</text>\n"
      "<text x=\"{5}\" y=\"52\">TFLOPS; red: mma.sync alone</text>"
      "<text x=\"{6}\" y=\"52\">wavefronts for each mma.sync; red: cycles it takes an SM</text>\n{7}</svg>\n",
      second + panel_width + 60, y + 14, style, size, results.at("environment").at("device").get<std::string>(),
      label_width, second, rows);
}

}  // namespace tileloom::ablation
