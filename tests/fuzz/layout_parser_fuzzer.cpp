// SPDX-License-Identifier: Apache-2.0
// Layout text on any bytes: refused with an Error of bad input, or read, printed and read back as the same text.
// clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/fuzz/layout_parser_fuzzer.cpp
// src/layout/*.cpp
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tileloom/layout/symbols.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tileloom;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto read : {+[](std::string_view t) { return to_string(layout::parse_tree(t)); },
                          +[](std::string_view t) { return to_string(layout::parse_symbolic_tree(t)); },
                          +[](std::string_view t) { return to_string(layout::parse_symbolic_layout(t)); },
                          +[](std::string_view t) { return to_string(layout::parse_any_layout(t)); },
                          +[](std::string_view t) { return to_string(layout::parse_tiler(t)); },
                          +[](std::string_view t) { return to_string(layout::parse_tensor(t)); }}) {
    std::string printed;
    try {
      printed = read(text);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_input || std::string_view(error.what()).empty()) {
        std::abort();
      }
      continue;
    }
    if (read(printed) != printed) {
      std::abort();
    }
  }
  return 0;
}
