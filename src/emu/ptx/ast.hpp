// SPDX-License-Identifier: Apache-2.0
// A PTX module as written: names resolved, instructions not yet understood.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emu/ptx/types.hpp"
#include "tileloom/hw/arch.hpp"

namespace tileloom::emu::ptx {

inline constexpr std::uint32_t none = 0xFFFF'FFFF;

// A place in the source, with where it was inlined. `parent` indexes the same table.
struct SourceLocation {
  std::uint32_t file = 0;  // `.file` number
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t parent = none;
};

// The address of a variable or of a function inside an initialiser, added to the bytes at `at`.
struct Relocation {
  std::uint64_t at = 0;
  std::uint32_t variable = none;
  std::uint32_t function = none;
  std::int64_t addend = 0;
  unsigned bytes = 8;
};

// A variable with an address: module-level, function-level or a parameter.
struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  bool external = false;              // `.extern`: dynamic shared memory when it has no size
  std::uint32_t function = none;      // who declares it, none at module level
  std::vector<std::uint8_t> initial;  // bytes given, zeros after them
  std::vector<Relocation> relocations;
  std::uint32_t line = 0;
};

struct Register {
  std::string name;
  Type type = Type::b32;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,       // id: register of the function; negated: `!p`
    special,   // name
    integer,   // bits
    f32,       // bits
    f64,       // bits
    variable,  // id: variable; offset
    address,   // [base + offset]; elements: the base (reg or variable), or none for an absolute address
    vector,    // {a, b, ...}
    list,      // (a, b, ...) of a call
    pair,      // p|q
    sink,      // _
    name,      // a label or a function; id: label or function once resolved
  };
  Kind kind = Kind::integer;
  bool negated = false;
  std::uint32_t id = none;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string root;                    // `ld`
  std::vector<std::string> modifiers;  // `global`, `v4`, `u32`
  std::vector<Operand> operands;
  std::uint32_t guard = none;  // register
  bool guard_negated = false;
  std::uint32_t scope = 0;
  std::uint32_t line = 0;
  std::uint32_t location = none;  // into Module::locations

  [[nodiscard]] std::string opcode() const {
    std::string text = root;
    for (const std::string& m : modifiers) text += "." + m;
    return text;
  }
};

// A label, or a `.branchtargets` list.
struct Label {
  std::string name;
  std::uint32_t scope = 0;
  std::uint32_t instruction = 0;     // the index of the instruction after it
  std::vector<std::string> targets;  // of `.branchtargets`
  std::uint32_t line = 0;
};

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;
  std::uint32_t max_threads = 0;
  std::vector<std::uint32_t> parameters;  // variables, in order
  std::vector<std::uint32_t> returns;
  std::vector<Register> registers;
  std::vector<Instruction> code;
  std::vector<Label> labels;
  std::vector<std::uint32_t> scope_parent;  // of each block scope
  std::uint32_t line = 0;
};

struct Module {
  std::string name;
  hw::Arch target;
  std::map<std::uint32_t, std::string> files;  // by `.file` number
  std::vector<SourceLocation> locations;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace tileloom::emu::ptx
