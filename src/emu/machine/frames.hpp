// SPDX-License-Identifier: Apache-2.0
// Call frames: registers of each depth, and each lane's stack in local memory.
#pragma once

#include "emu/machine/program.hpp"
#include "emu/machine/warp.hpp"

namespace tileloom::emu {

// Starts the lanes of `mask` in the kernel's frame.
void enter_kernel(Warp& w, const Program& program, const FunctionCode& kernel);
// Moves the lanes one call deeper, with their arguments; `call` is one of Program::calls, `pc` its op. Throws
// Error(check_failed) when the stack is too deep or the function has no body.
void enter_call(Warp& w, const Program& program, std::uint32_t call, std::uint32_t mask, std::uint32_t pc);
// Which of an indirect call's calls the lane makes. Throws Error(check_failed) when its address is of none of them.
[[nodiscard]] std::uint32_t called_at(const Warp& w, const Program& program, const Op& op, unsigned lane);
// Moves one lane back to its caller, with the results; returns where it goes on.
[[nodiscard]] std::uint32_t leave_call(Warp& w, const Program& program, unsigned lane);

}  // namespace tileloom::emu
