// SPDX-License-Identifier: Apache-2.0
// Backend `emulator`: the shipped kernels' PTX on the CPU.
#pragma once

#include "gemm/plan.hpp"
#include "kernels/instances.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::gemm {

// The target of the PTX that runs on the arch. Throws StatusError(cannot_run) where the kernel has none.
[[nodiscard]] hw::Arch emulator_target(const kernels::KernelInstance& instance, hw::Arch arch);

// Operands in host memory. The problem and operands are checked and not empty.
void launch_on_emulator(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                        const LaunchControl& control, GemmReport& report);

}  // namespace tileloom::gemm
