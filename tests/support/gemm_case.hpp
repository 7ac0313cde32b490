// SPDX-License-Identifier: Apache-2.0
// A GEMM problem with its data, laid out to show faults: NaN in every element that must not be read, a guard pattern in
// every one that must not be written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm/generate.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::test {

inline constexpr std::uint16_t nan_pattern = 0x7E01;    // fills the gaps of A and B, and D before a run
inline constexpr std::uint16_t guard_pattern = 0xA5C3;  // fills the gaps of D and what lies before and after it
inline constexpr std::int64_t guard_elements = 64;      // on either side of D

struct GemmCase {
  GemmProblem problem;
  std::vector<std::uint16_t> a, b;
  std::vector<std::uint16_t> d;  // guard_elements, then D with its gaps, then guard_elements
  std::int64_t a_offset = 0;     // elements before A and B, to shift their alignment
  std::int64_t b_offset = 0;
  std::int64_t d_offset = 0;

  [[nodiscard]] const std::uint16_t* a_data() const { return a.data() + a_offset; }
  [[nodiscard]] const std::uint16_t* b_data() const { return b.data() + b_offset; }
  [[nodiscard]] std::uint16_t* d_data() { return d.data() + guard_elements + d_offset; }
  [[nodiscard]] const std::uint16_t* d_data() const { return d.data() + guard_elements + d_offset; }
};

inline std::string to_string(const GemmCase& c) {
  return to_string(c.problem) + ", offsets " + std::to_string(c.a_offset) + " " + std::to_string(c.b_offset) + " " +
         std::to_string(c.d_offset);
}

// Rows of `cols` generated values, `ld` apart, NaN between them and before the first.
inline std::vector<std::uint16_t> padded_matrix(Distribution distribution, std::uint64_t seed, std::uint64_t stream,
                                                std::int64_t rows, std::int64_t cols, std::int64_t ld,
                                                std::int64_t offset) {
  const std::vector<std::uint16_t> values = generate(distribution, seed, stream, rows * cols);
  std::vector<std::uint16_t> matrix(static_cast<std::size_t>(offset + rows * ld), nan_pattern);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      matrix[static_cast<std::size_t>(offset + row * ld + col)] = values[static_cast<std::size_t>(row * cols + col)];
    }
  }
  return matrix;
}

struct Offsets {
  std::int64_t a = 0, b = 0, d = 0;
};

inline GemmCase make_case(const GemmProblem& problem, Distribution distribution, std::uint64_t seed,
                          Offsets offsets = {}) {
  GemmCase c;
  c.problem = problem;
  c.a_offset = offsets.a;
  c.b_offset = offsets.b;
  c.d_offset = offsets.d;
  c.a = padded_matrix(distribution, seed, 0, problem.m, problem.k, problem.lda, offsets.a);
  c.b = padded_matrix(distribution, seed, 1, problem.n, problem.k, problem.ldb, offsets.b);
  c.d.assign(static_cast<std::size_t>(2 * guard_elements + offsets.d + problem.m * problem.ldd), guard_pattern);
  for (std::int64_t row = 0; row < problem.m; ++row) {
    for (std::int64_t col = 0; col < problem.n; ++col) {
      c.d_data()[row * problem.ldd + col] = nan_pattern;
    }
  }
  return c;
}

// The first element outside D that does not hold its guard any more, as text; empty when all do.
inline std::string broken_guard(const GemmCase& c) {
  for (std::size_t i = 0; i < c.d.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) - guard_elements - c.d_offset;
    const bool inside = at >= 0 && at / c.problem.ldd < c.problem.m && at % c.problem.ldd < c.problem.n;
    if (!inside && c.d[i] != guard_pattern) {
      return "element " + std::to_string(at) + " from the start of D was written";
    }
  }
  return "";
}

// The first element in which two outputs of the same problem differ, as text; empty when none does.
inline std::string first_difference(const GemmProblem& p, const std::uint16_t* got, const std::uint16_t* expected) {
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      const std::uint16_t x = got[row * p.ldd + col];
      const std::uint16_t y = expected[row * p.ldd + col];
      if (x != y) {
        return "D(" + std::to_string(row) + "," + std::to_string(col) + ") is pattern " + std::to_string(x) +
               ", expected " + std::to_string(y);
      }
    }
  }
  return "";
}

// A problem whose rows have gaps of the given elements.
inline GemmProblem padded_problem(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t gap_a,
                                  std::int64_t gap_b, std::int64_t gap_d, Accumulate accumulate) {
  GemmProblem problem = dense_problem(m, n, k, accumulate);
  problem.lda += gap_a;
  problem.ldb += gap_b;
  problem.ldd += gap_d;
  return problem;
}

}  // namespace tileloom::test
