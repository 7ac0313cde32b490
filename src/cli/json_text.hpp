// SPDX-License-Identifier: Apache-2.0
// JSON from text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tileloom::cli {

// Throws Error(bad_input): `line 3, column 7: not JSON from here on`.
[[nodiscard]] nlohmann::ordered_json parse_json(const std::string& text);

}  // namespace tileloom::cli
