// SPDX-License-Identifier: Apache-2.0
// Launches the small kernels of tests/emu/races on a GPU, so that compute-sanitizer can be compared with the emulator.
//   race_kernels               names, one a line, with ` hangs` after those that may never end
//   race_kernels NAME          launches one and prints `NAME ran` or the driver's error; exit code 0 in both cases
// race_kernels.sh runs all of them under every tool.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "emu/races/kernels.hpp"
#include "gemm/cuda_driver.hpp"

namespace {

using namespace tileloom;
using test::RaceKernel;

const cuda::Driver& driver() {
  cuda::Obstacle obstacle;
  const cuda::Driver* found = cuda::find_driver(obstacle);
  if (found == nullptr) {
    std::printf("skipped: no GPU: %s\n", obstacle.text.c_str());
    std::exit(0);
  }
  return *found;
}

void require(cuda::CUresult result, const char* what) {
  if (result == cuda::CUDA_SUCCESS) return;
  std::printf("%s: %s\n", what, cuda::describe(driver(), result).c_str());
  std::exit(1);
}

void enter_context() {
  cuda::CUdevice device = 0;
  cuda::CUcontext context = nullptr;
  require(driver().device(&device, 0), "device");
  require(driver().primary_context(&context, device), "context");
  require(driver().push_context(context), "push context");
}

cuda::CUdeviceptr buffer(const std::vector<std::int32_t>* values) {
  constexpr std::size_t bytes = 4 * test::race_kernel_elements;
  cuda::CUdeviceptr at = 0;
  require(driver().allocate(&at, bytes), "allocate");
  if (values != nullptr) require(driver().copy_to_device(at, values->data(), bytes, nullptr), "copy to the GPU");
  return at;
}

cuda::CUkernel load(const std::string& name) {
  std::ifstream in(TILELOOM_SOURCE_DIR "/tests/emu/races/kernels.ptx");
  const std::string ptx(std::istreambuf_iterator<char>(in), {});
  cuda::CUlibrary library = nullptr;
  cuda::CUkernel kernel = nullptr;
  require(driver().load_library(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), "load");
  require(driver().find_kernel(&kernel, library, name.c_str()), "find the kernel");
  return kernel;
}

void run(const RaceKernel& kernel, const std::string& name) {
  enter_context();
  const cuda::CUkernel function = load(name);
  std::vector<std::int32_t> values(test::race_kernel_elements, 0);
  cuda::CUdeviceptr out = buffer(kernel.out_is_written ? &values : nullptr);
  std::iota(values.begin(), values.end(), 0);
  cuda::CUdeviceptr in = buffer(&values);
  void* parameters[] = {&out, &in};
  cuda::CUresult result =
      driver().launch(function, kernel.ctas, 1, 1, test::race_kernel_threads, 1, 1, 0, nullptr, parameters, nullptr);
  if (result == cuda::CUDA_SUCCESS) result = driver().synchronize(nullptr);
  std::printf("%s %s\n", name.c_str(), result == cuda::CUDA_SUCCESS ? "ran" : cuda::describe(driver(), result).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  for (const RaceKernel& kernel : test::race_kernels) {
    for (const char* variant : {"_racy", "_clean"}) {
      const std::string name = std::string(kernel.name) + variant;
      if (argc < 2) {
        std::printf("%s%s\n", name.c_str(), kernel.hangs && name.ends_with("_racy") ? " hangs" : "");
      } else if (name == argv[1]) {
        run(kernel, name);
        return 0;
      }
    }
  }
  if (argc < 2) return 0;
  std::printf("%s: no such kernel\n", argv[1]);
  return 2;
}
