// SPDX-License-Identifier: Apache-2.0
#include "layout/parser.hpp"

#include <algorithm>
#include <cctype>

#include "layout/fail.hpp"

namespace tileloom::layout {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr std::size_t max_text = std::size_t{1} << 20;
constexpr std::size_t shown_around = 60;

}  // namespace

// --- Characters --------------------------------------------------------------------------------------------------

void Parser::skip_space() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
    ++at_;
  }
}

char Parser::peek() {
  skip_space();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Parser::accept(char c) {
  if (peek() != c || at_ >= text_.size()) {
    return false;
  }
  ++at_;
  return true;
}

// The composition sign, a lone letter o.
bool Parser::accept_o() {
  if (peek() == 'o' && (at_ + 1 == text_.size() || !is_letter(text_[at_ + 1]))) {
    ++at_;
    return true;
  }
  return false;
}

void Parser::expect(char c) {
  if (!accept(c)) {
    unexpected(std::string("'") + c + "'");
  }
}

void Parser::error_at(std::size_t position, const std::string& message) {
  const std::size_t from = position > shown_around ? position - shown_around : 0;
  std::string shown(text_.substr(from, 2 * shown_around));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  fail("column " + std::to_string(position + 1) + ": " + message,
       shown + "\n" + std::string(position - from, ' ') + "^");
}

void Parser::unexpected(const std::string& wanted) {
  skip_space();
  std::string found = "the end";
  if (at_ < text_.size()) {
    found = std::isprint(static_cast<unsigned char>(text_[at_])) != 0
                ? std::string("'") + text_[at_] + "'"
                : "byte " + std::to_string(static_cast<unsigned char>(text_[at_]));
  }
  error_at(at_, "expected " + wanted + ", found " + found);
}

std::int64_t Parser::digits() {
  const std::size_t start = at_;
  std::int64_t v = 0;
  while (at_ < text_.size() && is_digit(text_[at_])) {
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, text_[at_] - '0', &v)) {
      error_at(start, "the number does not fit in 64 bits");
    }
    ++at_;
  }
  if (at_ == start) {
    unexpected("a digit");
  }
  return v;
}

std::string_view Parser::word() {
  const std::size_t start = at_;
  while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_')) {
    ++at_;
  }
  return text_.substr(start, at_ - start);
}

// --- Trees -------------------------------------------------------------------------------------------------------

Int Parser::integer() {
  const std::size_t start = at_;
  const bool fixed = accept('_');
  const bool more = at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '-');
  if (fixed && !more) {
    return Int::make_any();
  }
  const bool negative = accept('-');
  if (at_ >= text_.size() || !is_digit(text_[at_])) {
    unexpected(negative || fixed ? "a digit" : "an integer, '_' or '('");
  }
  const std::int64_t v = digits();
  Int x = fixed ? Int::make_static(negative ? -v : v) : Int::make_dynamic(negative ? -v : v);
  std::array<std::uint8_t, max_basis_depth> path{};
  while (at_ < text_.size() && text_[at_] == '@') {
    ++at_;
    const std::int64_t mode = digits();
    if (mode > max_basis_mode || x.basis_depth == max_basis_depth) {
      error_at(start, "a scaled basis has at most " + std::to_string(max_basis_depth) + " mode numbers of at most " +
                          std::to_string(max_basis_mode));
    }
    path[x.basis_depth++] = static_cast<std::uint8_t>(mode);
  }
  for (std::size_t i = 0; i < x.basis_depth; ++i) {  // text names the innermost mode first
    x.basis[i] = path[x.basis_depth - 1U - i];
  }
  return x;
}

void Parser::tree_into(TreeBuilder& b) {
  if (!accept('(')) {
    skip_space();
    b.leaf(integer());
    return;
  }
  if (++depth_ > max_depth) {
    error_at(at_ - 1, "parentheses nested deeper than " + std::to_string(max_depth));
  }
  b.open();
  if (!accept(')')) {
    do {
      tree_into(b);
    } while (accept(','));
    if (!accept(')')) {
      unexpected("',' or ')'");
    }
  }
  b.close();
  --depth_;
}

Tree Parser::tree() {
  TreeBuilder b;
  tree_into(b);
  return b.take();
}

Value Parser::tree_or_layout() {
  const std::size_t start = at_;
  Tree shape = tree();
  if (!accept(':')) {
    return shape;
  }
  Tree stride = tree();
  try {
    check_sizes(shape);
    return Layout(std::move(shape), std::move(stride));
  } catch (const Error& e) {
    error_at(start, e.what());
  }
}

// --- Tilers, swizzles, pointers ----------------------------------------------------------------------------------

