// SPDX-License-Identifier: Apache-2.0
// The host's rounding mode is changed around volatile accesses, which the compiler may not move or fold.
#include "emu/isa/directed_rounding.hpp"

#include <cfenv>

namespace tileloom::emu {
namespace {

class HostRounding {
 public:
  explicit HostRounding(RealRounding rounding) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(modes[static_cast<int>(rounding)]);
  }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;
  ~HostRounding() { std::fesetround(FE_TONEAREST); }
};

template <class T>
T compute(RealOperation operation, RealRounding rounding, T a, T b, T c) {
  volatile T x = a;
  volatile T y = b;
  volatile T z = c;
  volatile T made = 0;
  const HostRounding guard(rounding);
  switch (operation) {
    case RealOperation::add:
      made = x + y;
      break;
    case RealOperation::subtract:
      made = x - y;
      break;
    case RealOperation::multiply:
      made = x * y;
      break;
    case RealOperation::fused:
      made = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
      break;
    case RealOperation::divide:
      made = x / y;
      break;
    case RealOperation::reciprocal:
      made = T{1} / x;
      break;
    case RealOperation::square_root:
      made = std::sqrt(static_cast<T>(x));
      break;
  }
  return made;
}

}  // namespace

float rounded(RealOperation operation, RealRounding rounding, float a, float b, float c) {
  return compute(operation, rounding, a, b, c);
}
double rounded(RealOperation operation, RealRounding rounding, double a, double b, double c) {
  return compute(operation, rounding, a, b, c);
}

template <class To, class From>
To rounded_conversion(RealRounding rounding, From value) {
  volatile From from = value;
  const HostRounding guard(rounding);
  volatile To made = static_cast<To>(from);
  return made;
}

template float rounded_conversion<float, double>(RealRounding, double);
template float rounded_conversion<float, std::int64_t>(RealRounding, std::int64_t);
template float rounded_conversion<float, std::uint64_t>(RealRounding, std::uint64_t);
template double rounded_conversion<double, std::int64_t>(RealRounding, std::int64_t);
template double rounded_conversion<double, std::uint64_t>(RealRounding, std::uint64_t);

}  // namespace tileloom::emu
