// SPDX-License-Identifier: Apache-2.0
#include "emu/isa/instruction.hpp"

#include <algorithm>
#include <bit>

#include "emu/isa/function_decoder.hpp"
#include "emu/isa/special_registers.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {

using ptx::Operand;
using ptx::Type;

Instr::Instr(FunctionDecoder& function, const ptx::Instruction& source)
    : function_(function), source_(source), taken_(source.modifiers.size(), false) {}

void Instr::fail(const std::string& message) const {
  throw Error(ErrorKind::bad_input, function_.name_of_file() + ":" + std::to_string(source_.line) + ": " + message);
}

void Instr::fail_unsupported() const {
  fail("instruction '" + source_.opcode() + "' is not supported");
}

bool Instr::flag(std::string_view modifier) {
  return !one_of({modifier}).empty();
}

std::string_view Instr::one_of(std::initializer_list<std::string_view> modifiers) {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    for (const std::string_view m : modifiers) {
      if (source_.modifiers[i] == m) {
        taken_[i] = true;
        return m;
      }
    }
  }
  return {};
}

void Instr::ignore(std::initializer_list<std::string_view> modifiers) {
  while (!one_of(modifiers).empty()) {
  }
}

void Instr::ignore_prefix(std::string_view prefix) {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (source_.modifiers[i].starts_with(prefix)) taken_[i] = true;
  }
}

std::optional<Type> Instr::maybe_type() {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    if (const auto type = ptx::parse_type(source_.modifiers[i])) {
      taken_[i] = true;
      return type;
    }
  }
  return std::nullopt;
}

Type Instr::type() {
  const auto type = maybe_type();
  if (!type) fail_unsupported();
  return *type;
}

Type Instr::type(std::initializer_list<Type> allowed) {
  const Type found = type();
  if (std::find(allowed.begin(), allowed.end(), found) == allowed.end()) fail_unsupported();
  return found;
}

void Instr::expect_operands(std::size_t least, std::size_t most) const {
  const std::size_t found = source_.operands.size();
  if (found >= least && found <= most) return;
  const std::string expected =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  fail("'" + source_.opcode() + "' takes " + expected + " operands, found " + std::to_string(found));
}

void Instr::check_register(const Operand& operand, Type type, bool wider) const {
  const Type found = function_.source().registers[operand.id].type;
  const unsigned have = ptx::bits_of(found);
  const unsigned want = ptx::bits_of(type);
  if (have == 128) fail("register '" + operand.name + "': 128-bit registers are not supported");
  if (have == want || (wider && have > want && want > 1)) return;
  fail("'" + source_.opcode() + "': register '" + operand.name + "' is ." + std::string(name_of(found)) +
       ", expected " + (want == 1 ? "a predicate" : std::to_string(want) + " bits"));
}

std::uint64_t Instr::immediate_bits(const Operand& operand, Type type) const {
  const unsigned bits = ptx::bits_of(type);
  std::uint64_t value = operand.bits;
  if (operand.kind == Operand::Kind::f32 && bits == 64) {
    value = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
  } else if (operand.kind == Operand::Kind::f64 && bits == 32) {
    value = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
  } else if (operand.kind != Operand::Kind::integer && bits < 32) {
    fail("'" + source_.opcode() + "': a floating-point constant where " + std::to_string(bits) + " bits are expected");
  }
  return bits < 64 ? value & ((std::uint64_t{1} << bits) - 1) : value;
}

Slot Instr::read(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::reg:
      check_register(operand, type, false);
      return function_.register_slot(operand.id);
    case Operand::Kind::integer:
    case Operand::Kind::f32:
    case Operand::Kind::f64:
      return constant(type, immediate_bits(operand, type));
    case Operand::Kind::special:
      if (const auto special = find_special(operand.name); special && class_of(type) == RegisterClass::word) {
        return special_slot(*special);
      }
      fail("'" + source_.opcode() + "': special register '" + operand.name + "' is not supported here");
    default:
      fail("'" + source_.opcode() + "': expected a register or a constant" +
           (operand.name.empty() ? "" : ", found '" + operand.name + "'"));
  }
}

