// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "emu/ptx/ast.hpp"

namespace tileloom::emu::ptx {

// Throws Error(bad_input, `NAME:LINE: ...`).
[[nodiscard]] Module parse(std::string_view text, std::string name);

}  // namespace tileloom::emu::ptx
