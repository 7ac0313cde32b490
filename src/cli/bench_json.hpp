// SPDX-License-Identifier: Apache-2.0
// Measured times as JSON; the same objects in `bench` and in `gemm --time`.
#pragma once

#include "bench/session.hpp"
#include "cli/report.hpp"

namespace tileloom::cli {

[[nodiscard]] Json environment_json(const bench::Environment& environment);
[[nodiscard]] Json method_json(const bench::Plan& plan);
// One object a contender.
[[nodiscard]] Json contenders_json(const bench::ShapeResult& result);

}  // namespace tileloom::cli
