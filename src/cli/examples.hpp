// SPDX-License-Identifier: Apache-2.0
// The examples of docs/cli/NAME.md, built into the program.
#pragma once

#include <string_view>

namespace tileloom::cli {

// Indented, one a line, under the word Examples; empty for a name without a page.
[[nodiscard]] std::string_view examples_of(std::string_view name);

}  // namespace tileloom::cli
