// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tileloom/layout/symbols.hpp"

namespace tileloom::layout {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// What symbols read as: their values if there are some, else 1. `leaves` gets one entry for each leaf read.
struct SymbolScope {
  const SymbolValues* values = nullptr;
  std::vector<Symbol> leaves;
};

// Recursive descent over the grammar of text.hpp and expression.hpp; calls are evaluated as they are read.
class Parser {
 public:
  // Without `symbols` there are none in the text.
  Parser(std::string_view text, const Policy& policy, bool calls, SymbolScope* symbols = nullptr)
      : text_(text), policy_(policy), calls_(calls), symbols_(symbols) {}
  // The whole text.
  [[nodiscard]] Value parse();

 private:
  [[nodiscard]] Value expression();
  [[nodiscard]] Value named();
  [[nodiscard]] Value function_call(std::string_view name);
  [[nodiscard]] Value swizzled();
  [[nodiscard]] Value pointer_or_tensor(std::string_view space);
  [[nodiscard]] Value tree_or_layout();
  [[nodiscard]] Tiler tiler();
  [[nodiscard]] Tree tree();
  void tree_into(TreeBuilder& b);
  [[nodiscard]] Int leaf();
  [[nodiscard]] Int integer();
  [[nodiscard]] Int symbol();
  [[nodiscard]] Int value_of(const Symbol& symbol, std::size_t position);
  [[nodiscard]] Offset offset();
  [[nodiscard]] Swizzle swizzle();
  [[nodiscard]] AnyLayout layout_after_o();
  [[nodiscard]] Pointer pointer(std::string_view space);
  [[nodiscard]] std::int64_t digits();
  [[nodiscard]] std::string_view word();

  void skip_space();
  [[nodiscard]] char peek();
  [[nodiscard]] bool accept(char c);
  [[nodiscard]] bool accept_o();
  void expect(char c);
  [[noreturn]] void unexpected(const std::string& wanted);
  [[noreturn]] void error_at(std::size_t position, const std::string& message);

  std::string_view text_;
  const Policy& policy_;
  bool calls_;
  SymbolScope* symbols_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace tileloom::layout
