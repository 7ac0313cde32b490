// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/report.hpp"
#include "tileloom/emu/counters.hpp"

namespace tileloom::cli {

// An object: totals, lines, instructions.
[[nodiscard]] Json counters_json(const emu::Counters& counters);

}  // namespace tileloom::cli
