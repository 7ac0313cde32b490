// SPDX-License-Identifier: Apache-2.0
// What a launch executed and what its memory accesses cost, instruction by instruction: the numbers of Nsight Compute's
// source page, from the addresses of the run and the rules of tileloom/hw/memory_cost.hpp.
//
//   emu::LaunchReport report = emu::launch(module, "k", {.grid = ..., .block = ..., .count = true}, ...);
//   for (const emu::LineCount& line : emu::by_line(*report.counters)) ... line.shared.wavefronts_high ...
//
// Counts are sums over the warps and CTAs of the launch and do not depend on how host threads ran them. Not counted:
// local memory, constants, parameters, caches beyond sectors, and what ptxas makes of an instruction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/emu/finding.hpp"

namespace tileloom::emu {

// Accesses of shared memory.
struct SharedCount {
  std::uint64_t requests = 0;        // warp instructions with at least one lane in shared memory
  std::uint64_t wavefronts_low = 0;  // they cost at least so many
  std::uint64_t wavefronts_high = 0;
  // What Nsight Compute shows: wavefronts_high, but more of copies whose source size is a run-time operand
  // (hw::profiled_sized_copy).
  std::uint64_t profiled = 0;
  std::uint64_t ideal = 0;                     // the same instructions with no conflict
  std::uint64_t bytes = 0;                     // that lanes read or wrote; of ldmatrix and stmatrix whole rows
  std::array<std::uint64_t, 32> bank_words{};  // distinct words of each bank, summed over requests
  bool exact = true;                           // low = high, by rules that measurements settle

  SharedCount& operator+=(const SharedCount& other);
  bool operator==(const SharedCount&) const = default;
};

// Accesses of global memory.
struct GlobalCount {
  std::uint64_t requests = 0;       // warp instructions with at least one lane in global memory
  std::uint64_t sectors = 0;        // distinct 32-byte blocks of each request
  std::uint64_t ideal_sectors = 0;  // distinct bytes of each request / 32, rounded up
  std::uint64_t bytes = 0;          // that lanes read or wrote

  GlobalCount& operator+=(const GlobalCount& other);
  bool operator==(const GlobalCount&) const = default;
};

// How an instruction reaches memory.
enum class AccessClass : std::uint8_t { none, load, store, ldmatrix, stmatrix, cp_async, atomic };

// `ld`, `st`, `ldmatrix`, `stmatrix`, `cp.async`, `atomic`; `other` of none.
[[nodiscard]] std::string_view to_string(AccessClass access);

// One PTX instruction. One that the launch did not reach has no count.
struct InstructionCount {
  InstructionPlace at;
  AccessClass access = AccessClass::none;
  std::uint64_t executions = 0;  // by a warp, or by a part of one where lanes diverge; predicated-off ones too
  std::uint64_t lanes = 0;       // that executed it: in the group and not predicated off
  SharedCount shared;
  GlobalCount global;
};

struct Counters {
  std::vector<InstructionCount> instructions;  // that were executed, in the order of the module
};

// The instructions of one source line; of PTX without `.loc` a PTX line.
struct LineCount {
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::string> opcodes;  // of its accesses of memory, each once, in the order of the module
  std::uint32_t instructions = 0;    // PTX instructions
  std::uint64_t executions = 0, lanes = 0;
  SharedCount shared;
  GlobalCount global;
};

// By file, then line.
[[nodiscard]] std::vector<LineCount> by_line(const Counters& counters);

// All instructions that reach memory in one way. Generic loads and stores count where they went, those that went to
// both memories apart.
struct ClassCount {
  std::string name;  // `ld.shared`, `st.global`, `cp.async`, `ldmatrix`, `other`
  AccessClass access = AccessClass::none;
  std::uint64_t executions = 0, lanes = 0;
  SharedCount shared;
  GlobalCount global;
};

// In the order of AccessClass, `other` last; only those that were executed.
[[nodiscard]] std::vector<ClassCount> by_class(const Counters& counters);

}  // namespace tileloom::emu
