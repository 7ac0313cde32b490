// SPDX-License-Identifier: Apache-2.0
// Values of --kernels and --compare.
#pragma once

#include <string>
#include <vector>

#include "bench/session.hpp"
#include "bench/shapes.hpp"

namespace tileloom::cli {

// A list of NAME, NAME@STAGES, NAME@STAGES/BAND and NAME/BAND: NAME is an instance, a family (its default instance),
// `auto` (the library's choice), `all` (every instance that sums so) or PREFIX* (those whose names begin so); BAND is
// the width of the rasterisation in tile columns, 0 for none. Each becomes a contender whose label is what was written,
// or the instance's name in its place. Each is tried at `shape`. Throws Error(bad_input).
[[nodiscard]] std::vector<bench::Contender> parse_kernels(const std::string& text, const bench::Shape& shape,
                                                          Accumulate accumulate);

// `cublas,cublaslt-best`, or `none`.
[[nodiscard]] std::vector<bench::Contender> parse_compare(const std::string& text);

}  // namespace tileloom::cli