Tiler Parser::tiler() {
  if (!accept('<')) {
    Value v = expression();
    if (auto* l = std::get_if<Layout>(&v)) {
      return std::move(*l);
    }
    if (auto* t = std::get_if<Tree>(&v)) {
      return Tiler::from_tree(*t);
    }
    unexpected("a tiler: sizes, layouts or '_'");
  }
  if (++depth_ > max_depth) {
    error_at(at_ - 1, "tilers nested deeper than " + std::to_string(max_depth));
  }
  std::vector<Tiler> modes;
  if (!accept('>')) {
    do {
      modes.push_back(tiler());
    } while (accept(','));
    expect('>');
  }
  --depth_;
  return Tiler(std::move(modes));
}

Swizzle Parser::swizzle() {
  const std::size_t start = at_;
  at_ += 2;  // Sw
  expect('<');
  std::array<int, 3> p{};
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i > 0) {
      expect(',');
    }
    const bool negative = accept('-');
    skip_space();
    const std::int64_t v = digits();
    p[i] = static_cast<int>(std::min<std::int64_t>(v, 1000)) * (negative ? -1 : 1);
  }
  expect('>');
  try {
    return {p[0], p[1], p[2]};
  } catch (const Error& e) {
    error_at(start, e.what());
  }
}

Offset Parser::offset() {
  if (peek() != 'M') {
    const std::size_t start = at_;
    const Tree t = tree();
    if (t.is_tuple() || !t.leaf().is_integer() || t.leaf().has_basis()) {
      error_at(start, "the offset of a swizzled layout is an integer");
    }
    return {t.leaf(), 0};
  }
  const std::size_t start = at_;
  const auto bits = [&] {
    skip_space();
    const std::int64_t v = digits();
    if (v > 0xffffffffLL) {
      error_at(start, "mixed bits hold 32 bits");
    }
    return static_cast<std::uint32_t>(v);
  };
  ++at_;
  expect('_');
  const std::uint32_t fixed = bits();
  expect('|');
  expect('(');
  const std::uint32_t dynamic = bits();
  expect('&');
  const std::uint32_t mask = bits();
  expect(')');
  expect('=');
  const std::uint32_t value = bits();
  if (mask == 0 || (fixed & mask) != 0 || (dynamic & ~mask) != 0 || value != (fixed | dynamic)) {
    error_at(start, "mixed bits that contradict each other");
  }
  return {Int::make_dynamic(value), mask};
}

AnyLayout Parser::layout_after_o() {
  skip_space();
  const std::size_t start = at_;
  if (++depth_ > max_depth) {
    error_at(start, "layouts composed deeper than " + std::to_string(max_depth));
  }
  Value v = expression();
  --depth_;
  if (auto* l = std::get_if<Layout>(&v)) {
    return std::move(*l);
  }
  if (auto* c = std::get_if<ComposedLayout>(&v)) {
    return std::move(*c);
  }
  error_at(start, "expected a layout, found " + kind_of(v));
}

Value Parser::swizzled() {
  const Swizzle sw = swizzle();
  const bool o = accept_o();
  if (!o && !(peek() == '_' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]))) {
    return sw;
  }
  if (!o) {
    ++at_;
  }
  if (is_letter(peek()) && peek() != 'M') {
    const std::string_view space = word();
    Tensor::SwizzledPointer engine{sw, pointer(space), o};
    if (!accept_o()) {
      unexpected("'o' and a layout");
    }
    return Tensor{std::move(engine), layout_after_o()};
  }
  const Offset shift = offset();
  if (!accept_o()) {
    unexpected("'o' and a layout");
  }
  const std::size_t start = at_;
  AnyLayout inner = layout_after_o();
  if (auto* l = std::get_if<Layout>(&inner)) {
    return ComposedLayout(sw, shift, std::move(*l));
  }
  error_at(start, "a swizzle of a swizzled layout");
}

Pointer Parser::pointer(std::string_view space) {
  Pointer p;
  p.space = std::string(space);
  if (space != "gmem_ptr" && space != "smem_ptr" && space != "rmem_ptr" && space != "ptr") {
    error_at(at_ - space.size(), "unknown pointer '" + p.space + "', expected gmem_ptr, smem_ptr, rmem_ptr or ptr");
  }
  expect('[');
  skip_space();
  const std::int64_t bits = digits();
  if (bits < 1 || bits > 4096) {
    error_at(at_, "an element has 1 to 4096 bits");
  }
  p.bits = static_cast<int>(bits);
  expect('b');
  expect(']');
  expect('(');
  const std::size_t close = text_.find(')', at_);
  if (close == std::string_view::npos) {
    at_ = text_.size();
    unexpected("')'");
  }
  p.address = std::string(text_.substr(at_, close - at_));
  at_ = close + 1;
  return p;
}

