// SPDX-License-Identifier: Apache-2.0
// What `tileloom trace` does once its arguments are known. Reads and writes streams only.
#pragma once

#include <istream>
#include <ostream>

namespace tileloom::cli {

// One JSON object a line in, the fields of trace::Query under the names of docs/cli/trace.md; one a line out,
// {"result": {...}} or {"error": ..., "hint": ...}.
void run_trace_batch(std::istream& in, std::ostream& out, bool cute);

}  // namespace tileloom::cli
