// SPDX-License-Identifier: Apache-2.0
// Values of --shapes and --sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/shapes.hpp"

namespace tileloom::cli {

// `text` at each of `separator`; empty parts stay.
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);

// Each value is a list of sets (squares), M,N,K and files, with ; between them. What is named again is left out.
[[nodiscard]] std::vector<bench::Shape> parse_bench_shapes(const std::vector<std::string>& values);

// `1024,8192` or `256:16384:256`
[[nodiscard]] std::vector<std::int64_t> parse_bench_sizes(const std::string& text);

}  // namespace tileloom::cli
