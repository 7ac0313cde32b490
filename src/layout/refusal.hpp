// SPDX-License-Identifier: Apache-2.0
// Refusing without an exception, which takes ten times as long as an answer: a function that may refuse returns no
// value, and fills in why if somebody wants to know.
#pragma once

#include <optional>
#include <string>

#include "tileloom/layout/result.hpp"

namespace tileloom::layout {

struct Refusal {
  std::string message;
  std::string hint;

  [[nodiscard]] Error error() const { return {ErrorKind::bad_input, message, hint}; }
};

// text() is formed only where it is wanted.
template <class Text>
[[nodiscard]] std::nullopt_t refuse(Refusal* why, const Text& text) {
  if (why != nullptr) {
    *why = text();
  }
  return std::nullopt;
}

}  // namespace tileloom::layout
