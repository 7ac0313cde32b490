// SPDX-License-Identifier: Apache-2.0
// The options by which trace and check are told of a kernel.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tileloom/trace/kernel.hpp"

namespace tileloom::cli {

struct ConfigOptions {
  std::string file;                   // CONFIG
  std::string kernel;                 // --kernel
  std::vector<std::string> settings;  // --set
  std::vector<std::string> sizes;     // --size
};

void add_config_options(CLI::App& verb, ConfigOptions& options);

[[nodiscard]] inline bool names_a_kernel(const ConfigOptions& o) {
  return !o.file.empty() || !o.kernel.empty();
}

// Reads and evaluates it. `verb` is for messages. Throws Error.
[[nodiscard]] trace::Kernel load_kernel(const std::string& verb, const ConfigOptions& options);

}  // namespace tileloom::cli
