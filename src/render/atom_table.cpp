// SPDX-License-Identifier: Apache-2.0
#include "render/atom_table.hpp"

#include <algorithm>
#include <cctype>

#include "text/csv.hpp"

namespace tileloom::render {

namespace {

constexpr std::size_t max_width = 100;
constexpr std::size_t gap = 2;

struct Column {
  std::size_t width;
  bool is_number;
};

Column measure(const TextTable& table, std::size_t c) {
  Column column{table.head[c].size(), true};
  bool any = false;
  for (const auto& row : table.rows) {
    column.width = std::max(column.width, row[c].size());
    if (row[c].empty() || row[c] == "-") continue;  // nothing to say in a column of numbers or of texts
    const bool number = std::isdigit(static_cast<unsigned char>(row[c].back())) != 0 &&
                        std::isdigit(static_cast<unsigned char>(row[c].front())) != 0;
    any = true;
    column.is_number = column.is_number && number;
  }
  column.is_number = column.is_number && any;
  return column;
}

void print_cells(std::ostream& out, const std::vector<std::string>& cells, const std::vector<Column>& columns,
                 const std::vector<std::size_t>& shown) {
  std::string line;
  for (const std::size_t c : shown) {
    const std::string padding(columns[c].width - cells[c].size(), ' ');
    line += line.empty() ? "" : std::string(gap, ' ');
    line += columns[c].is_number ? padding + cells[c] : cells[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void print_text(std::ostream& out, const TextTable& table) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < table.head.size(); ++c) columns.push_back(measure(table, c));
  std::size_t next = 1;
  do {
    std::vector<std::size_t> shown{0};
    std::size_t width = columns[0].width;
    while (next < columns.size() && (shown.size() == 1 || width + gap + columns[next].width <= max_width)) {
      width += gap + columns[next].width;
      shown.push_back(next++);
    }
    print_cells(out, table.head, columns, shown);
    for (const auto& row : table.rows) print_cells(out, row, columns, shown);
    if (next < columns.size()) out << '\n';
  } while (next < columns.size());
}

void print_csv(std::ostream& out, const std::vector<std::string>& cells) {
  out << csv_line(cells);
}

void print_markdown(std::ostream& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) out << "| " << cell << ' ';
  out << "|\n";
}

}  // namespace

void print_table(std::ostream& out, const TextTable& table, TableFormat format) {
  if (format == TableFormat::text) {
    print_text(out, table);
    return;
  }
  const auto print = format == TableFormat::csv ? print_csv : print_markdown;
  print(out, table.head);
  if (format == TableFormat::markdown) print(out, std::vector<std::string>(table.head.size(), "---"));
  for (const auto& row : table.rows) print(out, row);
}

}  // namespace tileloom::render
