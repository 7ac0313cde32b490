// SPDX-License-Identifier: Apache-2.0
// A register's elements and where they come from or go to.
#include "render/atom_table.hpp"
#include "render/trace_text.hpp"

namespace tileloom::render {

using std::to_string;
using trace::Kernel;
using trace::Operand;
using trace::OperandPath;
using trace::RegisterReport;
using trace::Route;

namespace {

// What of the way there is: the same for all elements.
std::vector<std::string> way_head(const OperandPath& path, const Route& r) {
  const bool output = r.operand == Operand::c;
  std::vector<std::string> head;
  if (r.global && !output) head.emplace_back("global byte");
  if (!r.copies.empty() && !output) head.emplace_back("copied by");
  if (r.shared) head.emplace_back("shared byte");
  if (path.drain && !output)
    head.emplace_back(path.drain->atom().kind == hw::CopyKind::ldmatrix ? "row given by" : "read by");
  if (!r.copies.empty() && output) head.emplace_back("copied by");
  if (r.global && output) head.emplace_back("global byte");
  return head;
}

std::vector<std::string> way_cells(const Kernel& kernel, const Route& r) {
  const bool output = r.operand == Operand::c;
  const trace::Holder& holder = r.holders.front();
  std::vector<std::string> cells;
  const auto copied = [&] { cells.push_back(thread_text(kernel, r.copies.front().thread)); };
  if (r.global && !output) cells.push_back(to_string(r.global->byte));
  if (!r.copies.empty() && !output) copied();
  if (r.shared) cells.push_back(to_string(r.shared->byte));
  if (holder.load) cells.push_back("lane " + to_string(holder.load->source_lane));
  if (!r.copies.empty() && output) copied();
  if (r.global && output) cells.push_back(to_string(r.global->byte));
  return cells;
}

}  // namespace

void register_text(std::ostream& out, const Kernel& kernel, const RegisterReport& report) {
  const OperandPath& path = kernel.path(report.operand);
  out << report.name << " of " << thread_text(kernel, report.thread)
      << (report.k_tile != 0 ? ", k-tile " + to_string(report.k_tile) : "") << cta_text(kernel, report.cta) << '\n';
  TextTable table{{"  fragment", "slots", "elements"}, {}};
  const std::vector<std::string> more = way_head(path, report.routes.front().front());
  table.head.insert(table.head.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < report.contents.size(); ++i) {
    const trace::RegisterContent& c = report.contents[i];
    std::string slots;
    for (const std::int64_t slot : c.slots) {
      slots += (slots.empty() ? "" : " ") + to_string(slot);
    }
    std::vector<std::string> row{"  " + index_text(std::string("tCr") + letter(report.operand), c.mma), slots,
                                 elements_text(report.operand, c.elements)};
    const std::vector<std::string> way = way_cells(kernel, report.routes[i].front());
    row.insert(row.end(), way.begin(), way.end());
    table.rows.push_back(std::move(row));
  }
  print_table(out, table, TableFormat::text);
  if (!more.empty() && report.contents.front().elements.size() > 1) {
    out << "Bytes, threads and rows are those of the register's first element.\n";
  }
}

}  // namespace tileloom::render
