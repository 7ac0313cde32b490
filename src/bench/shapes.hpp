// SPDX-License-Identifier: Apache-2.0
// Sizes of products to measure: as text, in files, and the two sets that come with the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/gemm.hpp"

namespace tileloom::bench {

struct Shape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::string name = {};  // whose it is; may be empty

  [[nodiscard]] bool same_sizes(const Shape& other) const { return m == other.m && n == other.n && k == other.k; }
  [[nodiscard]] bool square() const { return m == n && n == k; }
  bool operator==(const Shape&) const = default;
};

// `1,6144,4096`
[[nodiscard]] std::string to_string(const Shape& shape);

[[nodiscard]] GemmProblem problem_of(const Shape& shape, Accumulate accumulate);

// 2 m n k
[[nodiscard]] double operations(const Shape& shape);
// Of A, B and D in f16, each once.
[[nodiscard]] double least_bytes(const Shape& shape);

// `M,N,K`; `where` begins the message. Throws Error(bad_input) for another form, a size outside 1 to 2^20, or a matrix
// of more than 2^31 elements.
[[nodiscard]] Shape parse_shape(const std::string& where, std::string_view text);

// One `M,N,K NAME` a line; the name may be missing, # begins a comment. Errors name the file and the line.
[[nodiscard]] std::vector<Shape> parse_shape_file(const std::string& file, std::string_view text);

// `squares`: 256 to 16384 in 13 steps; `llm-core`: layers of language models, in the order of shapes/llm-core.txt.
[[nodiscard]] const std::vector<std::string>& shape_set_names();
// Precondition: one of these names.
[[nodiscard]] std::vector<Shape> shape_set(std::string_view name);

// The first of each m, n, k, in their order.
[[nodiscard]] std::vector<Shape> without_repetitions(const std::vector<Shape>& shapes);

}  // namespace tileloom::bench
