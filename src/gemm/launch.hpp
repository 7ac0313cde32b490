// SPDX-License-Identifier: Apache-2.0
// What both backends need to launch a kernel.
#pragma once

#include <cstdint>

#include "gemm/plan.hpp"
#include "kernels/instances.hpp"
#include "kernels/params.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::gemm {

[[nodiscard]] kernels::GemmParams kernel_params(const GemmProblem& problem, const Plan& plan,
                                                const GemmOperands& operands);

// CTAs that the kernel needs; throws StatusError(cannot_run) when they exceed CUDA's largest grid.
[[nodiscard]] std::uint32_t checked_grid(const kernels::KernelInstance& instance, const GemmProblem& problem);

}  // namespace tileloom::gemm
