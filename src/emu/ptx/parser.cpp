// SPDX-License-Identifier: Apache-2.0
// Directives and structure; instructions are in parse_instruction.cpp, variables in parse_variable.cpp.
#include "emu/ptx/parser.hpp"

#include <algorithm>
#include <array>

#include "emu/ptx/parser_impl.hpp"

namespace tileloom::emu::ptx {

Module parse(std::string_view text, std::string name) {
  return Parser(text, std::move(name)).module();
}

Parser::Parser(std::string_view text, std::string name) : lexer_(text, name) {
  module_.name = std::move(name);
  token_ = lexer_.next();
  ahead_ = lexer_.next();
}

void Parser::fail(const std::string& message) const {
  lexer_.fail(token_.line, message);
}

void Parser::fail_expected(const std::string& what) const {
  const bool end = token_.kind == Token::Kind::end;
  const std::string dot = token_.kind == Token::Kind::dotted ? "." : "";
  fail("expected " + what + ", found " + (end ? "the end of the file" : "'" + dot + std::string(token_.text) + "'"));
}

Token Parser::take() {
  Token taken = token_;
  token_ = ahead_;
  ahead_ = lexer_.next();
  return taken;
}

bool Parser::accept(char c) {
  if (!token_.is(c)) return false;
  take();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c)) fail_expected("'" + std::string(1, c) + "'");
}

std::string Parser::expect_word(const std::string& what) {
  if (token_.kind != Token::Kind::word) fail_expected(what);
  return std::string(take().text);
}

std::uint64_t Parser::expect_integer(const std::string& what) {
  if (token_.kind != Token::Kind::integer) fail_expected(what);
  return take().bits;
}

std::uint32_t Parser::expect_u32(const std::string& what) {
  const std::uint64_t value = expect_integer(what);
  if (value > 0xFFFF'FFFE) fail(what + " does not fit 32 bits");
  return static_cast<std::uint32_t>(value);
}

Module Parser::module() {
  header();
  while (token_.kind != Token::Kind::end) {
    if (!accept(';')) module_item();
  }
  return std::move(module_);
}

void Parser::header() {
  if (!token_.is_dotted("version")) fail_expected("'.version'");
  take();
  if (token_.kind != Token::Kind::f64) fail_expected("a version number");
  take();
  if (!token_.is_dotted("target")) fail_expected("'.target'");
  take();
  const std::uint32_t line = token_.line;
  const std::string target = expect_word("an architecture");
  try {
    module_.target = hw::parse_arch(target);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input, module_.name + ":" + std::to_string(line) + ": " + error.what(), error.hint());
  }
  while (accept(',')) expect_word("a target option");
  if (!token_.is_dotted("address_size")) fail_expected("'.address_size'");
  take();
  if (expect_integer("the address size") != 64) fail("only .address_size 64 is supported");
}

void Parser::module_item() {
  if (token_.kind != Token::Kind::dotted) fail_expected("a directive");
  if (common_directive()) return;
  bool external = false;
  while (token_.is_dotted("visible") || token_.is_dotted("extern") || token_.is_dotted("weak") ||
         token_.is_dotted("common")) {
    external |= take().text == "extern";
  }
  if (token_.is_dotted("entry") || token_.is_dotted("func")) {
    function();
  } else if (is_variable_space()) {
    variable_declaration(external);
  } else {
    fail("directive '." + std::string(token_.text) + "' is not supported");
  }
}

// What may stand at module level and inside functions.
bool Parser::common_directive() {
  if (token_.is_dotted("file")) {
    file_directive();
  } else if (token_.is_dotted("section")) {
    skip_section();
  } else if (token_.is_dotted("pragma") || token_.is_dotted("alias") || token_.is_dotted("callprototype") ||
             token_.is_dotted("calltargets")) {
    while (!token_.is(';') && token_.kind != Token::Kind::end) take();
    expect(';');
  } else {
    return false;
  }
  return true;
}

void Parser::file_directive() {
  take();
  const std::uint32_t number = expect_u32("a file number");
  if (token_.kind != Token::Kind::string) fail_expected("a file name");
  module_.files[number] = std::string(take().text);
  while (accept(',')) expect_integer("a time stamp or size");
}

void Parser::skip_section() {
  take();
  if (token_.kind != Token::Kind::dotted && token_.kind != Token::Kind::word) fail_expected("a section name");
  take();
  expect('{');
  for (std::size_t depth = 1; depth > 0;) {
    if (token_.kind == Token::Kind::end) fail_expected("'}'");
    depth += token_.is('{') ? 1 : 0;
    depth -= token_.is('}') ? 1 : 0;
    take();
  }
}

std::uint32_t Parser::function_named(const std::string& name) {
  const auto [at, fresh] = function_ids_.emplace(name, static_cast<std::uint32_t>(module_.functions.size()));
  if (fresh) {
    module_.functions.emplace_back();
    module_.functions.back().name = name;
  }
  return at->second;
}

void Parser::function() {
  const bool entry = take().text == "entry";
  scopes_.open();
  std::vector<std::uint32_t> returns;
  if (!entry && token_.is('(')) returns = parameters();
  const std::uint32_t line = token_.line;
  const std::string name = expect_word("a function name");
  function_ = function_named(name);
  {
    Function& f = module_.functions[function_];
    if (f.defined) lexer_.fail(line, "function '" + name + "' is defined twice");
    f.entry = entry;
    f.line = line;
    f.returns = std::move(returns);
    f.parameters.clear();
  }
  if (token_.is('(')) {
    auto list = parameters();
    module_.functions[function_].parameters = std::move(list);
  }
  for (const auto* list : {&module_.functions[function_].parameters, &module_.functions[function_].returns}) {
    for (const std::uint32_t v : *list) module_.variables[v].function = function_;
  }
  performance_directives();
  if (!accept(';')) body();
  scopes_.close();
  function_ = none;
}

