// SPDX-License-Identifier: Apache-2.0
#include "emu/isa/function_decoder.hpp"

#include <cstring>

#include "emu/isa/instruction.hpp"
#include "emu/machine/address.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

constexpr std::uint32_t max_constant_bytes = 1U << 29;

std::uint32_t add_constant(std::vector<std::byte>& constants, RegisterClass c, std::uint64_t bits) {
  const auto at = static_cast<std::uint32_t>(constants.size());
  const std::uint32_t bytes = bytes_of(RegisterClass::wide);  // keeps every constant 64-bit aligned
  if (at > max_constant_bytes) throw Error(ErrorKind::bad_input, "more than 512 MiB of constants");
  constants.resize(at + bytes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (c == RegisterClass::wide) {
      std::memcpy(constants.data() + at + 8 * lane, &bits, 8);
    } else {
      const auto word = static_cast<std::uint32_t>(c == RegisterClass::predicate ? (bits != 0 ? all_lanes : 0) : bits);
      std::memcpy(constants.data() + at + 4 * lane, &word, 4);
    }
  }
  return at;
}

}  // namespace

FunctionDecoder::FunctionDecoder(ModuleContext& module, std::uint32_t function)
    : module_(module), source_(module.module.functions[function]), code_(module.program.functions[function]) {
  for (const ptx::Register& r : source_.registers) classes_.push_back(class_of(r.type));
  for (const ptx::Label& label : source_.labels) labels_[label.name].push_back(&label);
}

Slot FunctionDecoder::temporary(RegisterClass c) {
  classes_.push_back(c);
  return {Slot::Area::unplaced, static_cast<std::uint32_t>(classes_.size() - 1)};
}

Slot FunctionDecoder::carry() {
  if (!carry_.used()) carry_ = temporary(RegisterClass::predicate);
  return carry_;
}

Slot FunctionDecoder::constant(RegisterClass c, std::uint64_t bits) {
  const auto [at, fresh] = module_.constant_at.try_emplace({static_cast<int>(c), bits}, 0);
  if (fresh) at->second = add_constant(module_.program.constants, c, bits);
  return {Slot::Area::constant, at->second};
}

bool FunctionDecoder::is_local(std::uint32_t variable) const {
  const ptx::Variable& v = module_.module.variables[variable];
  return v.space == ptx::Space::local || (v.space == ptx::Space::param && !kernel_parameter(variable));
}

Slot FunctionDecoder::variable_address(const ptx::Variable& v, std::uint32_t id, std::int64_t addend, RegisterClass c) {
  switch (v.space) {
    case ptx::Space::shared: {
      auto& known = module_.shared_at[c == RegisterClass::wide ? 1 : 0];
      const auto [at, fresh] = known.try_emplace({id, addend}, 0);
      if (fresh) {
        at->second = add_constant(module_.program.constants, c, 0);
        module_.program.launch_constants.push_back({at->second, c == RegisterClass::wide, id, addend});
      }
      code_.shared_variables.push_back(id);
      return {Slot::Area::constant, at->second};
    }
    case ptx::Space::local:
      return {Slot::Area::frame, local_base_marker};
    case ptx::Space::param:
      if (!kernel_parameter(id)) return {Slot::Area::frame, local_base_marker};
      return constant(c, module_.variable_offset[id] + static_cast<std::uint64_t>(addend));
    default:
      return constant(c, buffer_base(first_variable_region + id) + static_cast<std::uint64_t>(addend));
  }
}

const ptx::Label* FunctionDecoder::find_label(std::uint32_t scope, const std::string& name, bool table) const {
  const auto found = labels_.find(name);
  if (found == labels_.end()) return nullptr;
  for (; scope != ptx::none; scope = source_.scope_parent[scope]) {
    for (const ptx::Label* label : found->second) {
      if (label->scope == scope && label->targets.empty() != table) return label;
    }
  }
  return nullptr;
}

std::uint32_t FunctionDecoder::label(const ptx::Instruction& from, const std::string& name) const {
  const ptx::Label* found = find_label(from.scope, name, false);
  if (found == nullptr) {
    throw Error(ErrorKind::bad_input,
                name_of_file() + ":" + std::to_string(from.line) + ": label '" + name + "' is not declared");
  }
  return found->instruction;
}

