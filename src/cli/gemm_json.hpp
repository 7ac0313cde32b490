// SPDX-License-Identifier: Apache-2.0
// What was multiplied, and by what, as JSON.
#pragma once

#include "cli/report.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::cli {

[[nodiscard]] Json problem_json(const GemmProblem& problem);
[[nodiscard]] Json configuration_json(const GemmConfiguration& configuration);

}  // namespace tileloom::cli
