// SPDX-License-Identifier: Apache-2.0
#include "bench/monitor.hpp"

#include <algorithm>
#include <array>

#include "bench/statistics.hpp"
#include "gemm/cuda_context.hpp"
#include "gemm/dynamic_library.hpp"

// NOLINTBEGIN(clang-analyzer-core.CallAndMessage): a function that the library lacks is an error of load()
namespace tileloom::bench {
namespace {

using Status = int;
using Handle = struct nvmlDevice_st*;
constexpr int NVML_CLOCK_SM = 1;

// The few functions of nvml.h that are used; names are NVIDIA's.
struct Functions {
  Status (*init)() = nullptr;
  Status (*handle)(const char* bus_id, Handle* device) = nullptr;
  Status (*clock)(Handle device, int type, unsigned* mhz) = nullptr;
  Status (*power)(Handle device, unsigned* milliwatts) = nullptr;
  Status (*driver_version)(char* text, unsigned length) = nullptr;
};

std::optional<Functions> load() {
  cuda::DynamicLibrary library({"libnvidia-ml.so.1"});
  if (!library.found()) {
    return std::nullopt;
  }
  Functions f;
  f.init = library.find("nvmlInit_v2");
  f.handle = library.find("nvmlDeviceGetHandleByPciBusId_v2");
  f.clock = library.find("nvmlDeviceGetClockInfo");
  f.power = library.find("nvmlDeviceGetPowerUsage");
  f.driver_version = library.find("nvmlSystemGetDriverVersion");
  return library.missing().empty() && f.init() == 0 ? std::optional(f) : std::nullopt;
}

}  // namespace

std::optional<double> median_of(const std::vector<GpuState>& states, double GpuState::*field) {
  if (states.empty()) {
    return std::nullopt;
  }
  std::vector<double> values;
  std::ranges::transform(states, std::back_inserter(values), field);
  return summarise(std::move(values)).median;
}

struct Monitor::Impl {
  Functions functions;
  Handle device = nullptr;
};

Monitor::Monitor(cuda::CUdevice device) {
  static const std::optional<Functions> functions = load();
  std::array<char, 64> bus_id{};
  Handle handle = nullptr;
  if (functions && cuda::driver().bus_id(bus_id.data(), bus_id.size() - 1, device) == cuda::CUDA_SUCCESS &&
      functions->handle(bus_id.data(), &handle) == 0) {
    impl_ = std::make_unique<Impl>(Impl{*functions, handle});
  }
}

Monitor::Monitor(Monitor&&) noexcept = default;
Monitor& Monitor::operator=(Monitor&&) noexcept = default;
Monitor::~Monitor() = default;

std::optional<GpuState> Monitor::read() const {
  unsigned mhz = 0;
  unsigned milliwatts = 0;
  if (!impl_ || impl_->functions.clock(impl_->device, NVML_CLOCK_SM, &mhz) != 0 ||
      impl_->functions.power(impl_->device, &milliwatts) != 0) {
    return std::nullopt;
  }
  return GpuState{static_cast<double>(mhz), milliwatts * 1e-3};
}

std::string Monitor::driver() const {
  std::array<char, 96> text{};
  const bool known = impl_ && impl_->functions.driver_version(text.data(), text.size() - 1) == 0;
  return known ? text.data() : "";
}

}  // namespace tileloom::bench
// NOLINTEND(clang-analyzer-core.CallAndMessage)
