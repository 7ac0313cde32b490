// SPDX-License-Identifier: Apache-2.0
// Measured times as JSON, there and back; the same objects in `bench` and in `gemm --time`.
#pragma once

#include "bench/compare.hpp"
#include "bench/results.hpp"
#include "bench/session.hpp"
#include "cli/bench_request.hpp"
#include "cli/report.hpp"

namespace tileloom::cli {

inline constexpr const char* bench_schema = "tileloom.bench/1";

[[nodiscard]] Json environment_json(const bench::Environment& environment);
[[nodiscard]] Json method_json(const bench::Plan& plan);
// One object a contender.
[[nodiscard]] Json contenders_json(const bench::ShapeResult& result);

// A contender as it is asked for; of cuBLAS kernel, stages and band are null.
[[nodiscard]] Json asked_json(const bench::Contender& contender);
// What two runs must have in common for one to go on with the other.
[[nodiscard]] Json request_json(const BenchRequest& request);

[[nodiscard]] Json shape_json(const bench::Shape& shape);
[[nodiscard]] Json measured_json(const bench::MeasuredShape& measured);
[[nodiscard]] Json ceilings_json(const std::vector<bench::Ceiling>& ceilings);
[[nodiscard]] Json summary_json(const bench::Report& report);
// `file`: of the earlier run.
[[nodiscard]] Json comparison_json(const std::string& file, const bench::Report& before,
                                   const bench::Comparison& comparison);

}  // namespace tileloom::cli
