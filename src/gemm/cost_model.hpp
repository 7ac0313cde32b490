// SPDX-License-Identifier: Apache-2.0
// How long a product would take with each kernel: an estimate that is good enough to choose between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/instances.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::gemm {

// What a choice looks at: an architecture whose machine code is known, and the SMs of the GPU at hand.
struct Target {
  hw::Arch arch;
  int multiprocessors;
};

// The architecture's own GPU (hw::throughput).
[[nodiscard]] Target typical_target(hw::Arch arch);

struct Estimate {
  const kernels::KernelInstance* instance = nullptr;
  double seconds = 0;
  std::uint32_t ctas = 0;
  std::uint32_t ctas_per_sm = 0;  // that run at once
  std::uint32_t waves = 0;        // of CTAs, the last one perhaps not full
  std::string_view bound = {};    // what the time is made of: `tensor cores`, `shared memory`, `latency`, ...
};

// Precondition: the problem is valid; m, n >= 1. A kernel with stages has its default number.
[[nodiscard]] Estimate estimate(const GemmProblem& problem, const kernels::KernelInstance& instance,
                                const Target& target);

// Of the family's instances that accumulate as asked and fit on the target, the fastest first.
[[nodiscard]] std::vector<Estimate> rank(const GemmProblem& problem, std::string_view family, const Target& target);

// `7.4 us estimated: 128 CTAs, 2 an SM, 1 wave, bound by latency`
[[nodiscard]] std::string to_string(const Estimate& estimate);

// Tile columns in a band of CTAs: those that run together, one an SM, read the least when their band is about as high
// as it is wide in elements. A power of two.
[[nodiscard]] std::uint32_t raster_width(const kernels::KernelInstance& instance, int multiprocessors);

}  // namespace tileloom::gemm
