// SPDX-License-Identifier: Apache-2.0
// Names of an operand's two copies.
#pragma once

#include <string>

#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace {

enum class Step { fill, drain };

// `A: global -> shared`
[[nodiscard]] std::string step_name(const OperandPath& path, Step step);

}  // namespace tileloom::trace
