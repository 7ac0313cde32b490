// SPDX-License-Identifier: Apache-2.0
// Expressions: layout text with calls, for example
//   zipped_divide(tile_to_shape(Sw<3,3,3> o _0 o (_8,_32):(_32,_1), (_128,_32)), (_16,_16))
// The functions are the operations of algebra.hpp and tree.hpp under CuTe's names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tileloom/layout/algebra.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::layout {

using Value = std::variant<Tree, Layout, ComposedLayout, Swizzle, Tiler, Tensor, Pointer, Major, bool>;

[[nodiscard]] std::string to_string(const Value& value);
// "a layout", "a swizzle", ...
[[nodiscard]] std::string kind_of(const Value& value);

// Throws tileloom::Error for malformed text (with the column), unknown functions (with the nearest name), wrong
// arguments, and everything that the operations refuse.
[[nodiscard]] Value evaluate(std::string_view text, const Policy& policy = {});
[[nodiscard]] Result<Value> try_evaluate(std::string_view text, const Policy& policy = {});
// Calls a function by name.
[[nodiscard]] Value call(std::string_view name, const std::vector<Value>& arguments, const Policy& policy = {});

// Every function, for help texts: name and arguments.
struct FunctionInfo {
  std::string_view name;
  std::string_view arguments;
};
[[nodiscard]] std::span<const FunctionInfo> functions();

}  // namespace tileloom::layout
