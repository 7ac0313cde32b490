// SPDX-License-Identifier: Apache-2.0
// The shipped kernels in the driver: loaded on first use, kept until the process ends.
#pragma once

#include <cstdint>
#include <string>

#include "gemm/cuda_driver.hpp"
#include "kernels/instances.hpp"

namespace tileloom::cuda {

// Whether this build has an image that the arch can run.
[[nodiscard]] bool has_image(const kernels::KernelInstance& instance, hw::Arch arch);

// `machine code`, `PTX compute_80, compiled by the driver`. Precondition: has_image.
[[nodiscard]] std::string image_name(const kernels::KernelInstance& instance, hw::Arch arch);

// Loads the instance's entry for wide or for narrow copies; nullptr with `result` filled when the driver refuses it. A
// loaded kernel serves every context. While a stream is captured too. Precondition: has_image.
[[nodiscard]] CUkernel find_kernel(const kernels::KernelInstance& instance, hw::Arch arch, bool narrow,
                                   CUresult& result);

// Lets the kernel have that many bytes of dynamic shared memory on the GPU, or more.
[[nodiscard]] CUresult allow_shared_bytes(CUkernel kernel, CUdevice device, std::uint32_t bytes);

}  // namespace tileloom::cuda
