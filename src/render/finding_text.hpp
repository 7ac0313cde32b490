// SPDX-License-Identifier: Apache-2.0
// What the emulator's checks found, as text.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tileloom/emu/finding.hpp"

namespace tileloom::render {

// `no race and no uninitialised read`, `2 races and 1 uninitialised read`.
[[nodiscard]] std::string count_findings(const std::vector<emu::Finding>& findings,
                                         const std::vector<emu::UninitialisedRead>& reads);

// Each in full.
void findings_text(std::ostream& out, const std::vector<emu::Finding>& findings,
                   const std::vector<emu::UninitialisedRead>& reads);

}  // namespace tileloom::render
