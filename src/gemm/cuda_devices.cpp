// SPDX-License-Identifier: Apache-2.0
#include "gemm/cuda_devices.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>

#include "gemm/cuda_context.hpp"

namespace tileloom::cuda {
namespace {

Device describe_device(CUdevice handle) {
  Device device;
  device.handle = handle;
  std::array<char, 256> name{};
  require(driver().device_name(name.data(), static_cast<int>(name.size()) - 1, handle), "reading the GPU's name");
  require(driver().device_memory(&device.memory_bytes, handle), "reading the GPU's memory size");
  device.name = name.data();
  device.arch = hw::Arch{10 * attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
  device.multiprocessors = attribute(handle, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return device;
}

// 0 with `obstacle` filled where there is none.
int device_count(Obstacle& obstacle) {
  const Driver* found = find_driver(obstacle);
  int count = 0;
  if (found != nullptr) {
    require(found->device_count(&count), "counting the GPUs");
    if (count == 0) {
      obstacle = {"the driver sees no GPU", "see what nvidia-smi says and whether CUDA_VISIBLE_DEVICES is empty"};
    }
  }
  return count;
}

}  // namespace

const Device& facts(CUdevice handle) {
  static std::mutex mutex;
  static std::map<CUdevice, Device> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(handle);
  return found != known.end() ? found->second : known.emplace(handle, describe_device(handle)).first->second;
}

std::vector<Device> devices(Obstacle& obstacle) {
  std::vector<Device> found;
  const int count = device_count(obstacle);
  found.reserve(static_cast<std::size_t>(count));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    found.push_back(describe_device(device_at(ordinal)));
  }
  return found;
}

std::optional<CUdevice> usable_device(Obstacle& obstacle) {
  if (device_count(obstacle) == 0) {
    return std::nullopt;
  }
  return chosen_device();
}

std::string driver_version() {
  Obstacle obstacle;
  int version = 0;
  const Driver* found = find_driver(obstacle);
  if (found == nullptr || found->driver_version(&version) != CUDA_SUCCESS) {
    return "";
  }
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace tileloom::cuda
