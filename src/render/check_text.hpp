// SPDX-License-Identifier: Apache-2.0
// What `tileloom check` says, as text.
#pragma once

#include <ostream>

#include "tileloom/trace/check.hpp"

namespace tileloom::render {

void check_text(std::ostream& out, const trace::Kernel& kernel, const trace::CheckReport& report);

}  // namespace tileloom::render
