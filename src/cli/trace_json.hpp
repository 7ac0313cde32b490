// SPDX-License-Identifier: Apache-2.0
// Models of trace as JSON, docs/formats/trace.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tileloom/trace/overview.hpp"
#include "tileloom/trace/route.hpp"

namespace tileloom::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json kernel_json(const trace::Kernel& kernel);
[[nodiscard]] Json overview_json(const trace::Overview& overview);
[[nodiscard]] Json route_json(const trace::Route& route);
[[nodiscard]] Json contents_json(const std::string& name, int warp, int lane,
                                 const std::vector<trace::RegisterContent>& contents);

}  // namespace tileloom::cli
