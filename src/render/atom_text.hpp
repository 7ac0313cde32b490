// SPDX-License-Identifier: Apache-2.0
// What `tileloom atom` says, as text and as tables.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "render/atom_table.hpp"
#include "render/atom_view.hpp"

namespace tileloom::render {

// `A(0,9)   lane 0   value 5   a2[31:16]`
[[nodiscard]] std::string place_line(const AtomOperand& operand, const AtomPlace& place);

// Where the products of D(row, column) come from: neighbours along K that one register of A and one of B hold.
struct ProductSource {
  int first_k, last_k;
  std::string a, b;  // lane 0  a0
};
[[nodiscard]] std::vector<ProductSource> product_sources(const hw::AnyAtom& atom, int row, int column);
void product_text(std::ostream& out, const std::vector<ProductSource>& sources, int row, int column);

// What one thread holds, register by register, or the row that it addresses; then the formulas.
void holdings_text(std::ostream& out, const AtomOperand& operand, const hw::LaneMap& map, int thread);
void formulas_text(std::ostream& out, const AtomOperand& operand, const std::string& indent);

// The card of an instruction.
void atom_card(std::ostream& out, const hw::AnyAtom& atom);

// Tables for all three formats.
[[nodiscard]] TextTable places_table(const AtomOperand& operand, std::span<const AtomPlace> places);
[[nodiscard]] TextTable operands_table(const hw::AnyAtom& atom);
// Matrix view: `lane:value` at each element. Thread view: each thread's elements, a column a register.
[[nodiscard]] TextTable matrix_table(const AtomOperand& operand, const hw::LaneMap& map);
[[nodiscard]] TextTable thread_table(const AtomOperand& operand, const hw::LaneMap& map);
// Lists for the eye: name and PTX; wgmma's that differ in N alone are one line. And with all columns.
[[nodiscard]] TextTable short_list(std::span<const hw::MmaAtom* const> mma);
[[nodiscard]] TextTable short_list(std::span<const hw::CopyAtom* const> copies);
[[nodiscard]] TextTable full_list(std::span<const hw::MmaAtom* const> mma, std::span<const hw::CopyAtom* const> copies);

// `sm_80 or later`, `sm_90 only`.
[[nodiscard]] std::string needs(const hw::AnyAtom& atom);

}  // namespace tileloom::render
