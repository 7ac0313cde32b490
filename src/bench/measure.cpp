// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace tileloom::bench {
namespace {

double time_once(const Graph& graph, const Stream& stream, const Monitor* monitor, std::vector<GpuState>* states) {
  const Event begin;
  const Event end;
  begin.record(stream);
  graph.launch(stream);
  end.record(stream);
  if (monitor != nullptr) {  // the host is free while the GPU works
    if (const std::optional<GpuState> state = monitor->read()) {
      states->push_back(*state);
    }
  }
  stream.synchronize();
  return end.seconds_since(begin);
}

// How many launches make a batch. The first two runs load and warm the kernel.
int batch_size(const Candidate& candidate, const Plan& plan, const Stream& stream) {
  const Graph probe(stream, candidate.enqueue, 4);
  time_once(probe, stream, nullptr, nullptr);
  const double seconds = time_once(probe, stream, nullptr, nullptr) / 4;
  const double wanted = seconds > 0 ? std::ceil(plan.batch_seconds / seconds) : plan.max_batch;
  return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(plan.max_batch)));
}

}  // namespace

std::vector<Timing> measure(std::span<const Candidate> candidates, const Plan& plan, const Stream& stream,
                            const Monitor& monitor) {
  std::vector<Timing> timings(candidates.size());
  std::deque<Graph> graphs;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    timings[i].batch = batch_size(candidates[i], plan, stream);
    graphs.emplace_back(stream, candidates[i].enqueue, timings[i].batch);
  }
  for (const Graph& graph : graphs) {  // a graph's first launch uploads it
    time_once(graph, stream, nullptr, nullptr);
  }
  for (int round = 0; round < plan.rounds; ++round) {
    for (std::size_t place = 0; place < candidates.size(); ++place) {
      const std::size_t i = (place + static_cast<std::size_t>(round)) % candidates.size();
      const double seconds = time_once(graphs[i], stream, &monitor, &timings[i].states);
      timings[i].seconds.push_back(seconds / timings[i].batch);
    }
  }
  return timings;
}

void warm_up(const Candidate& candidate, double seconds, const Stream& stream) {
  const Graph graph(stream, candidate.enqueue, 4);
  time_once(graph, stream, nullptr, nullptr);
  double spent = 0;
  while (spent < seconds) {
    spent += std::max(time_once(graph, stream, nullptr, nullptr), 1e-5);
  }
}

}  // namespace tileloom::bench
