// SPDX-License-Identifier: Apache-2.0
// Measured times as text.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "bench/session.hpp"

namespace tileloom::render {

// `NVIDIA H200 (sm_90, 132 SMs, 50 MiB L2), driver 580.95.05, CUDA 13.0, cuBLAS 13.1.0`
[[nodiscard]] std::string environment_line(const bench::Environment& environment);

// A median that may be unknown: `1980`, `-`.
[[nodiscard]] std::string rounded(const std::optional<double>& value);

// One line a contender (least, mean and greatest time of a product, TFLOPS at the median) and, against cuBLAS, the
// ratio.
void timing_text(std::ostream& out, const bench::ShapeResult& result);

}  // namespace tileloom::render
