// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "emu/ptx/parser_impl.hpp"

namespace tileloom::emu::ptx {
namespace {

// Far more than any device's memory could hold in module variables; keeps sizes within 64-bit arithmetic.
constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 32;

std::optional<Space> variable_space(std::string_view word) {
  if (word == "global") return Space::global;
  if (word == "const") return Space::constant;
  if (word == "shared" || word == "shared::cta") return Space::shared;
  if (word == "local") return Space::local;
  if (word == "param") return Space::param;
  return std::nullopt;
}

}  // namespace

bool Parser::is_variable_space() const {
  return token_.kind == Token::Kind::dotted && variable_space(token_.text).has_value();
}

// `.space [.align N] [.v2|.v4] .type [.ptr ...] NAME`
Variable Parser::variable_head() {
  Variable v;
  v.line = token_.line;
  v.function = function_;
  v.space = *variable_space(take().text);
  std::uint32_t stated = 0;
  std::uint32_t vector = 1;
  std::optional<Type> type;
  while (token_.kind == Token::Kind::dotted) {
    if (token_.is_dotted("align")) {
      take();
      const std::uint32_t align = expect_u32("an alignment");
      if (!std::has_single_bit(align) || align > (1U << 20)) fail("an alignment must be a power of two up to 1048576");
      if (!type) stated = align;  // after the type it is what a pointer points to
    } else if (token_.is_dotted("attribute")) {
      take();
      expect('(');
      while (!token_.is(')') && token_.kind != Token::Kind::end) take();
      expect(')');
    } else if (token_.is_dotted("v2") || token_.is_dotted("v4")) {
      vector = take().text == "v2" ? 2 : 4;
    } else if (type && (token_.is_dotted("ptr") || is_variable_space())) {
      take();
    } else {
      type = expect_type();
    }
  }
  if (!type) fail_expected("a type");
  v.type = *type;
  v.bytes = bytes_of(*type) * vector;
  v.align = std::max(stated, static_cast<std::uint32_t>(v.bytes));
  if (stated != 0) v.align = stated;
  v.name = expect_word("a variable name");
  return v;
}

std::vector<std::uint64_t> Parser::dimensions() {
  std::vector<std::uint64_t> dims;
  while (accept('[')) {
    if (dims.size() >= 16) fail("an array of more than 16 dimensions");
    dims.push_back(token_.is(']') ? 0 : expect_integer("an array size"));
    expect(']');
  }
  return dims;
}

void Parser::set_size(Variable& v, const std::vector<std::uint64_t>& dims) {
  for (const std::uint64_t d : dims) {
    if (d > max_variable_bytes || v.bytes * d > max_variable_bytes) {
      fail("variable '" + v.name + "' is larger than 4 GiB");
    }
    v.bytes *= d;
  }
}

std::uint32_t Parser::add_variable(Variable v) {
  const auto id = static_cast<std::uint32_t>(module_.variables.size());
  const bool redeclared_module_variable = function_ == none && v.function == none;
  if (!scopes_.declare_variable(v.name, id)) {
    const Scopes::Found found = scopes_.find(v.name);
    Variable* earlier = found.kind == Scopes::Found::Kind::variable ? &module_.variables[found.id] : nullptr;
    if (!redeclared_module_variable || earlier == nullptr || (!earlier->external && !v.external)) {
      fail("'" + v.name + "' is declared twice");
    }
    if (!v.external) *earlier = std::move(v);
    return found.id;
  }
  module_.variables.push_back(std::move(v));
  return id;
}

std::uint32_t Parser::parameter() {
  Variable v = variable_head();
  set_size(v, dimensions());
  return add_variable(std::move(v));
}

void Parser::variable_declaration(bool external) {
  Variable v = variable_head();
  v.external = external;
  while (true) {
    Variable next = v;  // the same head for `.global .u32 a, b;`
    std::vector<std::uint64_t> dims = dimensions();
    const bool open = !dims.empty() && dims[0] == 0;
    if (open && token_.is('=')) dims[0] = 1;
    set_size(next, dims);
    if (accept('=')) initialiser(next, open ? std::vector<std::uint64_t>{0} : dims);
    add_variable(std::move(next));
    if (!accept(',')) break;
    v.name = expect_word("a variable name");
  }
  expect(';');
}

void Parser::initialiser(Variable& v, const std::vector<std::uint64_t>& dims) {
  if (v.space != Space::global && v.space != Space::constant)
    fail("only .global and .const variables have initial values");
  if (dims.empty() && !token_.is('{')) {
    initial_value(v, 0);
  } else {
    initial_list(v, dims, 0, 0);
  }
  if (!dims.empty() && dims[0] == 0) {
    v.bytes = v.initial.size();
  } else if (v.initial.size() > v.bytes) {
    fail("variable '" + v.name + "' has more initial values than elements");
  }
}

void Parser::initial_list(Variable& v, const std::vector<std::uint64_t>& dims, std::size_t level, std::uint64_t at) {
  std::uint64_t step = bytes_of(v.type);
  for (std::size_t i = level + 1; i < dims.size(); ++i) step *= dims[i];
  expect('{');
  while (!token_.is('}')) {
    if (dims.size() > 1 && dims[0] != 0 && at >= v.bytes)
      fail("variable '" + v.name + "' has more initial values than elements");
    if (token_.is('{')) {
      if (level + 1 >= dims.size()) fail("initial values nested deeper than the array");
      initial_list(v, dims, level + 1, at);
    } else {
      initial_value(v, at);
    }
    at += step;
    if (!token_.is('}')) expect(',');
  }
  take();
}

void Parser::initial_value(Variable& v, std::uint64_t at) {
  const unsigned bytes = bytes_of(v.type);
  if (at + bytes > v.bytes && v.bytes > 0 && at + bytes > max_variable_bytes) fail("too many initial values");
  if (token_.kind == Token::Kind::word) {
    initial_symbol(v, at);
    return;
  }
  const bool negative = accept('-');
  std::uint64_t bits = token_.bits;
  if (token_.kind == Token::Kind::integer) {
    bits = negative ? 0 - bits : bits;
  } else if (token_.kind == Token::Kind::f32 || token_.kind == Token::Kind::f64) {
    double value = token_.kind == Token::Kind::f64 ? std::bit_cast<double>(bits)
                                                   : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    value = negative ? -value : value;
    if (v.type == Type::f64 || v.type == Type::b64) {
      bits = std::bit_cast<std::uint64_t>(value);
    } else {
      bits =
          token_.kind == Token::Kind::f32 && !negative ? bits : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
  } else {
    fail_expected("an initial value");
  }
  take();
  if (at >= (std::uint64_t{1} << 28)) fail("more than 256 MiB of initial values");
  if (v.initial.size() < at + bytes) v.initial.resize(at + bytes);
  for (unsigned i = 0; i < bytes && i < 8; ++i) v.initial[at + i] = static_cast<std::uint8_t>(bits >> (8 * i));
}

// `name`, `name+8`, `generic(name)`, `generic(name)+8`
void Parser::initial_symbol(Variable& v, std::uint64_t at) {
  std::string name = expect_word("a name");
  const bool generic = name == "generic" && accept('(');
  if (generic) name = expect_word("a name");
  Relocation made;
  made.at = at;
  made.bytes = bytes_of(v.type);
  made.addend = offset_suffix();
  if (generic) {
    expect(')');
    made.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(made.addend) +
                                            static_cast<std::uint64_t>(offset_suffix()));
  }
  const Scopes::Found found = scopes_.find(name);
  const auto function = function_ids_.find(name);
  if (found.kind == Scopes::Found::Kind::variable) {
    made.variable = found.id;
  } else if (function != function_ids_.end()) {
    made.function = function->second;
  } else {
    fail("'" + name + "' is not declared, or neither a variable nor a function");
  }
  if (made.bytes != 8) fail("the address of '" + name + "' needs a 64-bit element");
  if (v.initial.size() < at + made.bytes) v.initial.resize(at + made.bytes);
  v.relocations.push_back(made);
}

}  // namespace tileloom::emu::ptx
