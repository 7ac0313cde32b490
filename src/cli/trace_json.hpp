// SPDX-License-Identifier: Apache-2.0
// Models of trace as JSON, docs/formats/trace.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tileloom/trace/explain.hpp"
#include "tileloom/trace/overview.hpp"
#include "tileloom/trace/route.hpp"
#include "tileloom/trace/thread_elements.hpp"
#include "tileloom/trace/tile_map.hpp"

namespace tileloom::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json kernel_json(const trace::Kernel& kernel);
// Further fields of it: the CTA in its grid.
[[nodiscard]] Json cta_json(const trace::Kernel& kernel, trace::CtaIndex cta);
[[nodiscard]] Json overview_json(const trace::Overview& overview);
[[nodiscard]] Json stages_json(const std::vector<trace::StageLayouts>& stages);
[[nodiscard]] Json explained_json(const trace::ExplainedTensor& tensor);
[[nodiscard]] Json elements_json(const trace::ThreadElements& elements);
[[nodiscard]] Json map_json(const trace::TileMap& map);
[[nodiscard]] Json route_json(const trace::Kernel& kernel, const trace::Route& route);
[[nodiscard]] Json register_json(const trace::Kernel& kernel, const trace::RegisterReport& report);

// [row, column]
[[nodiscard]] inline Json position_json(hw::MatrixPosition p) {
  return Json{p.row, p.column};
}
// A, B or D
[[nodiscard]] inline std::string operand_name(trace::Operand o) {
  return std::string(1, o == trace::Operand::c ? 'D' : letter(o));
}

}  // namespace tileloom::cli
