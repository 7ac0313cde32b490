// SPDX-License-Identifier: Apache-2.0
// CSV as in RFC 4180, with LF ends.
#pragma once

#include <string>
#include <vector>

namespace tileloom {

// One line, its newline included.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace tileloom
