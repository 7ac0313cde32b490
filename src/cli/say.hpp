// SPDX-License-Identifier: Apache-2.0
// Text to stderr.
#pragma once

#include <cstdio>
#include <string>

namespace tileloom::cli {

// What is said beside the data never decides whether the work succeeds: a stderr that cannot be written is ignored.
inline void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace tileloom::cli
