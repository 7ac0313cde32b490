// SPDX-License-Identifier: Apache-2.0
// What watching a run costs: one GEMM in the emulator on one host thread, plain, counted, followed and checked. Compare
// ratios of one run.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gemm/generate.hpp"
#include "tileloom/gemm.hpp"

namespace {

using namespace tileloom;

void run(benchmark::State& state, const LaunchControl& asked) {
  const std::int64_t size = state.range(0);
  const GemmProblem problem = dense_problem(size, size, size);
  const std::vector<std::uint16_t> a = generate(Distribution::normal, 1, 0, size * size);
  const std::vector<std::uint16_t> b = generate(Distribution::normal, 1, 1, size * size);
  std::vector<std::uint16_t> d(static_cast<std::size_t>(size * size));
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = "multistage";
  const GemmConfiguration configuration = configure(problem, options);
  LaunchControl control = asked;
  control.host_threads = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(launch_host(problem, configuration, {a.data(), b.data(), d.data()}, control));
  }
  const double operations = 2.0 * static_cast<double>(size * size * size);
  state.counters["gflop_per_s"] = benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

LaunchControl counted() {
  LaunchControl control;
  control.count = true;
  return control;
}

LaunchControl followed() {
  LaunchControl control;
  control.follow = emu::FollowOptions{.element = emu::BufferElement{"A", 18}};
  return control;
}

LaunchControl checked() {
  LaunchControl control;
  control.check = true;
  return control;
}

BENCHMARK_CAPTURE(run, plain, LaunchControl{})->Arg(512)->Arg(1024)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, counted, counted())->Arg(512)->Arg(1024)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, followed, followed())->Arg(512)->Arg(1024)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, checked, checked())->Arg(512)->MeasureProcessCPUTime();

}  // namespace
