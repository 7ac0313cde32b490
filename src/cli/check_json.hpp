// SPDX-License-Identifier: Apache-2.0
// The report of check as JSON, docs/cli/check.md.
#pragma once

#include <nlohmann/json.hpp>

#include "tileloom/trace/check.hpp"

namespace tileloom::cli {

[[nodiscard]] nlohmann::ordered_json check_json(const trace::CheckReport& report);

}  // namespace tileloom::cli
