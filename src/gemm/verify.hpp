// SPDX-License-Identifier: Apache-2.0
// Checks D = A * B^T element by element against a float64 reference, within a bound that follows from how tensor cores
// round. docs/verification.md derives it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tileloom/gemm.hpp"
#include "tileloom/hw/mma_numerics.hpp"

namespace tileloom {

struct Mismatch {
  std::int64_t row = 0;
  std::int64_t col = 0;
  double value = 0;     // what D holds
  double expected = 0;  // the reference
  double bound = 0;     // the largest difference that rounding can make here
};

struct VerifyReport {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  bool exact = false;             // no sum rounded: every element had to be the reference, rounded once to f16
  std::optional<Mismatch> first;  // in row-major order
  double max_error = 0;           // largest |D - reference| over elements where both are finite
  double bound_at_max = 0;        // and the bound there
  std::int64_t max_row = 0;
  std::int64_t max_col = 0;
  double error_squares = 0;      // sum of (D - reference)^2; infinite where exactly one of the two is not finite
  double reference_squares = 0;  // sum of reference^2, over elements where the reference is finite

  // ||D - reference|| / ||reference||, for products that the bound is not made for; 0 for two zeros.
  [[nodiscard]] double relative_error() const;
  [[nodiscard]] bool ok() const { return wrong == 0; }
};

// `D(3,5) = 1.5, expected 1.25 within 0.0005`.
[[nodiscard]] std::string to_string(const Mismatch& mismatch);

struct VerifyControl {
  unsigned host_threads = 0;                                          // 0: all of this machine's
  std::function<void(std::int64_t done, std::int64_t all)> progress;  // one call at a time, from any thread
};

// Operands in host memory, as f16 patterns; the problem is checked. `arch` is the one that computed D. The bound holds
// for kernels that add up K in ascending order, 16 at a time, in one accumulator.
[[nodiscard]] VerifyReport verify(const GemmProblem& problem, hw::Arch arch, const std::uint16_t* a,
                                  const std::uint16_t* b, const std::uint16_t* d, const VerifyControl& control = {});

}  // namespace tileloom
