// SPDX-License-Identifier: Apache-2.0
// Times candidates against each other on one GPU.
//
// Each candidate's launches stand in a graph that is long enough to hide the cost of launching. In every round each
// candidate runs its graph, first untimed, so that caches, clock and power are its own and not those of the one before,
// then timed. Products that are long enough to heat the GPU run much longer than short ones, until the clock that the
// power limit leaves them has settled: their times are sustained ones. The order changes from round to round.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu_work.hpp"
#include "bench/monitor.hpp"
#include "bench/statistics.hpp"

namespace tileloom::bench {

struct Candidate {
  std::string name;
  Enqueue enqueue;  // one product
  int period = 1;   // launches until the same operands come again; a batch is a multiple of it
};

struct Plan {
  int rounds = 9;                   // and up to twice as many while a median is noisy
  double batch_seconds = 0.01;      // least length of a graph, and of a timed run of short products
  int max_batch = 1000;             // launches in a graph, but at least one period
  bool cold = false;                // operands rotate through more than twice the L2
  double settle_seconds = 0.25;     // of untimed rounds before the first
  double sustained_seconds = 0.15;  // least length of a timed run of products that take 20 us or longer, half of it
                                    // untimed before
};

struct Timing {
  int batch = 0;                 // timed launches a round
  std::vector<double> seconds;   // a launch, one value a round
  std::vector<GpuState> states;  // while it ran, where known
};

// In which order `count` candidates run: over 2 * count rounds each stands twice at each place, and as often behind the
// one neighbour as behind the other.
[[nodiscard]] std::vector<std::size_t> round_order(std::size_t count, int round);

// One Timing a candidate, in their order. Precondition: at least one candidate and one round.
[[nodiscard]] std::vector<Timing> measure(std::span<const Candidate> candidates, const Plan& plan, const Stream& stream,
                                          const Monitor& monitor);

// Keeps the GPU busy with the candidate until its clock has settled.
void warm_up(const Candidate& candidate, double seconds, const Stream& stream);

}  // namespace tileloom::bench
