// SPDX-License-Identifier: Apache-2.0
// Argument checks: the first bad argument in BLAS order is named, with what was expected and what was found.
#include "gemm/problem.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "unit/gemm/error_of.hpp"

namespace tileloom {
namespace {

constexpr std::int64_t big = std::int64_t{1} << 62;
const std::array<std::uint16_t, 4> memory{};

GemmOperands operands() {
  return {memory.data(), memory.data(), const_cast<std::uint16_t*>(memory.data())};
}

TEST(Problem, NamesEachBadSize) {
  EXPECT_ERROR(check(GemmProblem{.m = -1}), "gemm: m: expected at least 0, found -1", 2);
  EXPECT_ERROR(check(GemmProblem{.n = -2}), "gemm: n: expected at least 0, found -2", 2);
  EXPECT_ERROR(check(GemmProblem{.k = std::numeric_limits<std::int64_t>::min()}),
               "gemm: k: expected at least 0, found -9223372036854775808", 2);
}

TEST(Problem, NamesEachBadLeadingDimension) {
  GemmProblem p = dense_problem(3, 5, 7);
  p.lda = 6;
  EXPECT_ERROR(check(p), "gemm: lda: expected at least 7 (max(1, k)), found 6", 2);
  p = dense_problem(3, 5, 7);
  p.ldb = -7;
  EXPECT_ERROR(check(p), "gemm: ldb: expected at least 7 (max(1, k)), found -7", 2);
  p = dense_problem(3, 5, 7);
  p.ldd = 4;
  EXPECT_ERROR(check(p), "gemm: ldd: expected at least 5 (max(1, n)), found 4", 2);
  p = dense_problem(0, 0, 0);
  p.ldd = 0;
  EXPECT_ERROR(check(p), "gemm: ldd: expected at least 1 (max(1, n)), found 0", 2);
}

TEST(Problem, NamesTheMatrixWhoseBytesOverflow) {
  EXPECT_ERROR(check(dense_problem(big, 1, 2)),
               "gemm: a: expected a matrix of fewer than 2^63 bytes, found 4611686018427387904 rows of 2 with lda 2",
               2);
  EXPECT_ERROR(check(dense_problem(1, big, 2)),
               "gemm: b: expected a matrix of fewer than 2^63 bytes, found 4611686018427387904 rows of 2 with ldb 2",
               2);
  EXPECT_ERROR(check(dense_problem(std::int64_t{1} << 31, std::int64_t{1} << 31, 0)),
               "gemm: d: expected a matrix of fewer than 2^63 bytes, found 2147483648 rows of 2147483648 with ldd "
               "2147483648",
               2);
  EXPECT_ERROR(check(dense_problem(1, 1, big)),
               "gemm: a: expected a matrix of fewer than 2^63 bytes, found 1 rows of 4611686018427387904 with lda "
               "4611686018427387904",
               2);
}

TEST(Problem, AcceptsTheLargestMatrixAndSizesThatHaveNoElements) {
  EXPECT_NO_THROW(check(dense_problem(1, 1, big - 1)));
  EXPECT_NO_THROW(check(dense_problem(0, big, 0)));
  EXPECT_NO_THROW(check(dense_problem(big, 0, 0)));
}

TEST(Problem, ReportsTheFirstBadArgumentInBlasOrder) {
  // Each row makes one argument more wrong, from the last to the first.
  GemmProblem p = dense_problem(2, 2, 2);
  GemmOperands at = operands();
  const auto first_word = [&] {
    const std::string message = test::error_of([&] { gemm::check(p, at); }).message;
    return message.empty() ? message : message.substr(6, message.find(':', 6) - 6);
  };
  EXPECT_EQ(first_word(), "");
  p.ldd = 0;
  EXPECT_EQ(first_word(), "ldd");
  at.d = nullptr;
  EXPECT_EQ(first_word(), "d");
  p.ldb = 0;
  EXPECT_EQ(first_word(), "ldb");
  at.b = nullptr;
  EXPECT_EQ(first_word(), "b");
  p.lda = 0;
  EXPECT_EQ(first_word(), "lda");
  at.a = nullptr;
  EXPECT_EQ(first_word(), "a");
  p.k = -1;
  EXPECT_EQ(first_word(), "k");
  p.n = -1;
  EXPECT_EQ(first_word(), "n");
  p.m = -1;
  EXPECT_EQ(first_word(), "m");
}

TEST(Problem, RefusesNullAndOddAddressesThatAreUsed) {
  GemmOperands at = operands();
  at.b = nullptr;
  EXPECT_ERROR(gemm::check(dense_problem(2, 3, 4), at), "gemm: b: expected the address of a 3 x 4 matrix, found null",
               2);
  at = operands();
  at.d = reinterpret_cast<void*>(0x1001);
  EXPECT_ERROR(gemm::check(dense_problem(2, 3, 4), at),
               "gemm: d: expected an address that is a multiple of 2 bytes, found 0x1001", 2);
  EXPECT_NO_THROW(gemm::check(dense_problem(0, 3, 4), {}));
  EXPECT_NO_THROW(gemm::check(dense_problem(2, 3, 0), {nullptr, nullptr, operands().d}));
}

TEST(Problem, Prints) {
  EXPECT_EQ(to_string(dense_problem(1000, 900, 333)), "D = A·Bᵀ, m 1000, n 900, k 333, f16, accumulate f32");
  GemmProblem p = dense_problem(2, 3, 4, Accumulate::f16);
  p.ldb = 9;
  EXPECT_EQ(to_string(p), "D = A·Bᵀ, m 2, n 3, k 4, lda 4, ldb 9, ldd 3, f16, accumulate f16");
}

TEST(Problem, ExtentEndsWithTheLastElement) {
  EXPECT_EQ(gemm::extent_bytes(3, 4, 10), (2 * 10 + 4) * 2);
  EXPECT_EQ(gemm::extent_bytes(0, 4, 10), 0);
  EXPECT_EQ(gemm::extent_bytes(3, 0, 1), 0);
}

}  // namespace
}  // namespace tileloom
