// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "unit/emu/laws.hpp"

namespace tileloom::emu::test {
namespace {

using U = std::uint64_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
__extension__ using S128 = __int128;
__extension__ using U128 = unsigned __int128;

// From a lane function on T to one on patterns.
template <class T, class F>
auto on(F f) {
  return [f](U a, U b, U c) -> U {
    const auto made = f(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
    return static_cast<std::make_unsigned_t<std::remove_const_t<decltype(made)>>>(made);
  };
}

TEST(Integer, AddSubMul) {
  check_laws({
      {"add.u16 %h0, %h1, %h2;", 'h', on<U16>([](auto a, auto b, auto) { return static_cast<U16>(a + b); })},
      {"add.s32 %r0, %r1, %r2;", 'r', on<U32>([](auto a, auto b, auto) { return a + b; })},
      {"add.u64 %d0, %d1, %d2;", 'd', on<U>([](auto a, auto b, auto) { return a + b; })},
      {"add.s32 %r0, %r1, -7;", 'r', on<U32>([](auto a, auto, auto) { return a - 7; })},
      {"sub.u16 %h0, %h1, %h2;", 'h', on<U16>([](auto a, auto b, auto) { return static_cast<U16>(a - b); })},
      {"sub.s64 %d0, %d1, %d2;", 'd', on<U>([](auto a, auto b, auto) { return a - b; })},
      {"add.sat.s32 %r0, %r1, %r2;", 'r', on<S32>([](auto a, auto b, auto) {
         return static_cast<S32>(std::clamp<S64>(S64{a} + b, INT32_MIN, INT32_MAX));
       })},
      {"sub.sat.s32 %r0, %r1, %r2;", 'r', on<S32>([](auto a, auto b, auto) {
         return static_cast<S32>(std::clamp<S64>(S64{a} - b, INT32_MIN, INT32_MAX));
       })},
      {"mul.lo.u16 %h0, %h1, %h2;", 'h', on<U16>([](auto a, auto b, auto) { return static_cast<U16>(U32{a} * b); })},
      {"mul.lo.s32 %r0, %r1, %r2;", 'r', on<U32>([](auto a, auto b, auto) { return a * b; })},
      {"mul.lo.s64 %d0, %d1, %d2;", 'd', on<U>([](auto a, auto b, auto) { return a * b; })},
      {"mul.hi.s16 %h0, %h1, %h2;", 'h', on<S16>([](auto a, auto b, auto) { return static_cast<S16>((a * b) >> 16); })},
      {"mul.hi.s32 %r0, %r1, %r2;", 'r',
       on<S32>([](auto a, auto b, auto) { return static_cast<S32>((S64{a} * b) >> 32); })},
      {"mul.hi.u32 %r0, %r1, %r2;", 'r',
       on<U32>([](auto a, auto b, auto) { return static_cast<U32>((U{a} * b) >> 32); })},
      {"mul.hi.s64 %d0, %d1, %d2;", 'd',
       on<S64>([](auto a, auto b, auto) { return static_cast<S64>((S128{a} * b) >> 64); })},
      {"mul.hi.u64 %d0, %d1, %d2;", 'd',
       on<U>([](auto a, auto b, auto) { return static_cast<U>((U128{a} * b) >> 64); })},
      {"mul.wide.s16 %r0, %h1, %h2;", 'r', on<S16>([](auto a, auto b, auto) { return a * b; })},
      {"mul.wide.u16 %r0, %h1, %h2;", 'r', on<U16>([](auto a, auto b, auto) { return U32{a} * b; })},
      {"mul.wide.s32 %d0, %r1, %r2;", 'd', on<S32>([](auto a, auto b, auto) { return S64{a} * b; })},
      {"mul.wide.u32 %d0, %r1, %r2;", 'd', on<U32>([](auto a, auto b, auto) { return U{a} * b; })},
      {"mul24.lo.u32 %r0, %r1, %r2;", 'r',
       on<U32>([](auto a, auto b, auto) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); })},
      {"mul24.hi.s32 %r0, %r1, %r2;", 'r',
       on<S32>([](auto a, auto b, auto) { return static_cast<S32>((S64{a << 8 >> 8} * (b << 8 >> 8)) >> 16); })},
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", 'r', on<U32>([](auto a, auto b, auto c) { return a * b + c; })},
      {"mad.lo.u64 %d0, %d1, %d2, %d3;", 'd', on<U>([](auto a, auto b, auto c) { return a * b + c; })},
      {"mad.hi.u32 %r0, %r1, %r2, %r3;", 'r',
       on<U32>([](auto a, auto b, auto c) { return static_cast<U32>((U{a} * b) >> 32) + c; })},
      {"mad.wide.u32 %d0, %r1, %r2, %d3;", 'd',
       [](U a, U b, U c) { return U{static_cast<U32>(a)} * static_cast<U32>(b) + c; }},
      {"mad.wide.s32 %d0, %r1, %r2, %d3;", 'd',
       [](U a, U b, U c) { return static_cast<U>(S64{static_cast<S32>(a)} * static_cast<S32>(b)) + c; }},
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;", 'r', on<S32>([](auto a, auto b, auto c) {
         return static_cast<S32>(std::clamp<S64>(((S64{a} * b) >> 32) + c, INT32_MIN, INT32_MAX));
       })},
  });
}