Value Parser::pointer_or_tensor(std::string_view space) {
  Pointer p = pointer(space);
  if (!accept_o()) {
    return p;
  }
  return Tensor{std::move(p), layout_after_o()};
}

// --- Names and calls ---------------------------------------------------------------------------------------------

Value Parser::function_call(std::string_view name) {
  std::vector<Value> arguments;
  expect('(');
  if (++depth_ > max_depth) {
    error_at(at_ - 1, "calls nested deeper than " + std::to_string(max_depth));
  }
  if (!accept(')')) {
    do {
      arguments.push_back(expression());
    } while (accept(','));
    if (!accept(')')) {
      unexpected("',' or ')'");
    }
  }
  --depth_;
  return call(name, std::move(arguments), policy_);
}

Value Parser::named() {
  const std::size_t start = at_;
  const std::string_view name = word();
  if (name == "LayoutLeft") {
    return Major::left;
  }
  if (name == "LayoutRight") {
    return Major::right;
  }
  if (name == "Step") {
    TreeBuilder b;
    expect('<');
    b.open();
    do {
      tree_into(b);
    } while (accept(','));
    b.close();
    expect('>');
    return b.take();
  }
  if (name == "ArithTuple") {
    skip_space();
    Tree origin = tree();
    if (!accept_o()) {
      unexpected("'o' and a layout");
    }
    return Tensor{std::move(origin), layout_after_o()};
  }
  if (peek() == '[') {
    return pointer_or_tensor(name);
  }
  if (peek() != '(') {
    error_at(start, "'" + std::string(name) + "' is not a layout; a function needs its arguments in parentheses");
  }
  if (!calls_) {
    error_at(start, "expected plain layout text, found a call of '" + std::string(name) + "'");
  }
  return function_call(name);
}

Value Parser::expression() {
  const char c = peek();
  if (c == '<') {
    return tiler();
  }
  if (c == 'S' && text_.substr(at_, 2) == "Sw" && (at_ + 2 >= text_.size() || !is_letter(text_[at_ + 2]))) {
    return swizzled();
  }
  if (is_letter(c)) {
    return named();
  }
  return tree_or_layout();
}

Value Parser::parse() {
  if (text_.size() > max_text) {
    fail("a text of " + std::to_string(text_.size()) + " bytes, expected at most " + std::to_string(max_text));
  }
  Value v = expression();
  if (peek() != '\0' || at_ < text_.size()) {
    unexpected("the end");
  }
  return v;
}

// --- Entry points ------------------------------------------------------------------------------------------------

namespace {

template <class T>
T parse_as(std::string_view text, const char* wanted) {
  const Policy policy;
  Value v = Parser(text, policy, false).parse();
  if (auto* x = std::get_if<T>(&v)) {
    return std::move(*x);
  }
  fail("'" + std::string(text) + "' is " + kind_of(v) + ", expected " + wanted);
}

}  // namespace

Tree parse_tree(std::string_view text) {
  return parse_as<Tree>(text, "an integer or a tuple");
}
Layout parse_layout(std::string_view text) {
  return parse_as<Layout>(text, "a layout, shape:stride");
}
Swizzle parse_swizzle(std::string_view text) {
  return parse_as<Swizzle>(text, "a swizzle, Sw<B,M,S>");
}
Tensor parse_tensor(std::string_view text) {
  return parse_as<Tensor>(text, "a tensor");
}

AnyLayout parse_any_layout(std::string_view text) {
  const Policy policy;
  Value v = Parser(text, policy, false).parse();
  if (auto* c = std::get_if<ComposedLayout>(&v)) {
    return std::move(*c);
  }
  if (auto* l = std::get_if<Layout>(&v)) {
    return std::move(*l);
  }
  fail("'" + std::string(text) + "' is " + kind_of(v) + ", expected a layout");
}

Tiler parse_tiler(std::string_view text) {
  const Policy policy;
  Value v = Parser(text, policy, false).parse();
  if (auto* t = std::get_if<Tiler>(&v)) {
    return std::move(*t);
  }
  if (auto* l = std::get_if<Layout>(&v)) {
    return std::move(*l);
  }
  if (auto* s = std::get_if<Tree>(&v)) {
    return Tiler::from_tree(*s);
  }
  fail("'" + std::string(text) + "' is " + kind_of(v) + ", expected a tiler");
}

Result<Layout> try_parse_layout(std::string_view text) {
  try {
    return parse_layout(text);
  } catch (const Error& e) {
    return e;
  }
}

Value evaluate(std::string_view text, const Policy& policy) {
  return Parser(text, policy, true).parse();
}

Result<Value> try_evaluate(std::string_view text, const Policy& policy) {
  try {
    return evaluate(text, policy);
  } catch (const Error& e) {
    return e;
  }
}

}  // namespace tileloom::layout
