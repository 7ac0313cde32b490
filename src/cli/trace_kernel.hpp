// SPDX-License-Identifier: Apache-2.0
// `tileloom trace` of one kernel, once its arguments are known.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tileloom/trace/kernel.hpp"

namespace tileloom::cli {

struct TraceQuestion {
  std::string element;        // A:0,9 or A:0,9,2; empty: none
  std::string register_name;  // a2; empty: none
  std::string lane, warp;     // of the register
  std::string thread;         // whose layouts are shown
  bool json = false;
};

// `header` begins the JSON report. Throws Error.
void run_trace_kernel(const trace::Kernel& kernel, const TraceQuestion& question, const nlohmann::ordered_json& header,
                      std::ostream& out);

}  // namespace tileloom::cli