const ptx::Label& FunctionDecoder::branch_targets(const ptx::Instruction& from, const std::string& name) const {
  const ptx::Label* found = find_label(from.scope, name, true);
  if (found == nullptr) {
    throw Error(ErrorKind::bad_input, name_of_file() + ":" + std::to_string(from.line) + ": '" + name +
                                          "' is not declared as .branchtargets");
  }
  return *found;
}

std::uint32_t FunctionDecoder::function_id(const std::string& name) const {
  const auto found = module_.function_ids.find(name);
  return found == module_.function_ids.end() ? ptx::none : found->second;
}

void FunctionDecoder::add(const Op& op, const ptx::Instruction& from) {
  const auto [opcode, fresh] =
      module_.opcode_ids.try_emplace(from.opcode(), static_cast<std::uint32_t>(module_.program.opcodes.size()));
  if (fresh) module_.program.opcodes.push_back(opcode->first);
  module_.program.ops.push_back(op);
  module_.program.sources.push_back({from.line, from.location, opcode->second});
}

void FunctionDecoder::remember_product(Slot d, const ptx::Instruction& from) {
  products_[d.value()] = from.line;
}

void FunctionDecoder::check_contraction(Slot operand, const ptx::Instruction& from) {
  if (operand.area() != Slot::Area::unplaced || !products_.contains(operand.value())) return;
  if (contractions_++ == 0) first_contraction_ = from.line;
}

void FunctionDecoder::note_approximation(const ptx::Instruction& from) {
  if (approximations_++ > 0) return;
  first_approximation_ = from.line;
  first_approximate_opcode_ = from.opcode();
}

void FunctionDecoder::finish_warnings() {
  const auto count = [](std::uint32_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  if (contractions_ > 0) {
    code_.warnings.push_back(name_of_file() + ":" + std::to_string(first_contraction_) + ": " +
                             count(contractions_, "sum") + " of a product without explicit rounding in " +
                             source_.name +
                             ", the first here: ptxas may contract them to fma, and a GPU's last bits may differ");
  }
  if (approximations_ > 0) {
    code_.warnings.push_back(name_of_file() + ":" + std::to_string(first_approximation_) + ": " +
                             count(approximations_, "approximate instruction") + " in " + source_.name +
                             ", the first " + first_approximate_opcode_ +
                             ": a GPU's last bits differ from the emulator's");
  }
}

void FunctionDecoder::decode_instruction(const ptx::Instruction& instruction) {
  Instr in(*this, instruction);
  const DecodeEntry* entry = find_entry(instruction);
  if (entry == nullptr) in.fail_unsupported();
  entry->decode(in);
}

void FunctionDecoder::decode() {
  Program& program = module_.program;
  const auto first = static_cast<std::uint32_t>(program.ops.size());
  code_.first = first;
  const std::size_t first_target = program.targets.size();
  for (const ptx::Instruction& instruction : source_.code) {
    op_of_instruction_.push_back(static_cast<std::uint32_t>(program.ops.size()));
    decode_instruction(instruction);
  }
  op_of_instruction_.push_back(static_cast<std::uint32_t>(program.ops.size()));
  ptx::Instruction end;  // running off the end of a function returns from it
  end.root = "ret";
  end.line = source_.code.empty() ? source_.line : source_.code.back().line;
  end.location = source_.code.empty() ? ptx::none : source_.code.back().location;
  decode_instruction(end);
  resolve_targets(first);
  for (std::size_t t = first_target; t < program.targets.size(); ++t) {
    program.targets[t] = op_of_instruction_[program.targets[t]];
  }
  module_.grow_frame(
      allocate_registers(std::span(program.ops).subspan(first), first, program.lists, program.targets, classes_));
  finish_warnings();
}

// Branches were decoded with the number of an instruction; from here on it is the number of an op.
void FunctionDecoder::resolve_targets(std::uint32_t first) {
  for (std::size_t i = first; i < module_.program.ops.size(); ++i) {
    Op& op = module_.program.ops[i];
    if (op.kind == Op::Kind::branch) op.target = op_of_instruction_[op.target];
  }
}

}  // namespace tileloom::emu
