// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "bench/compare.hpp"

namespace tileloom::render {

// What changed by more than the two runs' spread, a line a contender of a shape; then every contender's geometric mean.
// `file`: of the earlier run.
void comparison_text(std::ostream& out, const std::string& file, const bench::Report& before,
                     const bench::Comparison& comparison);

}  // namespace tileloom::render
