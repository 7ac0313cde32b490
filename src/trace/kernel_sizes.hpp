// SPDX-License-Identifier: Apache-2.0
// The matrices of a configuration, their symbols given values.
#pragma once

#include <array>
#include <optional>

#include "tileloom/layout/symbols.hpp"
#include "tileloom/trace/kernel_config.hpp"

namespace tileloom::trace {

struct Matrices {
  std::array<std::optional<layout::SymbolicLayout>, 3> symbols;
  std::array<std::optional<layout::AnyLayout>, 3> layouts;  // whole
  std::array<std::optional<layout::AnyLayout>, 3> tiles;    // what CTA (0,0) sees: k-tiles as a third mode of A and B
  layout::SymbolValues sizes;
};

// `given` has the values that somebody chose. Throws Error(bad_input).
[[nodiscard]] Matrices read_matrices(const KernelConfig& config, const layout::SymbolValues& given);

}  // namespace tileloom::trace