// Sequences that carry from one instruction to the next, compared with 128-bit arithmetic.
TEST(Integer, Carry) {
  check_laws({
      {"{ .reg .b32 %x; $add.cc.u32 %x, %r1, %r2; $addc.u32 %r0, 0, 0; }", 'r',
       [](U a, U b, U) { return (U{static_cast<U32>(a)} + static_cast<U32>(b)) >> 32; }},
      {"{ .reg .b64 %x; $add.cc.u64 %x, %d1, %d2; $addc.u64 %d0, %d3, %d3; }", 'd',
       [](U a, U b, U c) { return c + c + static_cast<U>((U128{a} + b) >> 64); }},
      {"{ .reg .b64 %x; $sub.cc.u64 %x, %d1, %d2; $subc.u64 %d0, %d3, 5; }", 'd',
       [](U a, U b, U c) { return c - 5 - (a < b ? 1 : 0); }},
      {"{ .reg .b64 %x,%y; $add.cc.u64 %x, %d1, %d2; $addc.cc.u64 %y, %d2, %d3; $addc.u64 %d0, 0, 0; }", 'd',
       [](U a, U b, U c) { return static_cast<U>((U128{b} + c + static_cast<U>((U128{a} + b) >> 64)) >> 64); }},
      {"{ .reg .b64 %x,%y; $sub.cc.u64 %x, %d1, %d2; $subc.cc.u64 %y, %d2, %d3; $subc.u64 %d0, 0, 0; }", 'd',
       [](U a, U b, U c) { return U128{b} < U128{c} + (a < b ? 1 : 0) ? ~U{0} : U{0}; }},
      {"{ .reg .b32 %x; $mad.lo.cc.u32 %x, %r1, %r2, %r3; $madc.hi.u32 %r0, %r1, %r2, %r3; }", 'r',
       [](U a, U b, U c) {
         const U product = U{static_cast<U32>(a)} * static_cast<U32>(b);
         const U carry = (U{static_cast<U32>(product)} + static_cast<U32>(c)) >> 32;
         return U{static_cast<U32>((product >> 32) + c + carry)};
       }},
  });
}

template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  return std::is_signed_v<T> && b == static_cast<T>(-1) ? static_cast<T>(U{0} - static_cast<U>(a))
                                                        : static_cast<T>(a / b);
}
template <class T>
T modulus(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  return std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0} : static_cast<T>(a % b);
}

