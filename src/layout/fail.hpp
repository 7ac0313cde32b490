// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tileloom/error.hpp"

namespace tileloom::layout {

[[noreturn]] inline void fail(const std::string& message, std::string hint = {}) {
  throw Error(ErrorKind::bad_input, message, std::move(hint));
}

}  // namespace tileloom::layout
