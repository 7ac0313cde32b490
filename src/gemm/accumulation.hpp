// SPDX-License-Identifier: Apache-2.0
// How far a tensor-core sum can be from the exact one. docs/verification.md derives every number here.
#pragma once

#include <cstdint>

#include "tileloom/accumulate.hpp"
#include "tileloom/hw/mma_numerics.hpp"

namespace tileloom::gemm {

// One fused step: `terms` products and the running sum are cut to a common grid, added exactly, and the sum is rounded
// to the accumulator's type.
struct StepModel {
  int terms;             // L
  double align;          // L * 2^-F: what the cuts lose, in units of the largest aligned term
  double convert;        // relative error of rounding the sum: 2^-23 (f32, truncated), 2^-11 (f16, nearest)
  double convert_least;  // its absolute floor, half of f16's smallest subnormal
  double least_term;     // exponent of the smallest accumulator that shifts like a normal number: f16's subnormals
  double exact_limit;    // integers up to here are held exactly: 2^24, 2^11
  Accumulate accumulate;
};

[[nodiscard]] StepModel step_model(const hw::MmaNumerics& numerics, Accumulate accumulate);

// Covers the float64 rounding of the reference and of the bound itself (see the derivation).
inline constexpr double bound_inflation = 1.0 + 0x1p-16;

// The power of two that a nonzero f16's exponent stands for is at most this: |x|, or 2^-14 for a subnormal.
[[nodiscard]] double exponent_ceiling(double x);

// What one element of D may be.
struct Allowed {
  bool finite = true;
  double low = 0;  // of f16, infinite where rounding overflows
  double high = 0;
  bool plus_infinity = false;
  bool minus_infinity = false;
  bool nan = false;

  [[nodiscard]] bool contains(double d) const;
};

// [sum - error, sum + error], rounded to f16: rounding keeps order, so nothing else can come out.
[[nodiscard]] Allowed rounded_interval(double sum, double error);

// The same for any inputs, NaN and infinities included, and for sums that may overflow on the way: follows the set of
// values that the accumulator may have, step by step. Slow; the definition that the fast path must agree with.
[[nodiscard]] Allowed allowed_values(const StepModel& model, std::int64_t k, const std::uint16_t* a_row,
                                     const std::uint16_t* b_row);

}  // namespace tileloom::gemm
