// SPDX-License-Identifier: Apache-2.0
// Layouts as text: tables of offsets, lists of steps, properties.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tileloom/layout/algebra.hpp"

namespace tileloom::render {

// Largest number of elements that a table shows.
inline constexpr std::int64_t max_table_elements = 1 << 16;

// Offsets at every coordinate. Rank 1: rows of up to 16. Rank 2: mode 0 down, mode 1 across. Rank 3 and 4: one such
// table for each coordinate of the modes above. Wide tables are cut into blocks of columns, at most 100 characters.
// Throws tileloom::Error for a higher rank or too many elements.
void layout_table(std::ostream& out, const layout::AnyLayout& layout);

// One line a step: the expression, then its result.
void layout_steps(std::ostream& out, std::span<const layout::Step> steps, const std::string& result);

// Name and value, in the order shown.
using Property = std::variant<std::int64_t, bool, std::string>;
using Properties = std::vector<std::pair<std::string, Property>>;
[[nodiscard]] Properties layout_properties(const layout::AnyLayout& layout, const layout::Policy& policy);
void properties_text(std::ostream& out, const Properties& properties);

// `_4` as `4`: the coordinates and offsets of tables have no underscores.
[[nodiscard]] std::string plain_text(layout::TreeRef tree);

}  // namespace tileloom::render
