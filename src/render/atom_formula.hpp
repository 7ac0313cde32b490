// SPDX-License-Identifier: Apache-2.0
// Closed formulas of a thread-value layout, both ways, from its shape and stride.
//
//   ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128)) on 16 rows     m = lane/4 + 8*(v/2%2)      lane = 4*(m%8) + k%8/2
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tileloom/layout/layout.hpp"

namespace tileloom::render {

// coefficient * (x / divisor % modulus), or with the remainder first, coefficient * (x % modulus / divisor). A divisor
// of 1 and a modulus of 0 stand for none.
struct FormulaTerm {
  std::int64_t coefficient = 1;
  std::string variable;
  std::int64_t divisor = 1;
  std::int64_t modulus = 0;
  bool remainder_first = false;
};

// result = sum of the terms
struct Formula {
  std::string result;
  std::vector<FormulaTerm> terms;
};

[[nodiscard]] std::string to_string(const Formula& formula);
[[nodiscard]] std::int64_t evaluate(const Formula& formula, const std::map<std::string, std::int64_t>& values);

struct FormulaNames {
  std::string thread, value;  // lane, v
  std::string row, column;    // m, k
};

struct LayoutFormulas {
  Formula row, column;        // of thread and value
  Formula thread, value;      // of row and column
  bool every_thread = false;  // all threads hold all; else, of several holders, `thread` gives the first
};

// Precondition: `tv` has two modes and maps into rows * columns elements, counted down the first column first. Nothing
// where a digit of thread or value moves along both rows and columns with a carry: no table entry does.
[[nodiscard]] std::optional<LayoutFormulas> layout_formulas(const layout::Layout& tv, std::int64_t rows,
                                                            std::int64_t columns, const FormulaNames& names);

}  // namespace tileloom::render
