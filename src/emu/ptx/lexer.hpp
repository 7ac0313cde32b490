// SPDX-License-Identifier: Apache-2.0
// PTX text to tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tileloom::emu::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    word,     // name, %reg, opcode root
    dotted,   // `.word`; the text is without the dot
    integer,  // bits: the value
    f32,      // 0f...; bits: the pattern
    f64,      // 0d... or a decimal fraction; bits: the pattern
    string,   // text is between the quotes
    punct,    // one character
    end,
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint64_t bits = 0;
  std::uint32_t line = 1;

  [[nodiscard]] bool is(char c) const { return kind == Kind::punct && text[0] == c; }
  [[nodiscard]] bool is_word(std::string_view w) const { return kind == Kind::word && text == w; }
  [[nodiscard]] bool is_dotted(std::string_view w) const { return kind == Kind::dotted && text == w; }
};

// Throws Error(bad_input, `NAME:LINE: ...`) for a character or number that PTX does not have.
class Lexer {
 public:
  Lexer(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}
  [[nodiscard]] Token next();
  [[noreturn]] void fail(std::uint32_t line, const std::string& message) const;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void skip_space();
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] Token word(std::size_t begin);
  [[nodiscard]] Token dotted();
  [[nodiscard]] Token number();
  [[nodiscard]] Token hex_float();
  [[nodiscard]] Token decimal_float();
  [[nodiscard]] Token integer();
  [[nodiscard]] Token string();
  [[nodiscard]] Token make(Token::Kind kind, std::size_t begin, std::size_t end) const {
    return {kind, text_.substr(begin, end - begin), 0, line_};
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace tileloom::emu::ptx
