// SPDX-License-Identifier: Apache-2.0
// The one exception type of Tileloom.
//
// A function `x` throws tileloom::Error; where a caller may expect failure there is also `try_x`,
// which returns a result with the same message. Nothing aborts, nothing returns a wrong answer silently.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tileloom {

// What went wrong, in the classes of the program's exit codes.
enum class ErrorKind {
  check_failed = 1,  // a result was wrong, or a checked rule was broken
  bad_input = 2,     // usage, a malformed file, a value outside its range
  cannot_run = 3,    // right input, but not here: no GPU, arch not supported
  io = 4,            // the operating system refused to read or write
};

// Message: names the thing, what was expected and what was found; lower case, no full stop.
// Hint: the way out, or empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  [[nodiscard]] int exit_code() const noexcept { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
  std::string hint_;
};

}  // namespace tileloom
