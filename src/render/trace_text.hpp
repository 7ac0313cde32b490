// SPDX-License-Identifier: Apache-2.0
// What `tileloom trace` says of a kernel, as text.
#pragma once

#include <ostream>
#include <string>

#include "tileloom/trace/overview.hpp"
#include "tileloom/trace/route.hpp"

namespace tileloom::render {

void overview_text(std::ostream& out, const trace::Kernel& kernel, const trace::Overview& overview);
void route_text(std::ostream& out, const trace::Kernel& kernel, const trace::Route& route);
void contents_text(std::ostream& out, const trace::Kernel& kernel, const std::string& name, int warp, int lane,
                   const std::vector<trace::RegisterContent>& contents);

// `f16`, `A(0,9)`, `A(0,8..15)`; C's elements are called D's, the results.
[[nodiscard]] std::string element_text(trace::Operand operand, hw::MatrixPosition p);
[[nodiscard]] std::string range_text(char letter, hw::MatrixPosition first, hw::MatrixPosition last);
// `0..3, 8`
[[nodiscard]] std::string numbers_text(const std::vector<int>& ascending);
// `M = 4096, K = 4096`
[[nodiscard]] std::string sizes_text(const trace::Kernel& kernel);

}  // namespace tileloom::render
