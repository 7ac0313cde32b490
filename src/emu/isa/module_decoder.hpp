// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emu/machine/program.hpp"

namespace tileloom::emu {

// Throws Error(bad_input, `NAME:LINE: ...`).
[[nodiscard]] Program decode(ptx::Module module);

}  // namespace tileloom::emu
