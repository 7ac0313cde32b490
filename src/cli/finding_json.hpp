// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/report.hpp"
#include "tileloom/emu/finding.hpp"

namespace tileloom::cli {

// An array with one object a finding; null members where the PTX names no source line.
[[nodiscard]] Json findings_json(const std::vector<emu::Finding>& findings);
[[nodiscard]] Json uninitialised_reads_json(const std::vector<emu::UninitialisedRead>& reads);

}  // namespace tileloom::cli
