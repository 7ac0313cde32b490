// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <ranges>

namespace tileloom::bench {
namespace {

constexpr double least_step = 1e-5;  // a step of warm-up counts for this much at least, so that it ends
constexpr int probe_launches = 4;
constexpr double heating_seconds = 20e-6;  // products that take longer may fill the GPU
constexpr int most_rounds = 2;             // times the planned ones

double time_once(const Graph& graph, const Stream& stream) {
  const Event begin;
  const Event end;
  begin.record(stream);
  graph.launch(stream);
  end.record(stream);
  stream.synchronize();
  return end.seconds_since(begin);
}

int whole_periods(double launches, int period) {
  return static_cast<int>(std::ceil(launches / period)) * period;
}

// What a candidate runs in a round.
struct Batch {
  int launches = 1;  // in its graph
  int graphs = 1;    // timed
  int untimed = 1;   // before
};

// The first run loads and warms the kernel.
Batch batch_for(const Candidate& candidate, const Plan& plan, const Stream& stream) {
  const int launches = whole_periods(probe_launches, candidate.period);
  const Graph probe(stream, candidate.enqueue, launches);
  time_once(probe, stream);
  const double seconds = time_once(probe, stream) / launches;
  const double wanted = seconds > 0 ? std::ceil(plan.batch_seconds / seconds) : plan.max_batch;
  Batch batch;
  batch.launches = whole_periods(std::clamp(wanted, 1.0, static_cast<double>(plan.max_batch)), candidate.period);
  if (seconds >= heating_seconds) {
    batch.graphs = std::max(1, static_cast<int>(std::ceil(plan.sustained_seconds / (seconds * batch.launches))));
    batch.untimed = (batch.graphs + 1) / 2;
  }
  return batch;
}

// A candidate's graph and the events around its timed runs.
struct Runner {
  Batch batch;
  Graph graph;
  Event begin;
  Event end;

  Runner(const Candidate& candidate, const Plan& plan, const Stream& stream)
      : batch(batch_for(candidate, plan, stream)), graph(stream, candidate.enqueue, batch.launches) {}
  void enqueue(const Stream& stream) const {
    repeat(batch.untimed, stream);
    begin.record(stream);
    repeat(batch.graphs, stream);
    end.record(stream);
  }
  void repeat(int times, const Stream& stream) const {
    for (int i = 0; i < times; ++i) {
      graph.launch(stream);
    }
  }
};

using Runners = std::deque<Runner>;

void enqueue_round(const Runners& runners, const std::vector<std::size_t>& order, const Stream& stream) {
  for (const std::size_t i : order) {
    runners[i].enqueue(stream);
  }
}

void settle(const Runners& runners, double seconds, const Stream& stream) {
  double spent = 0;
  for (int round = 0; round == 0 || spent < seconds; ++round) {  // a graph's first launch uploads it
    const std::vector<std::size_t> order = round_order(runners.size(), round);
    enqueue_round(runners, order, stream);
    stream.synchronize();
    spent += std::max(runners[order.back()].end.seconds_since(runners[order.front()].begin), least_step);
  }
}

// Reads the GPU's state while each graph of the round runs; a reading that came too late is dropped.
void watch(const Runners& runners, const std::vector<std::size_t>& order, const Monitor& monitor,
           std::vector<Timing>& timings) {
  for (const std::size_t i : order) {
    runners[i].begin.wait();
    const std::optional<GpuState> state = monitor.read();
    if (state && !runners[i].end.happened()) {
      timings[i].states.push_back(*state);
    }
  }
}

void time_round(const Runners& runners, int round, const Stream& stream, const Monitor& monitor,
                std::vector<Timing>& timings) {
  const std::vector<std::size_t> order = round_order(runners.size(), round);
  enqueue_round(runners, order, stream);
  watch(runners, order, monitor, timings);
  stream.synchronize();
  for (const std::size_t i : order) {
    timings[i].seconds.push_back(runners[i].end.seconds_since(runners[i].begin) / timings[i].batch);
  }
}

bool any_noisy(const std::vector<Timing>& timings) {
  return std::ranges::any_of(
      timings, [](const Timing& timing) { return summarise(timing.seconds).uncertainty() > noise_bound; });
}

}  // namespace

std::vector<std::size_t> round_order(std::size_t count, int round) {
  const auto turn = static_cast<std::size_t>(round);
  std::vector<std::size_t> order;
  for (std::size_t place = 0; place < count; ++place) {
    const std::size_t step = turn % 2 == 0 ? place : count - place;
    order.push_back((turn + step) % count);
  }
  return order;
}

std::vector<Timing> measure(std::span<const Candidate> candidates, const Plan& plan, const Stream& stream,
                            const Monitor& monitor) {
  std::vector<Timing> timings;
  Runners runners;
  for (const Candidate& candidate : candidates) {
    const Batch& batch = runners.emplace_back(candidate, plan, stream).batch;
    timings.push_back({batch.launches * batch.graphs, {}, {}});
  }
  settle(runners, plan.settle_seconds, stream);
  for (int round = 0; round < plan.rounds || (round < most_rounds * plan.rounds && any_noisy(timings)); ++round) {
    time_round(runners, round, stream, monitor, timings);
  }
  return timings;
}

void warm_up(const Candidate& candidate, double seconds, const Stream& stream) {
  const Graph graph(stream, candidate.enqueue, probe_launches);
  time_once(graph, stream);
  double spent = 0;
  while (spent < seconds) {
    spent += std::max(time_once(graph, stream), least_step);
  }
}

}  // namespace tileloom::bench
