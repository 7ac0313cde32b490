// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <variant>

#include "tileloom/error.hpp"

namespace tileloom::layout {

// A value or the error that parsing or evaluating met.
template <class T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::move(error)) {}  // NOLINT
  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  // Throws the error if there is no value.
  [[nodiscard]] const T& value() const {
    if (!ok()) {
      throw Error(std::get<1>(state_));
    }
    return std::get<0>(state_);
  }
  // Precondition: !ok().
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace tileloom::layout
