// SPDX-License-Identifier: Apache-2.0
// Decodes one function's instructions into ops with virtual registers.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emu/machine/program.hpp"
#include "emu/machine/regalloc.hpp"

namespace tileloom::emu {

// What the functions of a module share while they are decoded.
struct ModuleContext {
  ModuleContext(Program& p, const ptx::Module& m)
      : program(p), module(m), variable_offset(m.variables.size()), kernel_parameter(m.variables.size()) {}

  Program& program;
  const ptx::Module& module;
  std::unordered_map<std::string, std::uint32_t> function_ids;
  std::unordered_map<std::string, std::uint32_t> opcode_ids;
  std::map<std::pair<int, std::uint64_t>, std::uint32_t> constant_at;            // (register class, bits)
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> shared_at[2];  // (variable, addend), by width
  std::vector<std::uint32_t> variable_offset;  // of param and local variables: in their frame or parameter bytes
  std::vector<bool> kernel_parameter;          // by variable
  std::vector<std::uint32_t> pointed_at;       // functions whose address the module takes
  FrameSize frame;                             // the largest of each class

  void grow_frame(const FrameSize& size) {
    frame.wide = std::max(frame.wide, size.wide);
    frame.word = std::max(frame.word, size.word);
    frame.predicate = std::max(frame.predicate, size.predicate);
  }
};

// Of a thread, on every architecture (CUDA C++ Programming Guide, technical specifications per compute capability).
inline constexpr std::uint64_t max_local_bytes = 512 * 1024;

// The frame slot of the lanes' local memory frame pointers, before slots become byte offsets.
inline constexpr std::uint32_t local_base_marker = 0x3FFF'FFFF;

class FunctionDecoder {
 public:
  FunctionDecoder(ModuleContext& module, std::uint32_t function);
  // Appends the ops to the program and allocates their registers.
  void decode();

  [[nodiscard]] const ptx::Function& source() const { return source_; }
  [[nodiscard]] ModuleContext& module() { return module_; }
  [[nodiscard]] FunctionCode& code() { return code_; }
  [[nodiscard]] std::string name_of_file() const { return module_.module.name; }

  [[nodiscard]] Slot register_slot(std::uint32_t id) const { return {Slot::Area::unplaced, id}; }
  [[nodiscard]] Slot temporary(RegisterClass c);
  [[nodiscard]] Slot carry();
  [[nodiscard]] Slot constant(RegisterClass c, std::uint64_t bits);
  // Lane addresses of a variable in its own space, 64-bit lanes, without frame offset for local ones (see is_local).
  [[nodiscard]] Slot variable_address(const ptx::Variable& v, std::uint32_t id, std::int64_t addend, RegisterClass c);
  // In the lanes' local memory: `.local` variables and the parameters of calls.
  [[nodiscard]] bool is_local(std::uint32_t variable) const;
  [[nodiscard]] bool kernel_parameter(std::uint32_t variable) const { return module_.kernel_parameter[variable]; }
  [[nodiscard]] std::uint32_t label(const ptx::Instruction& from, const std::string& name) const;  // instruction
  [[nodiscard]] const ptx::Label& branch_targets(const ptx::Instruction& from, const std::string& name) const;
  [[nodiscard]] std::uint32_t function_id(const std::string& name) const;  // none when there is none

  void add(const Op& op, const ptx::Instruction& from);
  void remember_product(Slot d, const ptx::Instruction& from);
  void check_contraction(Slot operand, const ptx::Instruction& from);
  void note_approximation(const ptx::Instruction& from);

 private:
  void decode_instruction(const ptx::Instruction& instruction);
  void resolve_targets(std::uint32_t first);
  void finish_warnings();
  [[nodiscard]] const ptx::Label* find_label(std::uint32_t scope, const std::string& name, bool table) const;

  ModuleContext& module_;
  const ptx::Function& source_;
  FunctionCode& code_;
  std::vector<RegisterClass> classes_;  // of virtual registers
  std::vector<std::uint32_t> op_of_instruction_;
  std::unordered_map<std::string, std::vector<const ptx::Label*>> labels_;
  Slot carry_;
  std::unordered_map<std::uint32_t, std::uint32_t> products_;  // register of an unrounded product -> its line
  std::uint32_t contractions_ = 0, first_contraction_ = 0;
  std::uint32_t approximations_ = 0, first_approximation_ = 0;
  std::string first_approximate_opcode_;
};

}  // namespace tileloom::emu
