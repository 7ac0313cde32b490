// SPDX-License-Identifier: Apache-2.0
// Elements, CTAs, operands and tensors, as the options of trace name them.
#pragma once

#include <string>
#include <vector>

#include "tileloom/trace/overview.hpp"

namespace tileloom::cli {

struct ElementName {
  trace::Operand operand = trace::Operand::a;
  hw::MatrixPosition position;
  std::int64_t k_tile = 0;
};

// A:0,9 and A:0,9,2; D and C are the output. Throws Error(bad_input).
[[nodiscard]] ElementName parse_element(const std::string& text);
// 3,5
[[nodiscard]] trace::CtaIndex parse_cta(const std::string& text);
// A, B, D, C
[[nodiscard]] trace::Operand parse_operand(const std::string& option, const std::string& text);

// The tensors of these names, in their stages. Names that code elsewhere uses for the same tensor are understood where
// the kernel has no tensor of that very name: tDgD for tCgC. Throws Error(bad_input), with the nearest name.
[[nodiscard]] std::vector<trace::StageLayouts> named_tensors(const std::vector<trace::StageLayouts>& stages,
                                                             const std::vector<std::string>& names);

}  // namespace tileloom::cli
