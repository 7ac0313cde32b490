// SPDX-License-Identifier: Apache-2.0
// What `tileloom atom` does once its arguments are known. Writes to a stream only.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace tileloom::cli {

// As written on the command line; empty: not given.
struct AtomOptions {
  std::string action;                      // list, show, where, holds, table
  std::string name, operand, row, column;  // of the action, in this order
  std::string arch, kind;                  // list
  std::string lane, warp, value;           // holds
  std::string by;                          // table: matrix, lane
  bool json = false, csv = false, markdown = false;
};

// The answer goes to `out`; `header` begins the JSON report. Throws tileloom::Error.
void run_atom(const AtomOptions& options, const nlohmann::ordered_json& header, std::ostream& out);

}  // namespace tileloom::cli
