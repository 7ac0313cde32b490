// SPDX-License-Identifier: Apache-2.0
// What a launch executed and what it cost, as tables like those of a profiler's source page.
#pragma once

#include <ostream>

#include "tileloom/emu/counters.hpp"

namespace tileloom::render {

enum class CountersBy { line, instruction };

// Totals by the way that instructions reach memory, then the source lines in their order; by instruction each line is
// followed by its PTX instructions. A cost that the rules do not settle is a range.
void counters_text(std::ostream& out, const emu::Counters& counters, CountersBy by);

}  // namespace tileloom::render