Slot Instr::read_predicate(std::size_t i, bool& negated) {
  negated = operand(i).negated;
  return read(i, Type::pred);
}

Slot Instr::read_wider(const Operand& operand, Type type, unsigned& register_bits) {
  register_bits = std::max(ptx::bits_of(type), 16U);
  if (operand.kind != Operand::Kind::reg) return read(operand, type);
  check_register(operand, type, true);
  register_bits = ptx::bits_of(function_.source().registers[operand.id].type);
  return function_.register_slot(operand.id);
}

Slot Instr::write(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::sink) return temporary(type);
  if (operand.kind != Operand::Kind::reg) {
    fail("'" + source_.opcode() + "': expected a register to write" +
         (operand.name.empty() ? "" : ", found '" + operand.name + "'"));
  }
  check_register(operand, type, false);
  return function_.register_slot(operand.id);
}

Slot Instr::write_wider(const Operand& operand, Type type, unsigned& register_bits) {
  register_bits = std::max(ptx::bits_of(type), 16U);
  if (operand.kind != Operand::Kind::reg) return write(operand, type);
  check_register(operand, type, true);
  register_bits = ptx::bits_of(function_.source().registers[operand.id].type);
  return function_.register_slot(operand.id);
}

void Instr::address(std::size_t i) {
  const Operand& at = operand(i);
  if (at.kind != Operand::Kind::address) fail("'" + source_.opcode() + "': expected an address in brackets");
  op.imm = at.offset;
  if (at.elements.empty()) {
    op.a = function_.constant(RegisterClass::wide, 0);
    return;
  }
  const Operand& base = at.elements[0];
  if (base.kind == Operand::Kind::variable) {
    const ptx::Variable& v = function_.module().module.variables[base.id];
    if (function_.is_local(base.id)) op.space = ptx::Space::local;
    op.a = function_.variable_address(v, base.id, 0, RegisterClass::wide);
    if (function_.is_local(base.id)) op.imm += function_.module().variable_offset[base.id];
    return;
  }
  if (op.space == ptx::Space::param && !function_.source().entry) op.space = ptx::Space::local;
  const Type type = function_.source().registers[base.id].type;
  if (ptx::bits_of(type) != 32 && ptx::bits_of(type) != 64) {
    fail("'" + source_.opcode() + "': the address register '" + base.name + "' is ." + std::string(name_of(type)) +
         ", expected 32 or 64 bits");
  }
  op.a = function_.register_slot(base.id);
  op.narrow_address = ptx::bits_of(type) == 32;
}

Type Instr::register_type(const Operand& operand) const {
  return function_.source().registers[operand.id].type;
}

std::uint64_t Instr::immediate(std::size_t i) const {
  if (operand(i).kind != Operand::Kind::integer) fail("'" + source_.opcode() + "': expected an integer constant");
  return operand(i).bits;
}

Slot Instr::constant(Type type, std::uint64_t bits) {
  return function_.constant(class_of(type), bits);
}
Slot Instr::temporary(Type type) {
  return function_.temporary(class_of(type));
}
Slot Instr::carry() {
  return function_.carry();
}

void Instr::list(const std::vector<Slot>& written, const std::vector<Slot>& read) {
  std::vector<Slot>& lists = function_.module().program.lists;
  op.list = static_cast<std::uint32_t>(lists.size());
  op.list_writes = static_cast<std::uint8_t>(written.size());
  op.list_reads = static_cast<std::uint8_t>(read.size());
  lists.insert(lists.end(), written.begin(), written.end());
  lists.insert(lists.end(), read.begin(), read.end());
}

void Instr::emit(Handler handler) {
  for (const bool taken : taken_) {
    if (!taken) fail_unsupported();
  }
  op.run = handler;
  if (source_.guard != ptx::none) {
    op.guard = function_.register_slot(source_.guard);
    op.guard_negated = source_.guard_negated;
  }
  function_.add(op, source_);
}

void Instr::warn_approximate() {
  function_.note_approximation(source_);
}

}  // namespace tileloom::emu
