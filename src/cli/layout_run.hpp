// SPDX-License-Identifier: Apache-2.0
// What `tileloom layout` does once its arguments are known. Reads and writes streams only.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace tileloom::cli {

struct LayoutOptions {
  std::string expression;
  std::string equal;  // a second expression to compare with
  std::string at;     // a coordinate
  bool cute = false;
  bool table = false;
  bool explain = false;
  bool properties = false;
  bool json = false;
};

// Evaluates the expression; the answer goes to `out`, notes to `err`. `header` begins the JSON report.
// Returns the exit code: 1 if --equal finds a difference. Throws tileloom::Error.
[[nodiscard]] int run_layout(const LayoutOptions& options, const nlohmann::ordered_json& header, std::ostream& out,
                             std::ostream& err);

// One JSON object a line in, {"op": ..., "args": [...]}; one a line out, {"result": ...} or {"error": ...}. `progress`
// hears of bytes done and of all bytes.
using BatchProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;
void run_layout_batch(std::istream& in, std::ostream& out, bool cute, const BatchProgress& progress = {});

}  // namespace tileloom::cli
