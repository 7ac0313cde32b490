// SPDX-License-Identifier: Apache-2.0
// What `tileloom check` says, as text.
#pragma once

#include <ostream>

#include "tileloom/trace/check.hpp"
#include "tileloom/trace/suggest.hpp"

namespace tileloom::render {

void check_text(std::ostream& out, const trace::Kernel& kernel, const trace::CheckReport& report);
void suggestions_text(std::ostream& out, const trace::Kernel& kernel, const trace::Suggestions& suggestions);

// `8`, or `8..32` where the rules do not settle the number.
[[nodiscard]] std::string range_text(std::int64_t low, std::int64_t high);

}  // namespace tileloom::render
