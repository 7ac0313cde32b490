// SPDX-License-Identifier: Apache-2.0
// The files of shapes/, built into the program.
#pragma once

#include <string_view>

namespace tileloom::bench {

[[nodiscard]] std::string_view llm_core_list();

}  // namespace tileloom::bench
