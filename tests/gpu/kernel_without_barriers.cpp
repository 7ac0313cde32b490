// SPDX-License-Identifier: Apache-2.0
// Runs the smem kernel on the GPU after removing every bar.sync from its PTX: a race that compute-sanitizer's racecheck
// must report.
#include <cstdio>
#include <string>

#include "gemm/cuda_driver.hpp"
#include "gemm/launch.hpp"
#include "support/run_on.hpp"

namespace {

using namespace tileloom;

std::string without_barriers(std::string ptx) {
  for (std::size_t at = ptx.find("bar.sync"); at != std::string::npos; at = ptx.find("bar.sync", at)) {
    ptx.erase(at, ptx.find(';', at) + 1 - at);
  }
  return ptx;
}

void require(cuda::CUresult result, const char* what) {
  if (result != cuda::CUDA_SUCCESS) {
    std::fprintf(stderr, "%s failed: %d\n", what, result);
    std::exit(1);
  }
}

}  // namespace

int main() {
  if (const std::string obstacle = test::gpu_obstacle(); !obstacle.empty()) {
    std::printf("skipped: no GPU: %s\n", obstacle.c_str());
    return 0;
  }
  const kernels::KernelInstance& instance = *kernels::find_instance("smem_128x128x32_f32");
  test::GemmCase c = test::make_case(dense_problem(128, 128, 128), Distribution::normal, 1);
  const GemmConfiguration configuration = test::run_on_gpu(c, {std::string(instance.name)});  // enters the context

  cuda::Obstacle obstacle;
  const cuda::Driver& driver = *cuda::find_driver(obstacle);
  const std::string ptx =
      without_barriers(kernels::ptx_text(instance, *kernels::ptx_target(instance, configuration.arch)));
  cuda::CUlibrary library = nullptr;
  cuda::CUkernel kernel = nullptr;
  require(driver.load_library(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), "loading");
  require(driver.find_kernel(&kernel, library, std::string(instance.name).c_str()), "finding the kernel");
  cuda::CUdeviceptr at = 0;
  require(driver.allocate(&at, 3 * 128 * 128 * 2), "allocating");
  const auto matrix = [&](int index) { return reinterpret_cast<void*>(at + static_cast<unsigned>(index) * 32768U); };
  GemmOptions options;
  options.backend = Backend::cuda;
  options.kernel = instance.name;
  const gemm::Plan plan = gemm::make_plan(c.problem, options, nullptr);
  kernels::GemmParams params = gemm::kernel_params(c.problem, plan, {matrix(0), matrix(1), matrix(2)});
  void* parameters[] = {&params};
  require(driver.launch(kernel, 1, 1, 1, static_cast<unsigned>(instance.threads), 1, 1, plan.dynamic_shared_bytes,
                        nullptr, parameters, nullptr),
          "launching");
  require(driver.synchronize(nullptr), "running");
  std::puts("ran without barriers");
  return 0;
}
