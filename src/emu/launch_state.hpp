// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emu/machine/cta.hpp"
#include "emu/machine/program.hpp"

namespace tileloom::emu {

// Checks the launch against the kernel and the architecture, and fills in what its CTAs share. Module variables start
// from their initial values at each launch.
void prepare_launch(LaunchState& state, const Module& module, const Kernel& kernel, const LaunchOptions& options,
                    std::span<const std::byte> parameters, Memory& memory);

[[nodiscard]] std::vector<std::string> launch_warnings(const LaunchState& state);

// Functions that a kernel can reach, itself included.
[[nodiscard]] std::vector<std::uint32_t> reachable_functions(const Program& program, std::uint32_t entry);

// Addresses of the shared variables that a kernel uses, in the order of declaration; dynamic shared memory follows the
// static variables.
struct SharedLayout {
  std::vector<std::uint64_t> address;  // by variable
  std::uint64_t static_bytes = 0;
};
[[nodiscard]] SharedLayout lay_out_shared(const Program& program, std::uint32_t entry);

}  // namespace tileloom::emu
