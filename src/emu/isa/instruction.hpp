// SPDX-License-Identifier: Apache-2.0
// One instruction being decoded: its modifiers, taken one by one, and its operands.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/machine/op.hpp"
#include "emu/ptx/ast.hpp"

namespace tileloom::emu {

class FunctionDecoder;

class Instr {
 public:
  Instr(FunctionDecoder& function, const ptx::Instruction& source);

  // -- Modifiers. What is left when the op is emitted is an error.
  [[nodiscard]] bool flag(std::string_view modifier);
  // Takes the first of these that is there; empty when none is.
  [[nodiscard]] std::string_view one_of(std::initializer_list<std::string_view> modifiers);
  void ignore(std::initializer_list<std::string_view> modifiers);
  void ignore_prefix(std::string_view prefix);
  [[nodiscard]] std::optional<ptx::Type> maybe_type();
  [[nodiscard]] ptx::Type type();
  // The next type, which must be one of these.
  [[nodiscard]] ptx::Type type(std::initializer_list<ptx::Type> allowed);
  void expect_type(std::initializer_list<ptx::Type> allowed) { static_cast<void>(type(allowed)); }
  [[nodiscard]] const std::vector<std::string>& modifiers() const { return source_.modifiers; }

  // -- Operands, by number.
  void expect_operands(std::size_t least, std::size_t most) const;
  void expect_operands(std::size_t count) const { expect_operands(count, count); }
  [[nodiscard]] std::size_t operand_count() const { return source_.operands.size(); }
  [[nodiscard]] const ptx::Operand& operand(std::size_t i) const { return source_.operands[i]; }
  [[nodiscard]] Slot read(const ptx::Operand& operand, ptx::Type type);
  [[nodiscard]] Slot read(std::size_t i, ptx::Type type) { return read(operand(i), type); }
  [[nodiscard]] Slot read_predicate(std::size_t i, bool& negated);
  [[nodiscard]] Slot write(const ptx::Operand& operand, ptx::Type type);
  [[nodiscard]] Slot write(std::size_t i, ptx::Type type) { return write(operand(i), type); }
  // As ld, st and cvt have it: the register may be wider than the type; `register_bits` says how wide.
  [[nodiscard]] Slot read_wider(const ptx::Operand& operand, ptx::Type type, unsigned& register_bits);
  [[nodiscard]] Slot write_wider(const ptx::Operand& operand, ptx::Type type, unsigned& register_bits);
  [[nodiscard]] ptx::Type register_type(const ptx::Operand& operand) const;
  // An address into op.a (64-bit lanes) and op.imm, in space op.space, which may become `local` for a function's
  // parameters.
  void address(std::size_t i);
  [[nodiscard]] std::uint64_t immediate(std::size_t i) const;  // fails for anything but an integer
  [[nodiscard]] Slot constant(ptx::Type type, std::uint64_t bits);
  [[nodiscard]] Slot temporary(ptx::Type type);
  [[nodiscard]] Slot carry();

  // -- Lists of slots, for instructions with more operands than an op has.
  void list(const std::vector<Slot>& written, const std::vector<Slot>& read);

  // -- Result.
  Op op;
  void emit(Handler handler);
  void warn_approximate();

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_unsupported() const;
  [[nodiscard]] const ptx::Instruction& source() const { return source_; }
  [[nodiscard]] FunctionDecoder& function() { return function_; }

 private:
  void check_register(const ptx::Operand& operand, ptx::Type type, bool wider) const;
  [[nodiscard]] std::uint64_t immediate_bits(const ptx::Operand& operand, ptx::Type type) const;

  FunctionDecoder& function_;
  const ptx::Instruction& source_;
  std::vector<bool> taken_;
};

// Which table row an instruction takes: the class of its last type.
enum class Family : std::uint8_t { any, integer, real, half };
using DecodeFn = void (*)(Instr&);
struct DecodeEntry {
  std::string_view root;
  Family family;
  DecodeFn decode;
};
// Nothing where the emulator has no such instruction.
[[nodiscard]] const DecodeEntry* find_entry(const ptx::Instruction& instruction);
[[nodiscard]] std::span<const DecodeEntry> all_instructions();

}  // namespace tileloom::emu
