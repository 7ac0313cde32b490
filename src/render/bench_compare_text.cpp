// SPDX-License-Identifier: Apache-2.0
#include "render/bench_compare_text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

namespace tileloom::render {
namespace {

using bench::Change;
using bench::ChangeSummary;
using bench::Comparison;

std::size_t label_width(const Comparison& comparison) {
  std::size_t width = 9;
  for (const ChangeSummary& s : comparison.summary) {
    width = std::max(width, s.label.size());
  }
  return width;
}

void changes_text(std::ostream& out, const Comparison& comparison, std::size_t width) {
  if (std::ranges::none_of(comparison.changes, &Change::real)) {
    out << "nothing changed by more than the two runs' spread\n";
    return;
  }
  fmt::print(out, "{:<20}{:<{}}{:>9}{:>9}{:>10}{:>11}\n", "m,n,k", "contender", width, "before", "after", "new/old",
             "spreads %");
  for (const Change& c : comparison.changes) {
    if (c.real()) {
      fmt::print(out, "{:<20}{:<{}}{:>9.1f}{:>9.1f}{:>10.3f}{:>11.1f}  {}\n", to_string(c.shape), c.label, width,
                 c.before, c.after, c.speed, 100 * c.allowed, c.speed > 1 ? "faster" : "slower");
    }
  }
}

}  // namespace

void comparison_text(std::ostream& out, const std::string& file, const bench::Report& before,
                     const Comparison& comparison) {
  fmt::print(out, "\nagainst {}: {}, {}, {} buffers\n", file, before.environment.device, before.date,
             before.plan.cold ? "cold" : "hot");
  if (comparison.changes.empty()) {
    out << "no contender ran at the same sizes in both\n";
    return;
  }
  const std::size_t width = label_width(comparison);
  changes_text(out, comparison, width);
  fmt::print(out, "\n{:<{}}{:>8}{:>10}{:>8}{:>8}\n", "new/old", width, "shapes", "geomean", "faster", "slower");
  for (const ChangeSummary& s : comparison.summary) {
    fmt::print(out, "{:<{}}{:>8}{:>10.3f}{:>8}{:>8}\n", s.label, width, s.shapes, s.geomean, s.faster, s.slower);
  }
  if (comparison.only_before + comparison.only_after > 0) {
    fmt::print(out, "not compared: {} timings of the old run alone, {} of the new\n", comparison.only_before,
               comparison.only_after);
  }
}

}  // namespace tileloom::render
