// SPDX-License-Identifier: Apache-2.0
// Backend `cuda`: the shipped kernels on a GPU, through the driver.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gemm/cuda_driver.hpp"
#include "kernels/instances.hpp"
#include "tileloom/gemm.h"
#include "tileloom/gemm.hpp"

namespace tileloom::cuda {

struct Device {
  CUdevice handle = 0;
  std::string name;
  hw::Arch arch;
  std::size_t memory_bytes = 0;
  int multiprocessors = 0;
};

// All GPUs of this machine; empty with `obstacle` filled where there is none.
[[nodiscard]] std::vector<Device> devices(Obstacle& obstacle);

// The GPU that a launch would take: the current context's, or the first. nullopt where there is none.
[[nodiscard]] std::optional<Device> current_device();

// `13.0`: the CUDA version that the driver supports; empty without a driver.
[[nodiscard]] std::string driver_version();

// A kernel that is loaded and can be launched.
struct Ready {
  Device device;
  std::string image;
};

// Loads the kernel for the current context's GPU, or the first GPU without one. nullopt with `obstacle` and `status`
// filled where that GPU is not `wanted`, has no image, or there is none.
[[nodiscard]] std::optional<Ready> prepare(const kernels::KernelInstance& instance, std::optional<hw::Arch> wanted,
                                           Obstacle& obstacle, tileloom_status& status);

// Operands in device memory; enqueues and returns. The problem and operands are checked and not empty.
void launch(const kernels::KernelInstance& instance, const GemmProblem& problem, const GemmConfiguration& configuration,
            const GemmOperands& operands, void* stream);

// Operands in host memory; returns when D is there.
void launch_host(const kernels::KernelInstance& instance, const GemmProblem& problem,
                 const GemmConfiguration& configuration, const GemmOperands& operands, void* stream);

}  // namespace tileloom::cuda
