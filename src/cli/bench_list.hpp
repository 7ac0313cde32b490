// SPDX-License-Identifier: Apache-2.0
// `tileloom bench --list`: what would run.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/bench_request.hpp"

namespace tileloom::cli {

// Needs no GPU: kernels are configured as for one.
void list_bench(std::ostream& out, const BenchRequest& request, const std::vector<std::string>& argv);

}  // namespace tileloom::cli
