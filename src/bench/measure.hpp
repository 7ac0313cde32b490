// SPDX-License-Identifier: Apache-2.0
// Times candidates against each other on one GPU.
//
// Each candidate's launches stand in a graph that is long enough to hide the cost of launching. In every round each
// candidate runs its graph once, the order rotating, so that clock and temperature are the same for all.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu_work.hpp"
#include "bench/monitor.hpp"
#include "bench/statistics.hpp"

namespace tileloom::bench {

struct Candidate {
  std::string name;
  std::function<void(cuda::CUstream)> enqueue;  // one product
};

struct Plan {
  int rounds = 9;
  double batch_seconds = 0.005;  // least length of a batch
  int max_batch = 1000;          // launches
};

struct Timing {
  int batch = 0;                 // launches a round
  std::vector<double> seconds;   // a launch, one value a round
  std::vector<GpuState> states;  // while it ran, where known
};

// One Timing a candidate, in their order.
[[nodiscard]] std::vector<Timing> measure(std::span<const Candidate> candidates, const Plan& plan, const Stream& stream,
                                          const Monitor& monitor);

// Keeps the GPU busy with the candidate until its clock has settled.
void warm_up(const Candidate& candidate, double seconds, const Stream& stream);

}  // namespace tileloom::bench
