// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.hpp"

namespace tileloom::cli {

void add_layout_command(CLI::App& program, Invocation& invocation);

}  // namespace tileloom::cli
