// SPDX-License-Identifier: Apache-2.0
// One table, three ways of writing it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tileloom::render {

struct TextTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // as long as the head
};

enum class TableFormat { text, csv, markdown };

// Text: columns of numbers right-aligned, others left; tables wider than 100 characters in blocks of columns, each with
// the first column. CSV as in RFC 4180.
void print_table(std::ostream& out, const TextTable& table, TableFormat format);

}  // namespace tileloom::render