TEST(Integer, DivideAndOrder) {
  check_laws({
      {"div.s32 %r0, %r1, %r2;", 'r', on<S32>([](auto a, auto b, auto) { return quotient(a, b); })},
      {"div.u32 %r0, %r1, %r2;", 'r', on<U32>([](auto a, auto b, auto) { return quotient(a, b); })},
      {"div.s64 %d0, %d1, %d2;", 'd', on<S64>([](auto a, auto b, auto) { return quotient(a, b); })},
      {"div.u16 %h0, %h1, %h2;", 'h', on<U16>([](auto a, auto b, auto) { return quotient(a, b); })},
      {"rem.s32 %r0, %r1, %r2;", 'r', on<S32>([](auto a, auto b, auto) { return modulus(a, b); })},
      {"rem.u64 %d0, %d1, %d2;", 'd', on<U>([](auto a, auto b, auto) { return modulus(a, b); })},
      {"min.s32 %r0, %r1, %r2;", 'r', on<S32>([](auto a, auto b, auto) { return std::min(a, b); })},
      {"max.u32 %r0, %r1, %r2;", 'r', on<U32>([](auto a, auto b, auto) { return std::max(a, b); })},
      {"max.s64 %d0, %d1, %d2;", 'd', on<S64>([](auto a, auto b, auto) { return std::max(a, b); })},
      {"min.u16 %h0, %h1, %h2;", 'h', on<U16>([](auto a, auto b, auto) { return std::min(a, b); })},
      {"abs.s32 %r0, %r1;", 'r',
       on<S32>([](auto a, auto, auto) { return a < 0 ? 0U - static_cast<U32>(a) : static_cast<U32>(a); })},
      {"neg.s64 %d0, %d1;", 'd', on<U>([](auto a, auto, auto) { return U{0} - a; })},
      {"sad.u32 %r0, %r1, %r2, %r3;", 'r', on<U32>([](auto a, auto b, auto c) { return c + (a < b ? b - a : a - b); })},
      {"dp4a.s32.u32 %r0, %r1, %r2, %r3;", 'r', on<U32>([](auto a, auto b, auto c) {
         for (int i = 0; i < 4; ++i) {
           c += static_cast<U32>(static_cast<std::int8_t>(a >> (8 * i)) * static_cast<std::uint8_t>(b >> (8 * i)));
         }
         return c;
       })},
      {"dp2a.hi.s32.s32 %r0, %r1, %r2, %r3;", 'r', on<U32>([](auto a, auto b, auto c) {
         for (int i = 0; i < 2; ++i) {
           c += static_cast<U32>(static_cast<S16>(a >> (16 * i)) * static_cast<std::int8_t>(b >> (16 + 8 * i)));
         }
         return c;
       })},
  });
}

U32 byte_of(U value, U32 selector) {
  const auto byte = static_cast<U32>(value >> (8 * (selector & 7)) & 0xFF);
  return selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
}

TEST(Integer, Bits) {
  check_laws({
      {"and.b32 %r0, %r1, %r2;", 'r', on<U32>([](auto a, auto b, auto) { return a & b; })},
      {"or.b64 %d0, %d1, %d2;", 'd', on<U>([](auto a, auto b, auto) { return a | b; })},
      {"xor.b16 %h0, %h1, %h2;", 'h', on<U16>([](auto a, auto b, auto) { return static_cast<U16>(a ^ b); })},
      {"and.pred %p0, %p1, !%p2;", 'p', [](U a, U b, U) { return U{a != 0 && b == 0}; }},
      {"xor.pred %p0, %p1, %p2;", 'p', [](U a, U b, U) { return U{(a != 0) != (b != 0)}; }},
      {"not.b32 %r0, %r1;", 'r', on<U32>([](auto a, auto, auto) { return ~a; })},
      {"not.pred %p0, %p1;", 'p', [](U a, U, U) { return U{a == 0}; }},
      {"cnot.b64 %d0, %d1;", 'd', on<U>([](auto a, auto, auto) { return U{a == 0}; })},
      {"shl.b32 %r0, %r1, %r2;", 'r', on<U32>([](auto a, auto n, auto) { return n < 32 ? a << n : 0; })},
      {"shl.b16 %h0, %h1, %r2;", 'h',
       [](U a, U n, U) { return static_cast<U32>(n) < 16 ? (a & 0xFFFF) << n & 0xFFFF : 0; }},
      {"shr.u64 %d0, %d1, %r2;", 'd',
       [](U a, U n, U) { return static_cast<U32>(n) < 64 ? a >> static_cast<U32>(n) : 0; }},
      {"shr.s32 %r0, %r1, %r2;", 'r',
       on<S32>([](auto a, auto n, auto) { return a >> (static_cast<U32>(n) < 32 ? n : 31); })},
      {"shr.s64 %d0, %d1, %r2;", 'd',
       [](U a, U n, U) { return static_cast<U>(static_cast<S64>(a) >> std::min<U32>(static_cast<U32>(n), 63)); }},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 'r',
       on<U32>([](auto a, auto b, auto c) { return static_cast<U32>((U{b} << 32 | a) << (c & 31) >> 32); })},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 'r',
       on<U32>([](auto a, auto b, auto c) { return static_cast<U32>((U{b} << 32 | a) >> std::min<U32>(c, 32)); })},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0xE8;", 'r',
       on<U32>([](auto a, auto b, auto c) { return (a & b) | (a & c) | (b & c); })},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 'r', on<U32>([](auto a, auto b, auto c) { return a ^ b ^ c; })},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x0D;", 'r',
       on<U32>([](auto a, auto b, auto c) { return ~a & (b | ~c) & ~(~b & c); })},
      {"popc.b32 %r0, %r1;", 'r', on<U32>([](auto a, auto, auto) { return static_cast<U32>(std::popcount(a)); })},
      {"clz.b64 %r0, %d1;", 'r', on<U>([](auto a, auto, auto) { return static_cast<U32>(std::countl_zero(a)); })},
      {"brev.b32 %r0, %r1;", 'r', on<U32>([](auto a, auto, auto) {
         U32 made = 0;
         for (int i = 0; i < 32; ++i) made |= (a >> i & 1) << (31 - i);
         return made;
       })},
      {"bfind.u32 %r0, %r1;", 'r',
       on<U32>([](auto a, auto, auto) { return a == 0 ? 0xFFFFFFFF : 31U - static_cast<U32>(std::countl_zero(a)); })},
      {"bfind.shiftamt.u32 %r0, %r1;", 'r',
       on<U32>([](auto a, auto, auto) { return a == 0 ? 0xFFFFFFFF : static_cast<U32>(std::countl_zero(a)); })},
      {"bfind.s32 %r0, %r1;", 'r', on<S32>([](auto a, auto, auto) {
         const auto x = static_cast<U32>(a < 0 ? ~a : a);
         return x == 0 ? 0xFFFFFFFF : 31U - static_cast<U32>(std::countl_zero(x));
       })},
      {"prmt.b32 %r0, %r1, %r2, %r3;", 'r', on<U32>([](auto a, auto b, auto c) {
         U32 made = 0;
         for (unsigned i = 0; i < 4; ++i) made |= byte_of(U{b} << 32 | a, c >> (4 * i) & 15) << (8 * i);
         return made;
       })},
      {"prmt.b32.f4e %r0, %r1, %r2, %r3;", 'r',
       on<U32>([](auto a, auto b, auto c) { return static_cast<U32>((U{b} << 32 | a) >> (8 * (c & 3))); })},
      {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", 'r', on<U32>([](auto a, auto, auto c) {
         const U32 half = a >> (16 * (c & 1)) & 0xFFFF;
         return half << 16 | half;
       })},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", 'r', on<U32>([](auto a, auto b, auto) {
         U32 made = 0;
         for (U i = 0; i < 32; ++i) made |= i >= a && i < U{a} + b ? 1U << i : 0;
         return made;
       })},
  });
}

