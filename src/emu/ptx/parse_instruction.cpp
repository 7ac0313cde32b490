// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "emu/ptx/parser_impl.hpp"

namespace tileloom::emu::ptx {

// `[@[!]p] opcode.modifiers operand, ... ;`
void Parser::instruction() {
  Instruction made;
  made.line = token_.line;
  made.location = location_;
  made.scope = scope_;
  if (accept('@')) {
    made.guard_negated = accept('!');
    const std::string name = expect_word("a predicate register");
    const Scopes::Found found = scopes_.find(name);
    if (found.kind != Scopes::Found::Kind::reg) fail("'" + name + "' is not declared");
    if (module_.functions[function_].registers[found.id].type != Type::pred) fail("'" + name + "' is not a predicate");
    made.guard = found.id;
  }
  made.line = token_.line;
  made.root = expect_word("an instruction");
  while (token_.kind == Token::Kind::dotted) made.modifiers.emplace_back(take().text);
  while (!token_.is(';')) {
    made.operands.push_back(operand());
    if (made.operands.size() > 64) fail("more than 64 operands");
    if (token_.is(';')) break;
    if (made.root == "call" && (token_.kind == Token::Kind::word || token_.is('('))) continue;
    expect(',');
  }
  take();
  module_.functions[function_].code.push_back(std::move(made));
}

Operand Parser::operand() {
  Operand first = simple_operand();
  if (!accept('|')) return first;
  Operand pair;
  pair.kind = Operand::Kind::pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(simple_operand());
  return pair;
}

Operand Parser::simple_operand() {
  if (token_.is('{')) return group_operand(Operand::Kind::vector, '}');
  if (token_.is('(')) return group_operand(Operand::Kind::list, ')');
  if (token_.is('[')) return address_operand();
  if (token_.kind == Token::Kind::word) return word_operand();
  if (accept('!')) {
    Operand made = word_operand();
    if (made.kind != Operand::Kind::reg) fail("'!' stands before a predicate register");
    made.negated = true;
    return made;
  }
  return number_operand();
}

Operand Parser::group_operand(Operand::Kind kind, char close) {
  Operand made;
  made.kind = kind;
  take();
  while (!token_.is(close)) {
    if (token_.is('{') || token_.is('(')) fail_expected("an element");
    made.elements.push_back(simple_operand());
    if (made.elements.size() > 256) fail("more than 256 elements");
    if (!token_.is(close)) expect(',');
  }
  take();
  return made;
}

Operand Parser::number_operand() {
  Operand made;
  const bool negative = accept('-');
  const bool inverted = !negative && accept('~');
  made.bits = token_.bits;
  switch (token_.kind) {
    case Token::Kind::integer:
      made.kind = Operand::Kind::integer;
      if (negative) made.bits = 0 - made.bits;
      if (inverted) made.bits = ~made.bits;
      break;
    case Token::Kind::f32:
      made.kind = Operand::Kind::f32;
      if (negative) made.bits ^= 0x8000'0000U;
      break;
    case Token::Kind::f64:
      made.kind = Operand::Kind::f64;
      if (negative) made.bits ^= std::uint64_t{1} << 63;
      break;
    default:
      fail_expected("an operand");
  }
  take();
  return made;
}

Operand Parser::word_operand() {
  constexpr std::array<std::string_view, 4> axes{"x", "y", "z", "w"};
  Operand made;
  made.name = expect_word("a name");
  if (made.name == "_") {
    made.kind = Operand::Kind::sink;
    return made;
  }
  if (made.name == "WARP_SZ") {
    made.bits = 32;
    return made;
  }
  const Scopes::Found found = scopes_.find(made.name);
  made.id = found.id;
  if (found.kind == Scopes::Found::Kind::reg) {
    made.kind = Operand::Kind::reg;
  } else if (found.kind == Scopes::Found::Kind::variable) {
    made.kind = Operand::Kind::variable;
    made.offset = offset_suffix();
  } else if (made.name[0] == '%') {
    made.kind = Operand::Kind::special;
    if (token_.kind == Token::Kind::dotted && std::find(axes.begin(), axes.end(), token_.text) != axes.end()) {
      made.name += "." + std::string(take().text);
    }
  } else {
    made.kind = Operand::Kind::name;
  }
  return made;
}

std::int64_t Parser::offset_suffix() {
  const bool plus = accept('+');
  const bool minus = accept('-') || (plus && token_.is('-') && accept('-'));
  if (!plus && !minus) return 0;
  const std::uint64_t value = expect_integer("an offset");
  return static_cast<std::int64_t>(minus ? 0 - value : value);
}

Operand Parser::address_operand() {
  Operand made;
  made.kind = Operand::Kind::address;
  take();
  if (token_.kind == Token::Kind::word) {
    Operand base = word_operand();
    if (base.kind != Operand::Kind::reg && base.kind != Operand::Kind::variable)
      fail("'" + base.name + "' is not declared");
    made.offset = base.offset;
    base.offset = 0;
    made.elements.push_back(std::move(base));
    made.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(made.offset) +
                                            static_cast<std::uint64_t>(offset_suffix()));
  } else {
    made.offset = static_cast<std::int64_t>(number_operand().bits);
  }
  expect(']');
  return made;
}

}  // namespace tileloom::emu::ptx
