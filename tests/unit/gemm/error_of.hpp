// SPDX-License-Identifier: Apache-2.0
// The Error that a call throws, for tests of exact texts.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tileloom/error.hpp"

namespace tileloom::test {

struct Caught {
  std::string message;  // empty: nothing was thrown
  std::string hint;
  int exit_code = 0;
};

template <class Call>
Caught error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.what(), error.hint(), error.exit_code()};
  }
  return {};
}

#define EXPECT_ERROR(call, text, code)                                   \
  do {                                                                   \
    const auto caught = tileloom::test::error_of([&] { (void)(call); }); \
    EXPECT_EQ(caught.message, text);                                     \
    EXPECT_EQ(caught.exit_code, code);                                   \
  } while (false)

}  // namespace tileloom::test
