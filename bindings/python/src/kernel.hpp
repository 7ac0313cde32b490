// SPDX-License-Identifier: Apache-2.0
// A kernel configuration and what it evaluates to, shared by all answers about it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/trace_json.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::python {

struct PyKernel {
  std::string name;                   // of the configuration, for messages
  std::string json;                   // its text
  std::vector<std::string> settings;  // FIELD=VALUE
  layout::SymbolValues sizes;         // as given
  bool shipped = false;
  std::shared_ptr<const trace::Kernel> model = nullptr;
};

using Settings = std::map<std::string, std::string>;
using Sizes = std::map<std::string, std::int64_t>;

[[nodiscard]] PyKernel shipped_kernel(const std::string& name, const Settings& settings, const Sizes& sizes);
// The same with further settings and sizes.
[[nodiscard]] PyKernel replaced(const PyKernel& kernel, const Settings& settings, const Sizes& sizes);

// What --json prints, from `kernel` on: the report of one answer.
[[nodiscard]] cli::Json report(const std::string& schema, const PyKernel& kernel, const cli::Json& answer);

}  // namespace tileloom::python
