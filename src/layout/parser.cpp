// SPDX-License-Identifier: Apache-2.0
// Names, calls, and whole texts.
#include "layout/parser.hpp"

#include "layout/fail.hpp"

namespace tileloom::layout {

namespace {
constexpr std::size_t max_text = std::size_t{1} << 20;
}  // namespace

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
  return call(name, arguments, policy_);
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
  if (symbols_ != nullptr && peek() != '(') {
    at_ = start;
    return tree_or_layout();
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
