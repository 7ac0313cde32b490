// SPDX-License-Identifier: Apache-2.0
// What every verb's JSON begins with.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tileloom::cli {

using Json = nlohmann::ordered_json;

// Schema (`tileloom.gemm/1`: fields are only added within a major), version, git revision (null when unknown), argv.
[[nodiscard]] Json json_report(const std::string& schema, const std::vector<std::string>& argv);

// JSON has no NaN and no infinity: those become the strings "nan", "inf", "-inf".
[[nodiscard]] Json json_number(double value);

// Indented, with a newline at the end. Text that is not UTF-8 is shown with replacement characters.
[[nodiscard]] std::string json_text(const Json& json);
void print_json(const Json& json);  // to stdout

}  // namespace tileloom::cli
