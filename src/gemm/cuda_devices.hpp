// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, and which one a launch takes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gemm/cuda_driver.hpp"
#include "tileloom/hw/arch.hpp"

namespace tileloom::cuda {

struct Device {
  CUdevice handle = 0;
  std::string name;
  hw::Arch arch;
  std::size_t memory_bytes = 0;
  int multiprocessors = 0;
};

// All of them; empty with `obstacle` filled where there is none.
[[nodiscard]] std::vector<Device> devices(Obstacle& obstacle);

// What does not change while the process lives: the driver is asked once.
[[nodiscard]] const Device& facts(CUdevice handle);

// The GPU that a launch would take: the current context's, or the first. nullopt with `obstacle` filled where there is
// none.
[[nodiscard]] std::optional<CUdevice> usable_device(Obstacle& obstacle);

// `13.0`: the CUDA version that the driver supports; empty without a driver.
[[nodiscard]] std::string driver_version();

}  // namespace tileloom::cuda
