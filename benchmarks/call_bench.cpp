// SPDX-License-Identifier: Apache-2.0
// What a call costs on the CPU: choosing a kernel, and enqueuing a product on a GPU (skipped where there is none).
// Compare ratios of one run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <stdexcept>
#include <string>

#include "gemm/cuda_context.hpp"
#include "gemm/cuda_devices.hpp"
#include "gemm/cuda_kernels.hpp"
#include "gemm/launch.hpp"
#include "gemm/plan.hpp"
#include "tileloom/gemm.h"
#include "tileloom/gemm.hpp"

namespace {

using namespace tileloom;

void choose(benchmark::State& state, const GemmOptions& options) {
  const GemmProblem problem = dense_problem(256, 256, 256);
  for (auto _ : state) {
    benchmark::DoNotOptimize(configure(problem, options));
  }
}

GemmOptions emulated(const std::string& kernel) {
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = kernel;
  return options;
}

BENCHMARK_CAPTURE(choose, emulator, emulated(""));
BENCHMARK_CAPTURE(choose, emulator_named, emulated("multistage_64x64x64_f32"));
BENCHMARK_CAPTURE(choose, automatic, GemmOptions{});

constexpr const char* named_kernel = "multistage_64x64x64_f32";
constexpr int calls_in_a_batch = 200;  // fewer than a stream's queue holds, so that no call waits for the GPU

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// CPU time of batches of calls, between which the GPU catches up.
template <class Call>
void enqueue(benchmark::State& state, const Call& call) {
  cuda::Obstacle obstacle;
  if (cuda::find_driver(obstacle) == nullptr) {
    state.SkipWithError(obstacle.text.c_str());
    return;
  }
  const cuda::ContextScope scope;
  const cuda::Buffer matrix(std::int64_t{2} << 20);
  for (auto _ : state) {
    const double start = cpu_seconds();
    for (int i = 0; i < calls_in_a_batch; ++i) {
      call(matrix, i);
    }
    state.SetIterationTime(cpu_seconds() - start);
    cuda::require(cuda::driver().synchronize(nullptr), "running the kernels");
  }
  state.SetItemsProcessed(state.iterations() * calls_in_a_batch);
}

void* result_of(const cuda::Buffer& matrix) {
  return static_cast<char*>(matrix.address()) + (1 << 20);
}

tileloom_gemm_args square(const cuda::Buffer& matrix, std::int64_t size, const char* kernel) {
  tileloom_gemm_args args = TILELOOM_GEMM_ARGS_INIT;
  args.m = args.n = args.k = args.lda = args.ldb = args.ldd = size;
  args.a = args.b = matrix.address();
  args.d = result_of(matrix);
  args.backend = TILELOOM_BACKEND_CUDA;
  args.kernel = kernel;
  return args;
}

void call_gemm(benchmark::State& state, const char* kernel, bool other_shapes) {
  const auto size = state.range(0);
  enqueue(state, [=](const cuda::Buffer& matrix, int i) {
    tileloom_gemm_args args = square(matrix, size, kernel);
    args.k -= other_shapes ? i % std::max<std::int64_t>(size / 2, 1) : 0;
    if (tileloom_gemm(&args, nullptr) != TILELOOM_STATUS_SUCCESS) {
      throw std::runtime_error(tileloom_last_error());
    }
  });
}

// A kernel and its parameters, ready.
class Launch {
 public:
  void operator()(const cuda::Buffer& matrix, std::int64_t size) {
    if (kernel_ == nullptr) {
      prepare(matrix, size);
    }
    std::array<void*, 1> parameters{&params_};
    cuda::require(cuda::driver().launch(kernel_, *kernels::grid_size(*instance_, size, size), 1, 1,
                                        static_cast<unsigned>(instance_->threads), 1, 1, shared_bytes_, nullptr,
                                        parameters.data(), nullptr),
                  "launching");
  }

 private:
  void prepare(const cuda::Buffer& matrix, std::int64_t size) {
    const cuda::Device& gpu = cuda::facts(cuda::chosen_device());
    int result = 0;
    kernel_ = cuda::find_kernel(*instance_, gpu.arch, false, result);
    cuda::require(result, "loading");
    cuda::require(cuda::allow_shared_bytes(kernel_, gpu.handle, shared_bytes_), "asking for shared memory");
    const gemm::Plan plan{.instance = instance_, .stages = instance_->default_stages, .raster_width = 8};
    params_ = gemm::kernel_params(dense_problem(size, size, size), plan,
                                  {matrix.address(), matrix.address(), result_of(matrix)});
  }

  const kernels::KernelInstance* instance_ = kernels::find_instance(named_kernel);
  std::uint32_t shared_bytes_ = instance_->shared_bytes(instance_->default_stages);
  cuda::CUkernel kernel_ = nullptr;
  kernels::GemmParams params_{};
};

// The least that a call can cost: the driver's launch of the kernel that call_gemm/named runs.
void launch_alone(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  Launch launch;
  enqueue(state, [&](const cuda::Buffer& matrix, int) { launch(matrix, size); });
}

BENCHMARK(launch_alone)->Arg(256)->UseManualTime();
BENCHMARK_CAPTURE(call_gemm, chosen, nullptr, false)->Arg(1)->Arg(256)->UseManualTime();
BENCHMARK_CAPTURE(call_gemm, named, named_kernel, false)->Arg(1)->Arg(256)->UseManualTime();
BENCHMARK_CAPTURE(call_gemm, chosen_of_many_shapes, nullptr, true)->Arg(256)->UseManualTime();

}  // namespace