// A field bit by bit, as the manual's pseudocode has it; of 64-bit fields all of the position and the length counts.
template <class T>
T field(T a, U32 pos, U32 len) {
  const int msb = static_cast<int>(8 * sizeof(T)) - 1;
  const auto number = [](U32 x) { return static_cast<int>(sizeof(T) == 4 ? x & 0xFF : std::min(x, 0xFFU)); };
  const int p = number(pos);
  const int n = number(len);
  const auto bit = [&](int i) { return static_cast<U>(a) >> i & 1; };
  const U sign = std::is_unsigned_v<T> || n == 0 ? 0 : bit(std::min(p + n - 1, msb));
  U made = 0;
  for (int i = 0; i <= msb; ++i) made |= (i < n && p + i <= msb ? bit(p + i) : sign) << i;
  return static_cast<T>(made);
}

TEST(Integer, Fields) {
  check_laws({
      {"bfe.u32 %r0, %r1, %r2, %r3;", 'r', on<U32>([](auto a, auto b, auto c) { return field(a, b, c); })},
      {"bfe.s32 %r0, %r1, %r2, %r3;", 'r',
       on<S32>([](auto a, auto b, auto c) { return field(a, static_cast<U32>(b), static_cast<U32>(c)); })},
      {"bfe.s64 %d0, %d1, %r2, %r3;", 'd',
       [](U a, U b, U c) {
         return static_cast<U>(field(static_cast<S64>(a), static_cast<U32>(b), static_cast<U32>(c)));
       }},
      {"bfe.u64 %d0, %d1, %r2, %r3;", 'd',
       [](U a, U b, U c) { return field(a, static_cast<U32>(b), static_cast<U32>(c)); }},
      {"bfi.b32 %r0, %r1, %r2, %r3, 9;", 'r', on<U32>([](auto a, auto b, auto c) {
         U32 made = b;
         for (U32 i = 0; i < 9 && (c & 0xFF) + i < 32; ++i) {
           const U32 at = (c & 0xFF) + i;
           made = (made & ~(1U << at)) | (a >> i & 1) << at;
         }
         return made;
       })},
  });
}

}  // namespace
}  // namespace tileloom::emu::test
