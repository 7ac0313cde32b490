// SPDX-License-Identifier: Apache-2.0
#include "support/run_on.hpp"

#include <stdexcept>
#include <vector>

#include "gemm/cuda_backend.hpp"
#include "gemm/cuda_driver.hpp"

namespace tileloom::test {
namespace {

const cuda::Driver& driver() {
  cuda::Obstacle obstacle;
  const cuda::Driver* found = cuda::find_driver(obstacle);
  if (found == nullptr) {
    throw std::runtime_error(obstacle.text);
  }
  return *found;
}

void require(cuda::CUresult result, const char* what) {
  if (result != cuda::CUDA_SUCCESS) {
    throw std::runtime_error(std::string(what) + ": " + cuda::describe(driver(), result));
  }
}

// The first GPU's primary context, current for the life of the process.
void enter_context() {
  static const bool entered = [] {
    cuda::CUdevice device = 0;
    cuda::CUcontext context = nullptr;
    require(driver().device(&device, 0), "device");
    require(driver().primary_context(&context, device), "context");
    require(driver().push_context(context), "push context");
    return true;
  }();
  (void)entered;
}

// Host elements on the GPU, in an allocation of their own.
class DeviceCopy {
 public:
  explicit DeviceCopy(const std::vector<std::uint16_t>& host) : bytes_(host.size() * 2) {
    require(driver().allocate(&at_, bytes_ + 2), "allocate");
    require(driver().copy_to_device(at_, host.data(), bytes_, nullptr), "copy to the GPU");
    require(driver().synchronize(nullptr), "copy to the GPU");
  }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;
  ~DeviceCopy() { driver().free(at_); }

  void read_back(std::vector<std::uint16_t>& host) const {
    require(driver().copy_to_host(host.data(), at_, bytes_, nullptr), "copy from the GPU");
    require(driver().synchronize(nullptr), "kernel");
  }
  [[nodiscard]] std::uint16_t* element(std::int64_t index) const {
    return reinterpret_cast<std::uint16_t*>(at_) + index;
  }

 private:
  std::size_t bytes_;
  cuda::CUdeviceptr at_ = 0;
};

GemmConfiguration configured(const GemmCase& c, Backend backend, const KernelChoice& choice,
                             std::optional<hw::Arch> arch) {
  GemmOptions options;
  options.backend = backend;
  options.kernel = choice.kernel;
  options.stages = choice.stages;
  options.raster_width = choice.raster_width;
  options.arch = arch;
  return configure(c.problem, options);
}

}  // namespace

GemmConfiguration run_in_emulator(GemmCase& c, const KernelChoice& choice, hw::Arch arch) {
  const GemmConfiguration configuration = configured(c, Backend::emulator, choice, arch);
  LaunchControl control;
  control.check = true;
  const GemmReport report = launch(c.problem, configuration, {c.a_data(), c.b_data(), c.d_data()}, control);
  for (const emu::Finding& finding : report.findings) throw std::runtime_error(to_string(finding));
  for (const emu::UninitialisedRead& read : report.uninitialised_reads) throw std::runtime_error(to_string(read));
  return configuration;
}

GemmConfiguration run_on_gpu(GemmCase& c, const KernelChoice& choice) {
  enter_context();
  const GemmConfiguration configuration = configured(c, Backend::cuda, choice, std::nullopt);
  const DeviceCopy a(c.a);
  const DeviceCopy b(c.b);
  const DeviceCopy d(c.d);
  launch(c.problem, configuration,
         {a.element(c.a_offset), b.element(c.b_offset), d.element(guard_elements + c.d_offset)});
  d.read_back(c.d);
  return configuration;
}

std::string gpu_obstacle() {
  cuda::Obstacle obstacle;
  return cuda::devices(obstacle).empty() ? obstacle.text : "";
}

GpuInfo gpu_info() {
  cuda::Obstacle obstacle;
  const cuda::Device device = cuda::devices(obstacle).at(0);
  return {device.name, device.arch, cuda::driver_version()};
}

}  // namespace tileloom::test
