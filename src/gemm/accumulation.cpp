// SPDX-License-Identifier: Apache-2.0
#include "gemm/accumulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gemm/half.hpp"

namespace tileloom::gemm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double f16_overflow = 65520;  // from here on, rounding to f16 gives infinity
constexpr double f16_max = 65504;
constexpr double smallest_normal = 0x1p-14;

double to_f16(double x) {
  return half_to_f64(half_from(x));
}

// What a step's products are.
struct Products {
  double sum = 0;      // of the finite ones
  double ceiling = 0;  // of their largest exponent
  bool plus = false;
  bool minus = false;
  bool nan = false;
};

Products products(int terms, const std::uint16_t* a, const std::uint16_t* b) {
  Products step;
  for (int i = 0; i < terms; ++i) {
    const double x = half_to_f64(a[i]);
    const double y = half_to_f64(b[i]);
    const double product = x * y;
    step.nan = step.nan || std::isnan(product);
    step.plus = step.plus || product == infinity;
    step.minus = step.minus || product == -infinity;
    if (std::isfinite(product)) {
      step.sum += product;
      step.ceiling = std::max(step.ceiling, exponent_ceiling(x) * exponent_ceiling(y));
    }
  }
  step.nan = step.nan || (step.plus && step.minus);
  return step;
}

Allowed only_nan() {
  Allowed state;
  state.finite = false;
  state.nan = true;
  return state;
}

// An infinite product: whatever was finite becomes that infinity, the opposite one becomes NaN.
Allowed after_infinity(const Allowed& before, bool plus) {
  Allowed state;
  const bool opposite = plus ? before.minus_infinity : before.plus_infinity;
  const bool same = plus ? before.plus_infinity : before.minus_infinity;
  state.finite = false;
  state.nan = before.nan || opposite;
  state.plus_infinity = plus && (before.finite || same);
  state.minus_infinity = !plus && (before.finite || same);
  return state;
}

// What rounding to f16 would make infinite moves from the finite interval to the infinities.
void split_overflow(Allowed& state) {
  state.plus_infinity = state.plus_infinity || state.high >= f16_overflow;
  state.minus_infinity = state.minus_infinity || state.low <= -f16_overflow;
  state.finite = state.low < f16_overflow && state.high > -f16_overflow;
}

void clamp_to_f16(Allowed& state) {
  state.low = std::clamp(state.low, -f16_max, f16_max);
  state.high = std::clamp(state.high, -f16_max, f16_max);
}

void round_interval(Allowed& state) {
  if (state.finite) {
    split_overflow(state);
    state.low = to_f16(state.low);
    state.high = to_f16(state.high);
    clamp_to_f16(state);
  }
}

void widen(Allowed& state, double error) {
  state.low -= error;
  state.high += error;
}

double largest_magnitude(const Allowed& state) {
  return std::max(std::abs(state.low), std::abs(state.high));
}

// Adds the products as the aligned sum does: what rounding to the accumulator then does is add_rounding's.
void add_products(const StepModel& model, const Products& step, Allowed& state) {
  const double largest = std::max({step.ceiling, largest_magnitude(state), model.least_term});
  state.low += step.sum;
  state.high += step.sum;
  widen(state, bound_inflation * model.align * largest);
}

void add_rounding(const StepModel& model, Allowed& state) {
  const bool f16 = model.accumulate == Accumulate::f16;
  if (f16) {
    split_overflow(state);
    clamp_to_f16(state);
  }
  widen(state, bound_inflation * (model.convert * largest_magnitude(state) + model.convert_least));
  if (f16) {
    clamp_to_f16(state);
  }
}

}  // namespace

StepModel step_model(const hw::MmaNumerics& numerics, Accumulate accumulate) {
  const bool f32 = accumulate == Accumulate::f32;
  return {.terms = numerics.terms,
          .align = numerics.terms * std::ldexp(1.0, -numerics.fraction_bits),
          .convert = f32 ? 0x1p-23 : 0x1p-11,
          .convert_least = f32 ? 0 : 0x1p-25,
          .least_term = f32 ? 0 : smallest_normal,
          .exact_limit = f32 ? 0x1p24 : 0x1p11,
          .accumulate = accumulate};
}

double exponent_ceiling(double x) {
  return x == 0 ? 0 : std::max(std::abs(x), smallest_normal);
}

bool Allowed::contains(double d) const {
  if (std::isnan(d)) {
    return nan;
  }
  if (std::isinf(d)) {
    return d > 0 ? plus_infinity : minus_infinity;
  }
  return finite && low <= d && d <= high;
}

Allowed rounded_interval(double sum, double error) {
  Allowed state;
  state.low = sum - error;
  state.high = sum + error;
  round_interval(state);
  return state;
}

Allowed allowed_values(const StepModel& model, std::int64_t k, const std::uint16_t* a_row, const std::uint16_t* b_row) {
  Allowed state;
  for (std::int64_t at = 0; at < k; at += model.terms) {
    const int terms = static_cast<int>(std::min<std::int64_t>(model.terms, k - at));
    const Products step = products(terms, a_row + at, b_row + at);
    if (step.nan) {
      return only_nan();
    }
    if (step.plus || step.minus) {
      state = after_infinity(state, step.plus);
    } else if (state.finite) {
      add_products(model, step, state);
      // f16: the rounding after the last step is the rounding to D.
      if (model.accumulate == Accumulate::f32 || at + terms < k) {
        add_rounding(model, state);
      }
    }
  }
  round_interval(state);
  return state;
}

}  // namespace tileloom::gemm
