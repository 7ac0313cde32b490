// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tileloom/layout/expression.hpp"

namespace tileloom::layout {

// The arguments of a call, with conversions that name the argument when they fail.
class Arguments {
 public:
  Arguments(const FunctionInfo& f, const std::vector<Value>& values, const Policy& policy)
      : function_(f), values_(values), policy_(policy) {}

  [[nodiscard]] std::size_t count() const noexcept { return values_.size(); }
  [[nodiscard]] const Policy& policy() const noexcept { return policy_; }
  [[nodiscard]] const Value& operator[](std::size_t i) const { return values_[i]; }

  template <class T>
  [[nodiscard]] bool is(std::size_t i) const {
    return i < count() && std::holds_alternative<T>(values_[i]);
  }
  [[nodiscard]] const Layout& layout(std::size_t i) const { return get<Layout>(i, "a layout"); }
  [[nodiscard]] const Swizzle& swizzle(std::size_t i) const { return get<Swizzle>(i, "a swizzle"); }
  [[nodiscard]] const Tree& tree(std::size_t i) const { return get<Tree>(i, "an integer or a tuple"); }
  // A layout, a swizzled layout, or the layout of a tensor.
  [[nodiscard]] AnyLayout any_layout(std::size_t i) const;
  // A shape, or the shape of a layout.
  [[nodiscard]] Tree shape(std::size_t i) const;
  [[nodiscard]] Int integer(std::size_t i) const;
  [[nodiscard]] std::size_t index(std::size_t i) const;    // of a mode
  [[nodiscard]] std::int64_t factor(std::size_t i) const;  // at least 1
  [[nodiscard]] Tiler tiler(std::size_t i) const;
  [[nodiscard]] Order order(std::size_t i) const;
  [[noreturn]] void wrong(std::size_t i, const std::string& wanted) const;

 private:
  template <class T>
  [[nodiscard]] const T& get(std::size_t i, const char* wanted) const {
    if (!is<T>(i)) {
      wrong(i, wanted);
    }
    return std::get<T>(values_[i]);
  }

  const FunctionInfo& function_;
  const std::vector<Value>& values_;
  const Policy& policy_;
};

}  // namespace tileloom::layout
