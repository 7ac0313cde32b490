// SPDX-License-Identifier: Apache-2.0
// Layout expressions on any bytes, both semantics: an Error of bad input, or a value that prints. An answer under the
// default that CuTe does not give comes with a note.
// clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/fuzz/layout_evaluation_fuzzer.cpp
// src/layout/*.cpp
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tileloom/layout/expression.hpp"

namespace {

// The printed value, or empty if it is refused.
std::string answer(std::string_view text, const tileloom::layout::Policy& policy) {
  try {
    return to_string(tileloom::layout::evaluate(text, policy));
  } catch (const tileloom::Error& error) {
    if (error.kind() != tileloom::ErrorKind::bad_input || std::string_view(error.what()).empty()) {
      std::abort();
    }
    return {};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tileloom::layout;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Log log;
  log.want_steps = true;
  const std::string correct = answer(text, {Semantics::correct, &log});
  const std::string cute = answer(text, Semantics::cute);
  if (!correct.empty() && !cute.empty() && correct != cute && log.notes.empty()) {
    std::abort();
  }
  return 0;
}
