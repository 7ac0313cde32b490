// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/results.hpp"

namespace tileloom::render {

// A head, and a line a contender of a shape. Unknown values are empty.
[[nodiscard]] std::string bench_csv(const bench::Report& report);

}  // namespace tileloom::render
