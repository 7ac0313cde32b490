// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tileloom/layout/layout.hpp"

namespace tileloom::layout {

inline void note(const Policy& policy, const std::string& sentence) {
  if (policy.log != nullptr) {
    policy.log->notes.push_back(sentence);
  }
}

[[nodiscard]] inline bool wants_steps(const Policy& policy) {
  return policy.log != nullptr && policy.log->want_steps;
}

// Records a step; what() is the expression, formed only if somebody wants to read it.
template <class What>
void step(const Policy& policy, const What& what, const Layout& result) {
  if (wants_steps(policy)) {
    policy.log->steps.push_back({what(), to_string(result)});
  }
}

}  // namespace tileloom::layout
