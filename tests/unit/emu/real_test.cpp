// SPDX-License-Identifier: Apache-2.0
#include <cfenv>
#include <cmath>
#include <limits>

#include "tileloom/emu/float16.hpp"
#include "unit/emu/laws.hpp"

namespace tileloom::emu::test {
namespace {

using U = std::uint64_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;

float single(U bits) {
  return std::bit_cast<float>(static_cast<U32>(bits));
}
double wide(U bits) {
  return std::bit_cast<double>(bits);
}
U pattern(float x) {
  return x != x ? f32_canonical_nan : std::bit_cast<U32>(x);
}
// A NaN result has the payload of the second operand, of the third when that is a number, or of the first.
U settled(double r, U a, U b, U c) {
  if (r == r) return std::bit_cast<U>(r);
  for (const U x : {b, c, a}) {
    if (wide(x) != wide(x)) return x | U{1} << 51;
  }
  return 0xFFF8000000000000;
}
// A NaN keeps its sign and the high bits of its payload.
U narrowed(U a, float r) {
  return r == r ? std::bit_cast<U32>(r) : (a >> 32 & 0x80000000) | 0x7FC00000 | (a >> 29 & 0x7FFFFF);
}
float ftz(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}

template <class F>
auto on_single(F f) {
  return [f](U a, U b, U c) { return pattern(f(single(a), single(b), single(c))); };
}

// Rounded as `direction` says, from the exact value: the nearest f32 and its neighbour on the right side.
float directed(long double exact, int direction) {
  auto nearest = static_cast<float>(exact);
  const bool up = direction > 0 || (direction == 0 && exact < 0);
  if (std::isinf(exact) || exact != exact) return nearest;
  if (up && static_cast<long double>(nearest) < exact) return std::nextafter(nearest, INFINITY);
  if (!up && static_cast<long double>(nearest) > exact) return std::nextafter(nearest, -INFINITY);
  return nearest;
}

TEST(Real, Nearest) {
  check_laws({
      {"add.rn.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return a + b; })},
      {"add.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return a + b; })},
      {"sub.rn.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return a - b; })},
      {"mul.rn.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return a * b; })},
      {"fma.rn.f32 %r0, %r1, %r2, %r3;", 'r', on_single([](float a, float b, float c) { return std::fma(a, b, c); })},
      {"div.rn.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return a / b; })},
      {"rcp.rn.f32 %r0, %r1;", 'r', on_single([](float a, float, float) { return 1 / a; })},
      {"sqrt.rn.f32 %r0, %r1;", 'r', on_single([](float a, float, float) { return std::sqrt(a); })},
      {"add.rn.ftz.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return ftz(ftz(a) + ftz(b)); })},
      {"mul.rn.ftz.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return ftz(ftz(a) * ftz(b)); })},
      {"add.rn.sat.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) {
         const float s = a + b;
         return s > 0 ? std::min(s, 1.0F) : 0.0F;
       })},
      {"add.rn.f64 %d0, %d1, %d2;", 'd', [](U a, U b, U) { return settled(wide(a) + wide(b), a, b, b); }},
      {"fma.rn.f64 %d0, %d1, %d2, %d3;", 'd',
       [](U a, U b, U c) { return settled(std::fma(wide(a), wide(b), wide(c)), a, b, c); }},
      {"abs.f32 %r0, %r1;", 'r', on_single([](float a, float, float) { return std::fabs(a); })},
      {"neg.f32 %r0, %r1;", 'r', on_single([](float a, float, float) { return -a; })},
      {"copysign.f32 %r0, %r1, %r2;", 'r', [](U a, U b, U) { return (a & 0x80000000) | (b & 0x7FFFFFFF); }},
  });
}

TEST(Real, DirectedRounding) {
  using L = long double;  // exact for sums and products of f32
  static_assert(std::numeric_limits<L>::digits >= 64);
  check_laws({
      {"mul.rz.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return directed(L{a} * b, 0); })},
      {"mul.rm.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return directed(L{a} * b, -1); })},
      {"mul.rp.f32 %r0, %r1, %r2;", 'r', on_single([](float a, float b, float) { return directed(L{a} * b, 1); })},
      {"cvt.rz.f32.f64 %r0, %d1;", 'r', [](U a, U, U) { return narrowed(a, directed(wide(a), 0)); }},
      {"cvt.rp.f32.f64 %r0, %d1;", 'r', [](U a, U, U) { return narrowed(a, directed(wide(a), 1)); }},
      {"cvt.rm.f32.s64 %r0, %d1;", 'r', [](U a, U, U) { return pattern(directed(static_cast<std::int64_t>(a), -1)); }},
      {"cvt.rz.f32.u64 %r0, %d1;", 'r', [](U a, U, U) { return pattern(directed(a, 0)); }},
  });
}

U least(U a, U b, bool maximum) {
  const float x = single(a);
  const float y = single(b);
  if (x != x) return y != y ? f32_canonical_nan : b & 0xFFFFFFFF;
  if (y != y) return a & 0xFFFFFFFF;
  if (x == y) return (std::signbit(x) != maximum ? a : b) & 0xFFFFFFFF;
  return ((x < y) != maximum ? a : b) & 0xFFFFFFFF;
}

TEST(Real, MinMaxAndCompare) {
  check_laws({
      {"min.f32 %r0, %r1, %r2;", 'r', [](U a, U b, U) { return least(a, b, false); }},
      {"max.f32 %r0, %r1, %r2;", 'r', [](U a, U b, U) { return least(a, b, true); }},
      {"max.NaN.f32 %r0, %r1, %r2;", 'r',
       [](U a, U b, U) {
         return single(a) != single(a) || single(b) != single(b) ? U{f32_canonical_nan} : least(a, b, true);
       }},
      {"setp.lt.f32 %p0, %r1, %r2;", 'p', [](U a, U b, U) { return U{single(a) < single(b)}; }},
      {"setp.ne.f32 %p0, %r1, %r2;", 'p',
       [](U a, U b, U) { return U{single(a) < single(b) || single(a) > single(b)}; }},
      {"setp.neu.f32 %p0, %r1, %r2;", 'p', [](U a, U b, U) { return U{single(a) != single(b)}; }},
      {"setp.geu.f32 %p0, %r1, %r2;", 'p', [](U a, U b, U) { return U{!(single(a) < single(b))}; }},
      {"setp.nan.f64 %p0, %d1, %d2;", 'p', [](U a, U b, U) { return U{wide(a) != wide(a) || wide(b) != wide(b)}; }},
      {"setp.lt.s32 %p0, %r1, %r2;", 'p',
       [](U a, U b, U) { return U{static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b)}; }},
      {"setp.hi.u64 %p0, %d1, %d2;", 'p', [](U a, U b, U) { return U{a > b}; }},
      {"setp.eq.b16 %p0, %h1, %h2;", 'p', [](U a, U b, U) { return U{static_cast<U16>(a) == static_cast<U16>(b)}; }},
      {"setp.lt.and.u32 %p0|%p5, %r1, %r2, !%p3;", 'p',
       [](U a, U b, U c) { return U{static_cast<U32>(a) < static_cast<U32>(b) && c == 0}; }},
      {"setp.lt.or.u32 %p5|%p0, %r1, %r2, %p3;", 'p',
       [](U a, U b, U c) { return U{static_cast<U32>(a) >= static_cast<U32>(b) || c != 0}; }},
      {"setp.ge.f16 %p0, %h1, %h2;", 'p',
       [](U a, U b, U) {
         return U{to_f32<f16_format>(static_cast<U16>(a)) >= to_f32<f16_format>(static_cast<U16>(b))};
       }},
      {"set.gt.u32.s32 %r0, %r1, %r2;", 'r',
       [](U a, U b, U) { return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? U{0xFFFFFFFF} : U{0}; }},
      {"selp.b32 %r0, %r1, %r2, %p3;", 'r', [](U a, U b, U c) { return (c != 0 ? a : b) & 0xFFFFFFFF; }},
      {"selp.b64 %d0, %d1, 77, !%p3;", 'd', [](U a, U, U c) { return c == 0 ? a : 77; }},
      {"slct.u32.s32 %r0, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) { return (static_cast<std::int32_t>(c) >= 0 ? a : b) & 0xFFFFFFFF; }},
      {"testp.subnormal.f32 %p0, %r1;", 'p', [](U a, U, U) { return U{std::fpclassify(single(a)) == FP_SUBNORMAL}; }},
  });
}

template <class I, class F>
U clamped(F x) {
  if (x != x) return std::is_same_v<F, float> && sizeof(I) < 8 ? 0 : U{1} << (8 * sizeof(I) - 1);
  const F r = std::trunc(x);
  if (r <= static_cast<F>(std::numeric_limits<I>::min()))
    return static_cast<std::make_unsigned_t<I>>(std::numeric_limits<I>::min());
  if (r >= static_cast<F>(std::numeric_limits<I>::max()))
    return static_cast<std::make_unsigned_t<I>>(std::numeric_limits<I>::max());
  return static_cast<std::make_unsigned_t<I>>(static_cast<I>(r));
}

TEST(Real, Convert) {
  using S32 = std::int32_t;
  using S64 = std::int64_t;
  check_laws({
      {"cvt.s64.s32 %d0, %r1;", 'd', [](U a, U, U) { return static_cast<U>(S64{static_cast<S32>(a)}); }},
      {"cvt.u64.u16 %d0, %h1;", 'd', [](U a, U, U) { return a & 0xFFFF; }},
      {"cvt.s32.s8 %r0, %r1;", 'r', [](U a, U, U) { return U{static_cast<U32>(static_cast<std::int8_t>(a))}; }},
      {"cvt.u8.u32 %r0, %r1;", 'r', [](U a, U, U) { return a & 0xFF; }},
      {"cvt.s8.s32 %r0, %r1;", 'r', [](U a, U, U) { return U{static_cast<U32>(static_cast<std::int8_t>(a))}; }},
      {"cvt.sat.u8.s32 %r0, %r1;", 'r',
       [](U a, U, U) { return static_cast<U>(std::clamp(static_cast<S32>(a), 0, 255)); }},
      {"cvt.sat.s16.s64 %h0, %d1;", 'h',
       [](U a, U, U) { return static_cast<U>(static_cast<U16>(std::clamp<S64>(static_cast<S64>(a), -32768, 32767))); }},
      {"cvt.rzi.s32.f32 %r0, %r1;", 'r', [](U a, U, U) { return clamped<S32>(single(a)); }},
      {"cvt.rzi.u32.f32 %r0, %r1;", 'r', [](U a, U, U) { return clamped<U32>(single(a)); }},
      {"cvt.rzi.s64.f64 %d0, %d1;", 'd', [](U a, U, U) { return clamped<S64>(wide(a)); }},
      {"cvt.rzi.u64.f32 %d0, %r1;", 'd', [](U a, U, U) { return clamped<U>(single(a)); }},
      {"cvt.rni.s32.f32 %r0, %r1;", 'r', [](U a, U, U) { return clamped<S32>(std::nearbyint(single(a))); }},
      {"cvt.rmi.f32.f32 %r0, %r1;", 'r', [](U a, U, U) { return pattern(std::floor(single(a))); }},
      {"cvt.rn.f32.s32 %r0, %r1;", 'r', [](U a, U, U) { return pattern(static_cast<float>(static_cast<S32>(a))); }},
      {"cvt.rn.f32.u64 %r0, %d1;", 'r', [](U a, U, U) { return pattern(static_cast<float>(a)); }},
      {"cvt.rn.f64.s64 %d0, %d1;", 'd',
       [](U a, U, U) { return std::bit_cast<U>(static_cast<double>(static_cast<S64>(a))); }},
      {"cvt.rn.f32.f64 %r0, %d1;", 'r', [](U a, U, U) { return narrowed(a, static_cast<float>(wide(a))); }},
      {"cvt.rn.f16.f32 %h0, %r1;", 'h', [](U a, U, U) { return U{from_f32<f16_format>(single(a))}; }},
      {"cvt.rz.bf16.f32 %h0, %r1;", 'h', [](U a, U, U) { return U{from_f32<bf16_format>(single(a), Rounding::rz)}; }},
      {"cvt.f32.f16 %r0, %h1;", 'r', [](U a, U, U) { return pattern(to_f32<f16_format>(static_cast<U16>(a))); }},
      {"cvt.f32.bf16 %r0, %h1;", 'r', [](U a, U, U) { return (a & 0xFFFF) << 16; }},
      {"cvt.rn.f16.s32 %h0, %r1;", 'h', [](U a, U, U) { return U{from_f64<f16_format>(static_cast<S32>(a))}; }},
      {"cvt.rn.f16x2.f32 %r0, %r1, %r2;", 'r',
       [](U a, U b, U) { return U{from_f32<f16_format>(single(a))} << 16 | from_f32<f16_format>(single(b)); }},
      {"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", 'r',
       [](U a, U b, U) { return U{from_f32<bf16_format>(single(a))} << 16 | from_f32<bf16_format>(single(b)); }},
      {"cvt.rn.relu.f16x2.f32 %r0, %r1, %r2;", 'r',
       [](U a, U b, U) {
         const auto one = [](U x) { return single(x) <= 0 ? U{0} : U{from_f32<f16_format>(single(x))}; };
         return one(a) << 16 | one(b);
       }},
  });
}

template <FloatFormat F>
auto on_half(U16 (*f)(U16, U16)) {
  return [f](U a, U b, U) { return U{f(static_cast<U16>(a), static_cast<U16>(b))}; };
}

TEST(Real, Half) {
  check_laws({
      {"add.f16 %h0, %h1, %h2;", 'h', on_half<f16_format>(&add<f16_format>)},
      {"sub.rn.bf16 %h0, %h1, %h2;", 'h', on_half<bf16_format>(&subtract<bf16_format>)},
      {"mul.f16x2 %r0, %r1, %r2;", 'r',
       [](U a, U b, U) {
         const auto one = [](U x, U y) { return U{multiply<f16_format>(static_cast<U16>(x), static_cast<U16>(y))}; };
         return one(a >> 16, b >> 16) << 16 | one(a, b);
       }},
      {"fma.rn.f16 %h0, %h1, %h2, %h3;", 'h',
       [](U a, U b, U c) {
         return U{fused_multiply_add<f16_format>(static_cast<U16>(a), static_cast<U16>(b), static_cast<U16>(c))};
       }},
      {"fma.rn.relu.bf16 %h0, %h1, %h2, %h3;", 'h',
       [](U a, U b, U c) {
         const U16 r = fused_multiply_add<bf16_format>(static_cast<U16>(a), static_cast<U16>(b), static_cast<U16>(c));
         return !is_nan<bf16_format>(r) && (r & 0x8000) != 0 ? U{0} : U{r};
       }},
      {"max.f16 %h0, %h1, %h2;", 'h', on_half<f16_format>(&maximum<f16_format>)},
      {"min.NaN.bf16 %h0, %h1, %h2;", 'h',
       [](U a, U b, U) {
         const auto x = static_cast<U16>(a);
         const auto y = static_cast<U16>(b);
         return is_nan<bf16_format>(x) || is_nan<bf16_format>(y) ? U{0x7FFF} : U{minimum<bf16_format>(x, y)};
       }},
      {"neg.f16 %h0, %h1;", 'h', [](U a, U, U) { return U{negate<f16_format>(static_cast<U16>(a))}; }},
  });
}

TEST(Real, Moves) {
  check_laws({
      {"mov.b64 %d0, {%r1, %r2};", 'd', [](U a, U b, U) { return (b & 0xFFFFFFFF) << 32 | (a & 0xFFFFFFFF); }},
      {"mov.b32 %r0, {%h1, %h2};", 'r', [](U a, U b, U) { return (b & 0xFFFF) << 16 | (a & 0xFFFF); }},
      {"mov.b64 {%r5, %r0}, %d1;", 'r', [](U a, U, U) { return a >> 32; }},
      {"mov.b64 {_, _, _, %h0}, %d1;", 'h', [](U a, U, U) { return a >> 48; }},
      {"mov.b32 {%h0, _}, %r1;", 'h', [](U a, U, U) { return a & 0xFFFF; }},
      {"mov.f32 %r0, 0f3FC00000;", 'r', [](U, U, U) { return U{0x3FC00000}; }},
      {"mov.f32 %r0, 1.5;", 'r', [](U, U, U) { return U{0x3FC00000}; }},
      {"mov.b64 %d0, 0d3FF8000000000000;", 'd', [](U, U, U) { return U{0x3FF8000000000000}; }},
      {"mov.pred %p0, %p1;", 'p', [](U a, U, U) { return U{a != 0}; }},
  });
}

}  // namespace
}  // namespace tileloom::emu::test
