// SPDX-License-Identifier: Apache-2.0
#include "gemm/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tileloom/error.hpp"

namespace tileloom {
namespace gemm {
namespace {

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::bad_input, "gemm: " + message);
}

void check_size(const char* name, std::int64_t size) {
  if (size < 0) {
    refuse(fmt::format("{}: expected at least 0, found {}", name, size));
  }
}

struct Operand {
  const char* name;      // a
  const char* ld_name;   // lda
  const char* row_name;  // what a row counts: k
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t ld;
};

void check_address(const Operand& operand, const void* address, bool used) {
  if (used && address == nullptr) {
    refuse(fmt::format("{}: expected the address of a {} x {} matrix, found null", operand.name, operand.rows,
                       operand.cols));
  }
  if (reinterpret_cast<std::uintptr_t>(address) % element_bytes != 0) {
    refuse(fmt::format("{}: expected an address that is a multiple of {} bytes, found {}", operand.name, element_bytes,
                       address));
  }
}

void check_leading_dimension(const Operand& operand) {
  const std::int64_t least = std::max<std::int64_t>(1, operand.cols);
  if (operand.ld < least) {
    refuse(fmt::format("{}: expected at least {} (max(1, {})), found {}", operand.ld_name, least, operand.row_name,
                       operand.ld));
  }
  const bool has_elements = operand.rows > 0 && operand.cols > 0;
  const std::int64_t elements_max = int64_max / element_bytes;
  if (has_elements && (operand.cols > elements_max || operand.rows - 1 > (elements_max - operand.cols) / operand.ld)) {
    refuse(fmt::format("{}: expected a matrix of fewer than 2^63 bytes, found {} rows of {} with {} {}", operand.name,
                       operand.rows, operand.cols, operand.ld_name, operand.ld));
  }
}

void check_all(const GemmProblem& p, const GemmOperands* operands, const char* d_name) {
  check_size("m", p.m);
  check_size("n", p.n);
  check_size("k", p.k);
  const bool product = !writes_nothing(p) && p.k != 0;
  const auto check_operand = [&](const Operand& operand, const void* address, bool used) {
    if (operands != nullptr) {
      check_address(operand, address, used);
    }
    check_leading_dimension(operand);
  };
  const GemmOperands none;
  const GemmOperands& at = operands != nullptr ? *operands : none;
  check_operand({"a", "lda", "k", p.m, p.k, p.lda}, at.a, product);
  check_operand({"b", "ldb", "k", p.n, p.k, p.ldb}, at.b, product);
  check_operand({d_name, "ldd", "n", p.m, p.n, p.ldd}, at.d, !writes_nothing(p));
}

}  // namespace

void check(const GemmProblem& problem, const GemmOperands& operands, const char* d_name) {
  check_all(problem, &operands, d_name);
}

std::int64_t extent_bytes(std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  return rows == 0 || cols == 0 ? 0 : ((rows - 1) * ld + cols) * element_bytes;
}

}  // namespace gemm

GemmProblem dense_problem(std::int64_t m, std::int64_t n, std::int64_t k, Accumulate accumulate) {
  const std::int64_t row = std::max<std::int64_t>(1, k);
  return {
      .m = m, .n = n, .k = k, .lda = row, .ldb = row, .ldd = std::max<std::int64_t>(1, n), .accumulate = accumulate};
}

std::string to_string(const GemmProblem& p) {
  const bool dense = p == dense_problem(p.m, p.n, p.k, p.accumulate);
  const std::string gaps = dense ? "" : fmt::format(", lda {}, ldb {}, ldd {}", p.lda, p.ldb, p.ldd);
  return fmt::format("D = A·Bᵀ, m {}, n {}, k {}{}, f16, accumulate {}", p.m, p.n, p.k, gaps, to_string(p.accumulate));
}

void check(const GemmProblem& problem) {
  gemm::check_all(problem, nullptr, "d");
}

}  // namespace tileloom
