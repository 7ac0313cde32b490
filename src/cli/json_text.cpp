// SPDX-License-Identifier: Apache-2.0
#include "cli/json_text.hpp"

#include <algorithm>

#include "tileloom/error.hpp"

namespace tileloom::cli {

nlohmann::ordered_json parse_json(const std::string& text) {
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error& e) {
    const std::size_t at = std::min(e.byte > 0 ? e.byte - 1 : 0, text.size());
    const std::string before = text.substr(0, at);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = at - (before.rfind('\n') + 1) + 1;
    throw Error(ErrorKind::bad_input,
                "line " + std::to_string(line) + ", column " + std::to_string(column) + ": not JSON from here on");
  }
}

}  // namespace tileloom::cli
