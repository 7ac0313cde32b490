// SPDX-License-Identifier: Apache-2.0
// Call frames: registers of each depth, and each lane's stack in local memory.
#pragma once

#include "emu/machine/program.hpp"
#include "emu/machine/warp.hpp"

namespace tileloom::emu {

// Starts the lanes of `mask` in the kernel's frame.
void enter_kernel(Warp& w, const Program& program, const FunctionCode& kernel);
// Moves the lanes one call deeper, with their arguments; `pc` is the call. Throws Error(check_failed) when the stack is
// too deep.
void enter_call(Warp& w, const Program& program, const Call& call, std::uint32_t mask, std::uint32_t pc);
// Moves one lane back to its caller, with the results; returns where it goes on.
[[nodiscard]] std::uint32_t leave_call(Warp& w, const Program& program, unsigned lane);

}  // namespace tileloom::emu
