// SPDX-License-Identifier: Apache-2.0
// The report of check as JSON, docs/cli/check.md.
#pragma once

#include <nlohmann/json.hpp>

#include "tileloom/trace/check.hpp"
#include "tileloom/trace/suggest.hpp"

namespace tileloom::cli {

[[nodiscard]] nlohmann::ordered_json check_json(const trace::CheckReport& report);
[[nodiscard]] nlohmann::ordered_json suggestions_json(const trace::Suggestions& suggestions);

}  // namespace tileloom::cli
