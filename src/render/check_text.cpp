// SPDX-License-Identifier: Apache-2.0
#include "render/check_text.hpp"

#include <algorithm>

#include "render/atom_table.hpp"
#include "render/trace_text.hpp"

namespace tileloom::render {

using std::to_string;
using trace::SiteCost;
using trace::Verdict;

namespace {

std::string range(int low, int high) {
  return low == high ? to_string(low) : to_string(low) + ".." + to_string(high);
}

void sites_text(std::ostream& out, const std::vector<SiteCost>& sites) {
  TextTable table{{"access", "memory", "width B", "aligned B", "wavefronts", "ideal", "sectors", "ideal"}, {}};
  for (const SiteCost& s : sites) {
    std::vector<std::string> row{s.site, s.memory, to_string(s.width), to_string(s.alignment), "", "", "", ""};
    if (s.shared) {
      row[4] = range(s.shared->worst.low, s.shared->worst.high);
      row[5] = to_string(s.shared->worst.ideal);
    }
    if (s.global) {
      row[6] = to_string(s.global->worst.sectors);
      row[7] = to_string(s.global->worst.ideal_sectors);
    }
    table.rows.push_back(std::move(row));
  }
  print_table(out, table, TableFormat::text);
  out << "Of one instruction of a warp, the worst of all; width of one lane's part.\n\n";
}

}  // namespace

void check_text(std::ostream& out, const trace::Kernel& kernel, const trace::CheckReport& report) {
  const auto bad = std::ranges::count(report.properties, Verdict::bad, &trace::Property::verdict);
  const std::string name = kernel.config.name.empty() ? "kernel" : kernel.config.name;
  out << name << ": " << (bad == 0 ? "good" : to_string(bad) + (bad == 1 ? " check failed" : " checks failed"))
      << (kernel.sizes.empty() ? "" : "; " + sizes_text(kernel)) << "\n\n";
  if (!report.sites.empty()) {
    sites_text(out, report.sites);
  }
  std::size_t width = 0;
  for (const trace::Property& p : report.properties) {
    width = std::max(width, p.name.size());
  }
  for (const trace::Property& p : report.properties) {
    const char* verdict = p.verdict == Verdict::good ? "good  " : p.verdict == Verdict::bad ? "FAILS " : "      ";
    out << verdict << p.name << std::string(width + 2 - p.name.size(), ' ') << p.text << '\n';
    if (!p.hint.empty()) {
      out << std::string(8 + width, ' ') << "hint: " << p.hint << '\n';
    }
  }
}

}  // namespace tileloom::render
