// SPDX-License-Identifier: Apache-2.0
#include "cli/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "cli/build_info.hpp"
#include "tileloom/version.hpp"

namespace tileloom::cli {

Json json_report(const std::string& schema, const std::vector<std::string>& argv) {
  const bool known = *git_revision != '\0';
  return {{"schema", schema},
          {"tileloom_version", TILELOOM_VERSION},
          {"git_revision", known ? Json(git_revision) : Json(nullptr)},
          {"git_dirty", known ? Json(git_dirty) : Json(nullptr)},
          {"argv", argv}};
}

Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", std::isnan(value) ? std::abs(value) : value));
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_json(const Json& json) {
  const std::string text = json_text(json);
  std::fwrite(text.data(), 1, text.size(), stdout);  // a failure is seen when the program ends
}

}  // namespace tileloom::cli
