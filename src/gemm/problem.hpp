// SPDX-License-Identifier: Apache-2.0
// Argument checks shared by the C and the C++ interface, and the extent of a matrix.
#pragma once

#include <cstdint>

#include "tileloom/gemm.hpp"

namespace tileloom::gemm {

inline constexpr std::int64_t element_bytes = 2;

// Checks everything in the order m n k a lda b ldb d ldd; throws Error(bad_input) for the first bad one.
// `d_name` is what messages call D.
void check(const GemmProblem& problem, const GemmOperands& operands, const char* d_name = "d");

// Bytes from a matrix's first element to its last, inclusive; 0 without elements. The problem is checked.
[[nodiscard]] std::int64_t extent_bytes(std::int64_t rows, std::int64_t cols, std::int64_t ld);

[[nodiscard]] inline bool writes_nothing(const GemmProblem& problem) {
  return problem.m == 0 || problem.n == 0;
}

}  // namespace tileloom::gemm
