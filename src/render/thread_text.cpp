// SPDX-License-Identifier: Apache-2.0
// A thread's elements, MMA by MMA.
#include <algorithm>

#include "render/atom_table.hpp"
#include "render/trace_text.hpp"

namespace tileloom::render {

using hw::MatrixPosition;
using std::to_string;
using trace::MmaElements;
using trace::ThreadElements;

namespace {

std::string slots_text(const std::vector<std::int64_t>& slots) {
  std::vector<int> ascending(slots.begin(), slots.end());
  std::ranges::sort(ascending);
  return numbers_text(ascending);
}

}  // namespace

std::string elements_text(trace::Operand operand, std::span<const MatrixPosition> elements) {
  const MatrixPosition first = elements.front();
  const MatrixPosition last = elements.back();
  const auto count = static_cast<int>(elements.size());
  const bool one_row = first.row == last.row && last.column - first.column == count - 1;
  const bool one_column = first.column == last.column && last.row - first.row == count - 1;
  const bool ascending = std::ranges::is_sorted(elements, {}, [](MatrixPosition p) { return p.row + p.column; });
  if ((one_row || one_column) && ascending) {
    return range_text(element_text(operand, first).front(), first, last);
  }
  std::string text;
  for (const MatrixPosition p : elements) {
    text += (text.empty() ? "" : " ") + element_text(operand, p);
  }
  return text;
}

void elements_text(std::ostream& out, const ThreadElements& e, std::size_t limit) {
  const bool output = e.operand == trace::Operand::c;
  const std::string name = std::string("tCr") + letter(e.operand);
  TextTable table{{std::string(1, output ? 'D' : letter(e.operand)) + " of thread " + to_string(e.thread), "slots"},
                  {}};
  table.head.insert(table.head.end(), e.registers.begin(), e.registers.end());
  for (std::size_t i = 0; i < std::min(limit, e.blocks.size()); ++i) {
    const MmaElements& block = e.blocks[i];
    std::vector<std::string> row{
        "  " + name + "(_," + to_string(block.repeat[0]) + "," + to_string(block.repeat[1]) + ")",
        slots_text(block.slots)};
    const auto per = static_cast<std::size_t>(e.per_register);
    for (std::size_t v = 0; v + per <= block.elements.size(); v += per) {
      row.push_back(elements_text(e.operand, std::span(block.elements).subspan(v, per)));
    }
    table.rows.push_back(std::move(row));
  }
  print_table(out, table, TableFormat::text);
  if (e.blocks.size() > limit) {
    out << "  and " << e.blocks.size() - limit << " more; --json has all\n";
  }
}

}  // namespace tileloom::render
