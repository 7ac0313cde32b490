// SPDX-License-Identifier: Apache-2.0
// Measured times as text.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "bench/session.hpp"

namespace tileloom::render {

// `NVIDIA H200 (sm_90, 132 SMs, 50 MiB L2), driver 580.95.05, CUDA 13.0, cuBLAS 13.1.0`
[[nodiscard]] std::string environment_line(const bench::Environment& environment);

// One line a contender (least, mean and greatest time of a product, TFLOPS at the median) and, against cuBLAS, the
// ratio.
void timing_text(std::ostream& out, const bench::ShapeResult& result);

// The head of a table of square sizes, and one row of it: TFLOPS of each contender, the best of ours over cuBLAS, the
// widest spread between rounds, clock and power.
void sweep_head(std::ostream& out, const std::vector<bench::Contender>& contenders);
void sweep_row(std::ostream& out, const bench::ShapeResult& result);

}  // namespace tileloom::render
