// SPDX-License-Identifier: Apache-2.0
#include "gemm/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "gemm/cuda_backend.hpp"
#include "gemm/cuda_context.hpp"
#include "gemm/emulator_backend.hpp"
#include "gemm/problem.hpp"
#include "gemm/status.hpp"

namespace tileloom {
namespace gemm {

namespace {

// The widest copy that a matrix's address and rows allow: 16, 8, 4 or 2 bytes.
int copy_bytes(const void* matrix, std::int64_t ld) {
  const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(matrix) | static_cast<std::uint64_t>(ld * element_bytes);
  return 1 << std::min(std::countr_zero(bits), 4);
}

}  // namespace

kernels::GemmParams kernel_params(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands) {
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
  params.raster_width = plan.raster_width;
  params.stages = plan.stages;
  params.copy_bytes_a = copy_bytes(operands.a, problem.lda);
  params.copy_bytes_b = copy_bytes(operands.b, problem.ldb);
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

Plan plan_of(const GemmConfiguration& c) {
  const kernels::KernelInstance* instance = kernels::find_instance(c.kernel);
  if (instance == nullptr) {
    throw Error(ErrorKind::bad_input,
                "gemm: expected a configuration that configure made, found one of kernel '" + c.kernel + "'");
  }
  return {.instance = instance,
          .stages = c.stages,
          .raster_width = c.raster_width,
          .dynamic_shared_bytes = c.dynamic_shared_bytes,
          .backend = c.backend,
          .arch = c.arch,
          .device = c.backend == Backend::cuda ? cuda::chosen_device() : 0};
}

// A product over nothing.
void clear_rows(const GemmProblem& problem, void* d) {
  for (std::int64_t row = 0; row < problem.m; ++row) {
    std::memset(static_cast<std::byte*>(d) + row * problem.ldd * element_bytes, 0,
                static_cast<std::size_t>(problem.n * element_bytes));
  }
}

using CudaLaunch = void (*)(const GemmProblem&, const Plan&, const GemmOperands&, void*);

GemmReport launch_by(CudaLaunch cuda_launch, const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                     const LaunchControl& control) {
  const auto start = std::chrono::steady_clock::now();
  GemmReport report;
  if (writes_nothing(problem)) {
    return report;
  }
  if (problem.k == 0 && plan.backend == Backend::emulator) {
    clear_rows(problem, operands.d);
  } else if (plan.backend == Backend::cuda) {
    cuda_launch(problem, plan, operands, control.stream);
  } else {
    launch_on_emulator(problem, plan, operands, control, report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

GemmReport launch(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                  const LaunchControl& control) {
  return launch_by(cuda::launch, problem, plan, operands, control);
}

GemmReport launch_host(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                       const LaunchControl& control) {
  return launch_by(cuda::launch_host, problem, plan, operands, control);
}

namespace {

using PlannedLaunch = GemmReport (*)(const GemmProblem&, const Plan&, const GemmOperands&, const LaunchControl&);

GemmReport launch_checked(PlannedLaunch planned, const GemmProblem& problem, const GemmConfiguration& configuration,
                          const GemmOperands& operands, const LaunchControl& control) {
  check(problem, operands);
  return planned(problem, plan_of(configuration), operands, control);
}

}  // namespace
}  // namespace gemm

GemmReport launch(const GemmProblem& problem, const GemmConfiguration& configuration, const GemmOperands& operands,
                  const LaunchControl& control) {
  return gemm::launch_checked(gemm::launch, problem, configuration, operands, control);
}

GemmReport launch_host(const GemmProblem& problem, const GemmConfiguration& configuration, const GemmOperands& operands,
                       const LaunchControl& control) {
  return gemm::launch_checked(gemm::launch_host, problem, configuration, operands, control);
}

}  // namespace tileloom
