// SPDX-License-Identifier: Apache-2.0
#include "emu/ptx/lexer.hpp"

#include <bit>
#include <cctype>
#include <charconv>

#include "tileloom/error.hpp"

namespace tileloom::emu::ptx {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

}  // namespace

void Lexer::fail(std::uint32_t line, const std::string& message) const {
  throw Error(ErrorKind::bad_input, name_ + ":" + std::to_string(line) + ": " + message);
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && peek(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) fail(line_, "a comment that never ends");
      for (; at_ < end + 2; ++at_) {
        if (text_[at_] == '\n') ++line_;
      }
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_space();
  if (at_ >= text_.size()) return {Token::Kind::end, "end of file", 0, line_};
  const char c = text_[at_];
  if (is_digit(c)) return number();
  if (is_word_start(c) && (c != '%' || is_word_char(peek(1)))) return word(at_);
  if (c == '.' && is_word_char(peek(1))) return dotted();
  if (c == '"') return string();
  if (std::string_view("{}[]()<>,;:@!|+-*=~&^/.%").find(c) == std::string_view::npos) {
    fail(line_, "unexpected character " + (std::isprint(static_cast<unsigned char>(c)) != 0
                                               ? "'" + std::string(1, c) + "'"
                                               : "with code " + std::to_string(static_cast<unsigned char>(c))));
  }
  ++at_;
  return make(Token::Kind::punct, at_ - 1, at_);
}

Token Lexer::word(std::size_t begin) {
  ++at_;
  while (is_word_char(peek())) ++at_;
  return make(Token::Kind::word, begin, at_);
}

// `.shared::cta` and `.L2::128B` are one word.
Token Lexer::dotted() {
  const std::size_t begin = ++at_;
  while (is_word_char(peek()) || (peek() == ':' && peek(1) == ':' && is_word_char(peek(2)))) {
    at_ += peek() == ':' ? 2 : 1;
  }
  return make(Token::Kind::dotted, begin, at_);
}

Token Lexer::string() {
  const std::size_t begin = at_ + 1;
  std::size_t end = begin;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') ++end;
  if (end >= text_.size() || text_[end] != '"') fail(line_, "a string that never ends");
  at_ = end + 1;
  return make(Token::Kind::string, begin, end);
}

Token Lexer::number() {
  const char second = peek(1);
  if (peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) return hex_float();
  std::size_t digits = at_;
  while (digits < text_.size() && is_digit(text_[digits])) ++digits;
  const char after = digits < text_.size() ? text_[digits] : '\0';
  const bool fraction = after == '.' && digits + 1 < text_.size() && is_digit(text_[digits + 1]);
  if (fraction || ((after == 'e' || after == 'E') && !(peek() == '0' && digits == at_ + 1))) return decimal_float();
  return integer();
}

Token Lexer::hex_float() {
  const bool single = peek(1) == 'f' || peek(1) == 'F';
  const std::size_t begin = at_;
  const std::size_t digits = single ? 8 : 16;
  std::uint64_t bits = 0;
  at_ += 2;
  const char* first = text_.data() + at_;
  const char* last = text_.data() + std::min(at_ + digits, text_.size());
  const auto [end, error] = std::from_chars(first, last, bits, 16);
  if (error != std::errc() || end != first + digits) {
    fail(line_, std::string("a floating-point constant 0") + (single ? "f" : "d") + " needs " + std::to_string(digits) +
                    " hexadecimal digits");
  }
  at_ += digits;
  Token token = make(single ? Token::Kind::f32 : Token::Kind::f64, begin, at_);
  token.bits = bits;
  return token;
}

Token Lexer::decimal_float() {
  const std::size_t begin = at_;
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc()) fail(line_, "a floating-point constant outside the range of f64");
  at_ = static_cast<std::size_t>(end - text_.data());
  Token token = make(Token::Kind::f64, begin, at_);
  token.bits = std::bit_cast<std::uint64_t>(value);
  return token;
}

Token Lexer::integer() {
  const std::size_t begin = at_;
  int base = 10;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    base = 16;
  } else if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B')) {
    base = 2;
  } else if (peek() == '0' && is_digit(peek(1))) {
    base = 8;
  }
  at_ += base == 16 || base == 2 ? 2 : 0;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, base);
  if (error != std::errc()) fail(line_, "an integer constant that is malformed or wider than 64 bits");
  at_ = static_cast<std::size_t>(end - text_.data());
  if (peek() == 'U') ++at_;
  if (is_word_char(peek())) fail(line_, "an integer constant that ends in '" + std::string(1, peek()) + "'");
  Token token = make(Token::Kind::integer, begin, at_);
  token.bits = value;
  return token;
}

}  // namespace tileloom::emu::ptx
