// SPDX-License-Identifier: Apache-2.0
// What is decided about a product, without words: cheap to make, to copy and to remember. configure() adds the words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm/cuda_driver.hpp"
#include "kernels/instances.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::gemm {

struct Plan {
  const kernels::KernelInstance* instance = nullptr;
  int stages = 0;
  std::uint32_t raster_width = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  Backend backend = Backend::emulator;  // never automatic
  hw::Arch arch = {};
  cuda::CUdevice device = 0;  // backend cuda
};

// The fields of a GemmConfiguration of the same names.
struct Words {
  std::string image;
  std::string device;
  std::vector<std::string> reasons;
  std::vector<std::string> runners_up;
};

// Chooses; throws what configure() throws. The problem is checked. Without `words` no text is made.
[[nodiscard]] Plan make_plan(const GemmProblem& problem, const GemmOptions& options, Words* words);

// The same, remembered by this thread for the GPU that is current: equal problems and options give it at the price of a
// comparison. Only plans for a GPU are remembered; emulation costs more than any choice.
[[nodiscard]] Plan remembered_plan(const GemmProblem& problem, const GemmOptions& options);

// As launch() and launch_host() with a configuration, which they turn into a plan. The problem and operands are
// checked.
GemmReport launch(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                  const LaunchControl& control);
GemmReport launch_host(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                       const LaunchControl& control);

}  // namespace tileloom::gemm
