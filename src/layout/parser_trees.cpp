// SPDX-License-Identifier: Apache-2.0
// Integers, symbols, trees, and layouts made of two of them.
#include <array>

#include "layout/parser.hpp"

namespace tileloom::layout {

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

// NAME or NAME{div=N}
Int Parser::symbol() {
  const std::size_t start = at_;
  Symbol s{std::string(word())};
  if (accept('{')) {
    skip_space();
    const std::size_t key = at_;
    if (word() != "div") {
      error_at(key, "expected div=N, what divides " + s.name);
    }
    expect('=');
    skip_space();
    const std::size_t number = at_;
    s.divisor = digits();
    if (s.divisor < 1) {
      error_at(number, "the divisor of " + s.name + " is " + std::to_string(s.divisor) + ", expected at least 1");
    }
    expect('}');
  }
  const Int value = symbols_->values == nullptr ? Int::make_dynamic(1) : value_of(s, start);
  symbols_->leaves.push_back(std::move(s));
  return value;
}

Int Parser::value_of(const Symbol& symbol, std::size_t position) {
  const auto found = symbols_->values->find(symbol.name);
  if (found == symbols_->values->end()) {
    error_at(position, "the symbol " + symbol.name + " has no value");
  }
  if (found->second % symbol.divisor != 0) {
    error_at(position, symbol.name + " = " + std::to_string(found->second) + " is not a multiple of " +
                           std::to_string(symbol.divisor));
  }
  return Int::make_dynamic(found->second);
}

Int Parser::leaf() {
  if (symbols_ == nullptr) {
    skip_space();
    return integer();
  }
  if (is_letter(peek())) {
    return symbol();
  }
  symbols_->leaves.emplace_back();
  return integer();
}

void Parser::tree_into(TreeBuilder& b) {
  if (!accept('(')) {
    b.leaf(leaf());
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

}  // namespace tileloom::layout
