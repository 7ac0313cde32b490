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

constexpr std::size_t listed = 3;  // findings of a property

void worst_text(std::ostream& out, const std::vector<SiteCost>& sites) {
  TextTable table{{"access", "memory", "width B", "aligned B", "wavefronts", "ideal", "sectors", "ideal"}, {}};
  for (const SiteCost& s : sites) {
    std::vector<std::string> row{s.site, s.memory, to_string(s.width), to_string(s.alignment), "", "", "", ""};
    if (s.shared) {
      row[4] = range_text(s.shared->worst.low, s.shared->worst.high);
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

void sums_text(std::ostream& out, const std::vector<SiteCost>& sites, std::int64_t slabs) {
  TextTable table{{"access", "memory", "requests", "wavefronts", "ideal", "sectors", "ideal"}, {}};
  for (const SiteCost& s : sites) {
    std::vector<std::string> row{s.site, s.memory, "", "", "", "", ""};
    if (s.shared) {
      row[2] = to_string(s.shared->instructions);
      row[3] = range_text(s.shared->low, s.shared->high);
      row[4] = to_string(s.shared->ideal);
    }
    if (s.global) {
      row[2] = to_string(s.global->requests);
      row[5] = to_string(s.global->sectors);
      row[6] = to_string(s.global->ideal_sectors);
    }
    table.rows.push_back(std::move(row));
  }
  print_table(out, table, TableFormat::text);
  out << "Of a CTA, all its warps: of A and B for one k-tile, of C for "
      << (slabs > 1 ? "one of " + to_string(slabs) + " slabs" : "the whole tile") << ".\n\n";
}

void property_text(std::ostream& out, const trace::Property& p, std::size_t width) {
  const std::string indent(8 + width, ' ');
  const char* verdict = p.verdict == Verdict::good ? "good  " : p.verdict == Verdict::bad ? "FAILS " : "      ";
  out << verdict << p.name << std::string(width + 2 - p.name.size(), ' ') << p.text << '\n';
  for (std::size_t i = 0; i < std::min(listed, p.findings.size()); ++i) {
    out << indent << p.findings[i] << '\n';
  }
  if (p.found > static_cast<std::int64_t>(listed)) {
    out << indent << "and " << p.found - static_cast<std::int64_t>(listed) << " more\n";
  }
  if (!p.hint.empty()) {
    out << indent << "hint: " << p.hint << '\n';
  }
}

}  // namespace

std::string range_text(std::int64_t low, std::int64_t high) {
  return low == high ? to_string(low) : to_string(low) + ".." + to_string(high);
}

void check_text(std::ostream& out, const trace::Kernel& kernel, const trace::CheckReport& report) {
  const auto bad = std::ranges::count(report.properties, Verdict::bad, &trace::Property::verdict);
  const std::string name = kernel.config.name.empty() ? "kernel" : kernel.config.name;
  out << name << ": " << (bad == 0 ? "good" : to_string(bad) + (bad == 1 ? " check failed" : " checks failed"))
      << (kernel.sizes.empty() ? "" : "; " + sizes_text(kernel)) << "\n\n";
  if (!report.sites.empty()) {
    worst_text(out, report.sites);
    sums_text(out, report.sites, report.slabs);
  }
  std::size_t width = 0;
  for (const trace::Property& p : report.properties) {
    width = std::max(width, p.name.size());
  }
  for (const trace::Property& p : report.properties) {
    property_text(out, p, width);
  }
}

}  // namespace tileloom::render
