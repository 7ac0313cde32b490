// SPDX-License-Identifier: Apache-2.0
#include "gemm/launch.hpp"

#include <fmt/format.h>

#include <chrono>

#include "gemm/cuda_backend.hpp"
#include "gemm/emulator_backend.hpp"
#include "gemm/problem.hpp"
#include "gemm/status.hpp"

namespace tileloom {
namespace gemm {

kernels::GemmParams kernel_params(const GemmProblem& problem, const GemmOperands& operands) {
  kernels::GemmParams params{};
  params.a = operands.a;
  params.b = operands.b;
  params.d = operands.d;
  params.m = problem.m;
  params.n = problem.n;
  params.k = problem.k;
  params.lda = problem.lda;
  params.ldb = problem.ldb;
  params.ldd = problem.ldd;
  return params;
}

std::uint32_t checked_grid(const kernels::KernelInstance& instance, const GemmProblem& problem) {
  const std::optional<std::uint32_t> ctas = kernels::grid_size(instance, problem.m, problem.n);
  if (!ctas) {
    throw StatusError(ErrorKind::cannot_run, TILELOOM_STATUS_NOT_SUPPORTED,
                      fmt::format("gemm: expected at most 2^31 - 1 tiles of {} x {}, found m {} and n {}",
                                  instance.tile_m, instance.tile_n, problem.m, problem.n),
                      "split the product along m or n");
  }
  return *ctas;
}

namespace {

const kernels::KernelInstance& instance_of(const GemmConfiguration& configuration) {
  const kernels::KernelInstance* instance = kernels::find_instance(configuration.kernel);
  if (instance == nullptr) {
    throw Error(ErrorKind::bad_input, "gemm: expected a configuration that configure made, found one of kernel '" +
                                          configuration.kernel + "'");
  }
  return *instance;
}

using CudaLaunch = void (*)(const kernels::KernelInstance&, const GemmProblem&, const GemmOperands&, void*);

GemmReport launch_by(CudaLaunch cuda_launch, const GemmProblem& problem, const GemmConfiguration& configuration,
                     const GemmOperands& operands, const LaunchControl& control) {
  const auto start = std::chrono::steady_clock::now();
  GemmReport report;
  check(problem, operands);
  const kernels::KernelInstance& instance = instance_of(configuration);
  if (writes_nothing(problem)) {
    return report;
  }
  if (configuration.backend == Backend::cuda) {
    cuda_launch(instance, problem, operands, control.stream);
  } else {
    launch_on_emulator(instance, configuration.arch, problem, operands, control, report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace
}  // namespace gemm

GemmReport launch(const GemmProblem& problem, const GemmConfiguration& configuration, const GemmOperands& operands,
                  const LaunchControl& control) {
  return gemm::launch_by(cuda::launch, problem, configuration, operands, control);
}

GemmReport launch_host(const GemmProblem& problem, const GemmConfiguration& configuration, const GemmOperands& operands,
                       const LaunchControl& control) {
  return gemm::launch_by(cuda::launch_host, problem, configuration, operands, control);
}

}  // namespace tileloom
