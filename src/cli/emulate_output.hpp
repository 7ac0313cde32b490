// SPDX-License-Identifier: Apache-2.0
// What `tileloom emulate` says of a launch.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/emulate_run.hpp"
#include "cli/report.hpp"

namespace tileloom::cli {

// Known before the launch. `kernel`: its demangled name.
void emulate_headline(std::ostream& out, const EmulateRequest& request, const std::string& kernel);
void emulate_text(std::ostream& out, const EmulateRequest& request, const EmulateOutcome& outcome);
// What a reader must know before trusting the result.
[[nodiscard]] std::vector<std::string> emulate_notes(const EmulateRequest& request, const EmulateOutcome& outcome);
// The fields after those that every report begins with.
[[nodiscard]] Json emulate_json(const EmulateRequest& request, const EmulateOutcome& outcome);

// The kernels of a file.
void entries_text(std::ostream& out, const std::vector<emu::Module>& modules);
[[nodiscard]] Json entries_json(const std::vector<emu::Module>& modules, const std::string& path);

}  // namespace tileloom::cli