std::vector<std::uint32_t> Parser::parameters() {
  std::vector<std::uint32_t> list;
  expect('(');
  while (!token_.is(')')) {
    if (!token_.is_dotted("param")) {
      if (token_.is_dotted("reg")) fail("function parameters in .reg are not supported, only .param ones");
      fail_expected("'.param'");
    }
    list.push_back(parameter());
    if (!token_.is(')')) expect(',');
  }
  take();
  return list;
}

void Parser::performance_directives() {
  constexpr std::array<std::string_view, 11> known{
      "maxntid", "reqntid",           "minnctapersm",   "maxnctapersm",    "maxnreg",          "noreturn",
      "pragma",  "reqnctapercluster", "maxclusterrank", "explicitcluster", "blocksareclusters"};
  while (token_.kind == Token::Kind::dotted) {
    if (std::find(known.begin(), known.end(), token_.text) == known.end()) {
      fail("directive '." + std::string(token_.text) + "' is not supported");
    }
    const bool threads = token_.text == "maxntid" || token_.text == "reqntid";
    const bool pragma = take().text == "pragma";
    std::uint64_t product = 1;
    while (token_.kind == Token::Kind::integer || token_.kind == Token::Kind::string || token_.is(',')) {
      const Token t = take();
      if (t.kind == Token::Kind::integer)
        product = std::min<std::uint64_t>(product * std::min<std::uint64_t>(t.bits, 0xFFFF), 0xFFFF'FFFE);
    }
    if (pragma) expect(';');
    if (threads) module_.functions[function_].max_threads = static_cast<std::uint32_t>(product);
  }
}

void Parser::body() {
  Function& f = module_.functions[function_];
  f.defined = true;
  f.scope_parent = {none};
  scopes_.begin_function(&f.registers);
  location_ = none;
  located_.clear();
  scope_ = 0;
  expect('{');
  while (scope_ != none) statement();
}

void Parser::statement() {
  Function& f = module_.functions[function_];
  if (token_.kind == Token::Kind::end) fail_expected("'}'");
  if (accept('{')) {
    if (scopes_.depth() > 64) fail("blocks nested more than 64 deep");
    scopes_.open();
    f.scope_parent.push_back(scope_);
    scope_ = static_cast<std::uint32_t>(f.scope_parent.size() - 1);
  } else if (accept('}')) {
    scope_ = f.scope_parent[scope_];
    if (scope_ != none) scopes_.close();
  } else if (accept(';')) {
    return;
  } else if (token_.kind == Token::Kind::dotted) {
    body_directive();
  } else if (token_.kind == Token::Kind::word && ahead_.is(':')) {
    label();
  } else {
    instruction();
  }
}

void Parser::body_directive() {
  if (common_directive()) return;
  if (token_.is_dotted("loc")) {
    location_directive();
  } else if (token_.is_dotted("reg")) {
    register_declaration();
  } else if (is_variable_space()) {
    variable_declaration(false);
  } else {
    fail("directive '." + std::string(token_.text) + "' is not supported");
  }
}

void Parser::label() {
  Function& f = module_.functions[function_];
  Label made;
  made.line = token_.line;
  made.name = std::string(take().text);
  made.scope = scope_;
  made.instruction = static_cast<std::uint32_t>(f.code.size());
  take();
  if (token_.is_dotted("branchtargets")) {
    take();
    do {
      made.targets.push_back(expect_word("a label"));
    } while (accept(','));
    expect(';');
  }
  f.labels.push_back(std::move(made));
}

// `.loc FILE LINE COLUMN [, function_name LABEL [+ N], inlined_at FILE LINE COLUMN]`. The place that code was inlined
// at is named by its numbers; its own inlining is what the latest `.loc` with these numbers said.
void Parser::location_directive() {
  take();
  SourceLocation made;
  made.file = expect_u32("a file number");
  made.line = expect_u32("a line number");
  made.column = expect_u32("a column number");
  while (accept(',')) {
    const std::string key = expect_word("function_name or inlined_at");
    if (key == "function_name") {
      expect_word("a label");
      if (accept('+')) expect_integer("an offset");
    } else if (key == "inlined_at") {
      const std::uint32_t file = expect_u32("a file number");
      const std::uint32_t line = expect_u32("a line number");
      const std::uint32_t column = expect_u32("a column number");
      const auto [at, fresh] = located_.try_emplace({file, line, column}, none);
      if (fresh) {
        at->second = static_cast<std::uint32_t>(module_.locations.size());
        module_.locations.push_back({file, line, column, none});
      }
      made.parent = at->second;
    } else {
      fail("unknown .loc attribute '" + key + "'");
    }
  }
  location_ = static_cast<std::uint32_t>(module_.locations.size());
  module_.locations.push_back(made);
  located_[{made.file, made.line, made.column}] = location_;
}

void Parser::register_declaration() {
  take();
  if (token_.is_dotted("v2") || token_.is_dotted("v4")) fail("vector registers are not supported");
  const Type type = expect_type();
  do {
    const std::string name = expect_word("a register name");
    if (accept('<')) {
      scopes_.declare_range(name, expect_integer("a count"), type);
      expect('>');
    } else if (!scopes_.declare_register(name, type)) {
      fail("'" + name + "' is declared twice");
    }
  } while (accept(','));
  expect(';');
}

Type Parser::expect_type() {
  if (token_.kind != Token::Kind::dotted) fail_expected("a type");
  const std::optional<Type> type = parse_type(token_.text);
  if (!type) fail("type '." + std::string(token_.text) + "' is not supported");
  take();
  return *type;
}

}  // namespace tileloom::emu::ptx
