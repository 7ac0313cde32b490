// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tileloom/layout/expression.hpp"

namespace tileloom::layout {

// Recursive descent over the grammar of text.hpp and expression.hpp; calls are evaluated as they are read.
class Parser {
 public:
  Parser(std::string_view text, const Policy& policy, bool calls) : text_(text), policy_(policy), calls_(calls) {}
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
  [[nodiscard]] Int integer();
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
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace tileloom::layout
