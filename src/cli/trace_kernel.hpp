// SPDX-License-Identifier: Apache-2.0
// `tileloom trace` of one kernel, once its arguments are known.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tileloom/trace/kernel.hpp"

namespace tileloom::cli {

// Texts of the options; empty: not given.
struct TraceQuestion {
  std::string element;               // A:0,9 or A:0,9,2
  std::string register_name;         // a2
  std::string lane, warp, k_tile;    // of the register
  std::string map;                   // A
  std::string thread;                // whose layouts are shown
  std::string cta;                   // M,N
  std::vector<std::string> tensors;  // tCsA
  bool explain = false;
  bool json = false;
};

// `header` begins the JSON report. Throws Error.
void run_trace_kernel(const trace::Kernel& kernel, const TraceQuestion& question, const nlohmann::ordered_json& header,
                      std::ostream& out);

}  // namespace tileloom::cli
