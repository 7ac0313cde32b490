// SPDX-License-Identifier: Apache-2.0
// A decoded module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emu/machine/op.hpp"
#include "emu/ptx/ast.hpp"
#include "tileloom/emu/emulator.hpp"
#include "tileloom/emu/finding.hpp"

namespace tileloom::emu {

// What an op came from, for messages.
struct OpSource {
  std::uint32_t line = 0;              // of the PTX
  std::uint32_t location = ptx::none;  // into ptx::Module::locations
  std::uint32_t opcode = 0;            // into Program::opcodes
};

struct FunctionCode {
  std::string name;
  bool entry = false;
  bool defined = false;
  std::uint32_t first = 0;                      // op
  std::uint32_t local_bytes = 0;                // a lane's frame in local memory
  std::vector<std::uint32_t> callees;           // functions
  std::vector<std::uint32_t> shared_variables;  // named by its code
  std::vector<std::string> warnings;
};

// One copy of bytes between two frames of a lane's local memory.
struct ParameterCopy {
  std::uint32_t caller = 0, callee = 0, bytes = 0;
};

struct Call {
  std::uint32_t function = 0;
  std::vector<ParameterCopy> arguments, results;
};

// A constant whose value is known at launch: the address of a shared variable, which differs from kernel to kernel.
struct LaunchConstant {
  std::uint32_t at = 0;  // byte offset into the constants
  bool wide = false;
  std::uint32_t variable = 0;
  std::int64_t addend = 0;
};

struct Program {
  ptx::Module source;  // without its code
  std::vector<Kernel> kernels;
  std::vector<std::uint32_t> kernel_functions;  // for each kernel
  std::vector<Op> ops;
  std::vector<OpSource> sources;  // for each op
  std::vector<std::string> opcodes;
  std::vector<Slot> lists;
  std::vector<std::uint32_t> targets;
  std::vector<Call> calls;
  std::vector<FunctionCode> functions;
  std::vector<std::byte> constants;
  std::vector<LaunchConstant> launch_constants;
  std::uint32_t frame_bytes = 0;                // of registers, for one warp and call depth
  std::uint32_t word_at = 0, predicate_at = 0;  // in a frame: where 32-bit registers and predicates begin

  // `saxpy.cu:12 (saxpy.ptx:45)`, or `saxpy.ptx:45`: the innermost inlined place that is not a library header.
  [[nodiscard]] std::string place(std::uint32_t op) const;
  [[nodiscard]] InstructionPlace instruction_place(std::uint32_t op) const;
  // Of a slot in a frame.
  [[nodiscard]] RegisterClass class_of_slot(Slot slot) const {
    return slot.value() >= predicate_at ? RegisterClass::predicate
           : slot.value() >= word_at    ? RegisterClass::word
                                        : RegisterClass::wide;
  }
  [[nodiscard]] const std::string& opcode(std::uint32_t op) const { return opcodes[sources[op].opcode]; }
};

struct Module::Impl {
  Program program;
};

// Address of a module variable in generic space; see address.hpp.
}  // namespace tileloom::emu
