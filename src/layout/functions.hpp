// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "layout/arguments.hpp"

namespace tileloom::layout {

struct Function {
  FunctionInfo info;
  std::size_t least;  // arguments
  std::size_t most;
  Value (*run)(const Arguments& a);
};

inline constexpr std::size_t any_number = 16;  // of arguments

// All functions, by name.
[[nodiscard]] std::span<const Function> function_table();

}  // namespace tileloom::layout
