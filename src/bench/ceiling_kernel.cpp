// SPDX-License-Identifier: Apache-2.0
#include "bench/ceiling_kernel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "bench/statistics.hpp"

namespace tileloom::bench {
namespace {

constexpr double burst_seconds = 1e-3;
constexpr double sustained_seconds = 64e-3;
constexpr double settle_seconds = 1;
constexpr double most_launches = 1000;  // in a graph
constexpr int bursts = 9;
constexpr int sustained_runs = 5;
constexpr auto idle_before_burst = std::chrono::milliseconds(10);

// Seconds of `repeats` launches of a graph; the stream is busy when they are enqueued, so that no gap is counted.
double time_graphs(const Graph& graph, int repeats, const std::function<void(cuda::CUstream)>& pause,
                   const Stream& stream, const Monitor* monitor, std::vector<GpuState>* states) {
  const Event begin;
  const Event end;
  pause(stream.get());
  begin.record(stream);
  for (int i = 0; i < repeats; ++i) {
    graph.launch(stream);
  }
  end.record(stream);
  const std::optional<GpuState> state = monitor != nullptr ? monitor->read() : std::nullopt;
  if (state && !end.happened()) {
    states->push_back(*state);
  }
  stream.synchronize();
  return end.seconds_since(begin);
}

int launches_for(double seconds, double each) {
  return static_cast<int>(std::clamp(std::round(seconds / std::max(each, 1e-9)), 1.0, most_launches));
}

}  // namespace

void CeilingKernel::launch(unsigned grid, unsigned threads, std::vector<void*> parameters,
                           cuda::CUstream stream) const {
  cuda::require(
      cuda::driver().launch(kernel_, grid, 1, 1, threads, 1, 1, shared_bytes_, stream, parameters.data(), nullptr),
      "launching kernel " + name_);
}

CeilingModule::CeilingModule(std::span<const std::byte> image) {
  cuda::require(cuda::driver().load_library(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                "loading the ceilings' kernels");
}

CeilingModule::~CeilingModule() {
  cuda::driver().unload_library(library_);
}

CeilingKernel CeilingModule::kernel(const std::string& name, unsigned shared_bytes) const {
  CeilingKernel kernel;
  kernel.name_ = name;
  kernel.shared_bytes_ = shared_bytes;
  cuda::require(cuda::driver().find_kernel(&kernel.kernel_, library_, name.c_str()), "finding kernel " + name);
  if (shared_bytes > 0) {
    cuda::require(
        cuda::driver().set_kernel_attribute(cuda::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                            static_cast<int>(shared_bytes), kernel.kernel_, cuda::chosen_device()),
        "asking for shared memory of kernel " + name);
  }
  return kernel;
}

CeilingSeconds time_launches(const Enqueue& launch, const std::function<void(cuda::CUstream)>& pause,
                             const Stream& stream, const Monitor& monitor) {
  const auto once = [&](const Graph& graph, int repeats) {
    return time_graphs(graph, repeats, pause, stream, nullptr, nullptr);
  };
  const Graph probe(stream, launch, 4);
  once(probe, 1);
  const int count = launches_for(burst_seconds, once(probe, 1) / 4);
  const Graph graph(stream, launch, count);
  const int repeats = static_cast<int>(std::ceil(sustained_seconds / std::max(once(graph, 1), 1e-6)));
  once(graph, repeats);  // wakes the clocks of an idle GPU
  std::vector<double> burst;
  for (int i = 0; i < bursts; ++i) {
    std::this_thread::sleep_for(idle_before_burst);
    burst.push_back(once(graph, 1) / count);
  }
  CeilingSeconds seconds;
  seconds.burst = summarise(std::move(burst)).median;
  for (double spent = 0; spent < settle_seconds;) {
    spent += std::max(once(graph, repeats), 1e-3);
  }
  std::vector<double> sustained;
  for (int i = 0; i < sustained_runs; ++i) {
    sustained.push_back(time_graphs(graph, repeats, pause, stream, &monitor, &seconds.states) / (count * repeats));
  }
  seconds.sustained = summarise(std::move(sustained)).median;
  return seconds;
}

}  // namespace tileloom::bench
