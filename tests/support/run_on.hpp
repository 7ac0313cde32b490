// SPDX-License-Identifier: Apache-2.0
// Runs a case in the emulator or on this machine's GPU. On the GPU all of D's allocation travels, guards included, so
// that a write outside D is seen.
#pragma once

#include <optional>
#include <string>

#include "kernels/instances.hpp"
#include "support/gemm_case.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::test {

// A kernel and what a launch may choose; 0 and empty: its defaults.
struct KernelChoice {
  std::string kernel;
  int stages = 0;
  std::optional<std::uint32_t> raster_width = std::nullopt;
};

// The configuration that ran; throws Error like configure. In the emulator with all checks on: a finding is thrown too.
GemmConfiguration run_in_emulator(GemmCase& c, const KernelChoice& choice, hw::Arch arch);
GemmConfiguration run_on_gpu(GemmCase& c, const KernelChoice& choice);

// Why no GPU is usable here; empty where one is.
std::string gpu_obstacle();

struct GpuInfo {
  std::string name;
  hw::Arch arch;
  std::string driver;  // the CUDA version that it supports
};
GpuInfo gpu_info();

}  // namespace tileloom::test
