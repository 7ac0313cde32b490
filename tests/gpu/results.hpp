// SPDX-License-Identifier: Apache-2.0
// The record of a run on a GPU, as it is committed under results/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tileloom::test {

// Writes `content` with schema, device, driver, toolkit, date and $TILELOOM_REVISION to $TILELOOM_RESULTS/NAME.json.
// Does nothing where that folder is not named.
void write_results(const std::string& name, const nlohmann::json& content);

}  // namespace tileloom::test
