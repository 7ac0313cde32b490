// SPDX-License-Identifier: Apache-2.0
// Characters, words, and errors that point at the column.
#include <algorithm>
#include <cctype>

#include "layout/fail.hpp"
#include "layout/parser.hpp"

namespace tileloom::layout {

namespace {
constexpr std::size_t shown_around = 60;
}  // namespace

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

}  // namespace tileloom::layout
