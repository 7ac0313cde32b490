// SPDX-License-Identifier: Apache-2.0
// Micro-kernels: one for each form of each instruction. The emulator and a GPU run the same text on the same inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tileloom::emu::test {

inline constexpr unsigned micro_threads = 128;  // of a CTA
inline constexpr unsigned micro_ctas = 8;
inline constexpr unsigned micro_inputs = 6;  // 64-bit words of a thread
inline constexpr unsigned micro_cell = 64;   // bytes of scratch memory of a thread

// How far a result may be from the GPU's.
struct Tolerance {
  double ulps = 0;      // 0: every bit is the same
  double absolute = 0;  // or closer than this
};

// The inputs are in registers: %d1 ... %d6 all 64 bits of them, and of a kind narrower than that %r1 or %h1 the low
// ones, %p1 whether the number is odd. %t is the thread of the CTA, %d28 its cell of scratch memory, %d30 its inputs.
struct MicroCase {
  std::string name;                  // the form of the instruction
  std::string body;                  // instructions
  std::vector<std::string> results;  // registers; of %p, %h, %r and %d 1, 16, 32 and 64 bits are compared
  std::vector<std::string> inputs;   // the kinds of the inputs, see micro_inputs.cpp
  std::string head;                  // before the kernel
  Tolerance tolerance;
};

// All forms, whether or not the emulator and NVIDIA's compiler have them.
[[nodiscard]] std::vector<MicroCase> micro_cases();

[[nodiscard]] std::string micro_symbol(const MicroCase& c);  // the kernel's name
[[nodiscard]] std::string micro_ptx(const MicroCase& c);     // a module with kernel (in, out, scratch)
[[nodiscard]] unsigned register_bits(const std::string& name);
// Inputs of all threads, `micro_inputs` words each: the same always for a name.
[[nodiscard]] std::vector<std::uint64_t> micro_values(const MicroCase& c);

// The lists that micro_cases() joins.
void add_integer_cases(std::vector<MicroCase>& to);
void add_bit_cases(std::vector<MicroCase>& to);
void add_real_cases(std::vector<MicroCase>& to);
void add_half_cases(std::vector<MicroCase>& to);
void add_compare_cases(std::vector<MicroCase>& to);
void add_convert_cases(std::vector<MicroCase>& to);
void add_move_cases(std::vector<MicroCase>& to);
void add_memory_cases(std::vector<MicroCase>& to);
void add_atomic_cases(std::vector<MicroCase>& to);
void add_warp_cases(std::vector<MicroCase>& to);
void add_matrix_cases(std::vector<MicroCase>& to);
void add_control_cases(std::vector<MicroCase>& to);

// -- For the lists.
using Words = std::vector<std::string>;
// The register of input or result `i` of a type or kind: `%r1`.
[[nodiscard]] std::string reg(const std::string& type, unsigned i);
// `opcode d, a, b, ... tail;`
[[nodiscard]] MicroCase plain_case(const std::string& opcode, const std::string& result, const Words& operands,
                                   const std::string& tail = "");
// All ways to take one word of each list, joined.
[[nodiscard]] Words product(const std::vector<Words>& lists);

}  // namespace tileloom::emu::test
