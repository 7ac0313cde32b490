// SPDX-License-Identifier: Apache-2.0
// The table of element types.
#pragma once

#include <optional>
#include <string_view>

#include "tileloom/npy.hpp"

namespace tileloom::npy {

// As a header has it: `<f2`, `|u1`.
[[nodiscard]] std::string_view descr_of(Type type);
// Nothing for a type that is not supported here.
[[nodiscard]] std::optional<Type> parse_descr(std::string_view descr);

}  // namespace tileloom::npy
