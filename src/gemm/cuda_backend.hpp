// SPDX-License-Identifier: Apache-2.0
// Backend `cuda`: the shipped kernels on a GPU, through the driver.
#pragma once

#include <optional>

#include "gemm/cuda_devices.hpp"
#include "gemm/plan.hpp"
#include "tileloom/gemm.h"
#include "tileloom/gemm.hpp"

namespace tileloom::cuda {

// Loads the kernel for the current context's GPU, or the first GPU without one, and gives that GPU. nullptr with
// `obstacle` and `status` filled where it is not `wanted`, has no image, or there is none.
[[nodiscard]] const Device* prepare(const kernels::KernelInstance& instance, std::optional<hw::Arch> wanted,
                                    Obstacle& obstacle, tileloom_status& status);

// Operands in device memory of the plan's GPU, whose context is current, or none is; enqueues and returns. The problem
// and operands are checked and not empty.
void launch(const GemmProblem& problem, const gemm::Plan& plan, const GemmOperands& operands, void* stream);

// Operands in host memory; returns when D is there.
void launch_host(const GemmProblem& problem, const gemm::Plan& plan, const GemmOperands& operands, void* stream);

}  // namespace tileloom::cuda
