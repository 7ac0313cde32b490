// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic but multiplication. PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer
// Arithmetic Instructions".
#include <algorithm>
#include <array>
#include <limits>

#include "emu/isa/by_type.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/vector.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;

template <class T>
using Unsigned = std::make_unsigned_t<T>;

void binary(Instr& in, Type type, Handler handler) {
  in.expect_operands(3);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, type);
  in.emit(handler);
}

void unary(Instr& in, Type type, Handler handler) {
  in.expect_operands(2);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.emit(handler);
}

std::int32_t saturate(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                                            std::numeric_limits<std::int32_t>::max()));
}

// d = a + b + carry in; the carry out goes to op.d2. A subtraction adds the complement of b, so the carry is then set
// where nothing is borrowed: PTX says that `sub.cc` gives the borrow, an H200 shows the carry when `addc` reads it.
template <class T, bool Subtract, bool CarryIn, bool CarryOut>
struct WithCarry {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const Storage<T>* a = w.reg<Storage<T>>(op.a);
    const Storage<T>* b = w.reg<Storage<T>>(op.b);
    const std::uint32_t in = CarryIn ? w.predicate(op.c) : 0;
    alignas(64) Storage<T> made[lanes];
    std::uint32_t out = 0;
    for (unsigned i = 0; i < lanes; ++i) {
      const T x = a[i];
      const T y = b[i];
      const T c = in >> i & 1;
      if constexpr (Subtract) {
        const T borrow = CarryIn ? T{1} - c : T{0};
        made[i] = x - y - borrow;
        out |= static_cast<std::uint32_t>(x > y || (x == y && borrow == 0)) << i;
      } else {
        made[i] = x + y + c;
        out |= static_cast<std::uint32_t>(made[i] < x || (made[i] == x && c != 0 && y != 0)) << i;
      }
    }
    write_lanes(w, op.d, made);
    if constexpr (CarryOut) write_predicate(w, op.d2, out);
  }
};

template <bool Subtract, bool CarryIn>
void decode_carry(Instr& in, Type type, bool carry_out) {
  if (type == Type::s64 || type == Type::u64 || type == Type::s32 || type == Type::u32) {
    if (CarryIn) in.op.c = in.carry();
    if (carry_out) in.op.d2 = in.carry();
    const bool wide = ptx::bits_of(type) == 64;
    using W = std::uint64_t;
    using N = std::uint32_t;
    binary(in, type,
           carry_out ? (wide ? handler<WithCarry<W, Subtract, CarryIn, true>>()
                             : handler<WithCarry<N, Subtract, CarryIn, true>>())
                     : (wide ? handler<WithCarry<W, Subtract, CarryIn, false>>()
                             : handler<WithCarry<N, Subtract, CarryIn, false>>()));
    return;
  }
  in.fail_unsupported();
}

template <bool Subtract>
void decode_add(Instr& in) {
  const bool saturating = in.flag("sat");
  const bool carry = in.flag("cc");
  const Type type = in.type();
  if (carry) {
    decode_carry<Subtract, false>(in, type, true);
  } else if (saturating) {
    if (type != Type::s32) in.fail_unsupported();
    binary(in, type, map<std::int32_t, std::int32_t, std::int32_t>([](std::int32_t a, std::int32_t b) {
             return saturate(Subtract ? std::int64_t{a} - b : std::int64_t{a} + b);
           }));
  } else {
    binary(in, type, by_width(in, type, [](auto t) {
             using T = decltype(t);
             return map<T, T, T>([](T a, T b) { return static_cast<T>(Subtract ? a - b : a + b); });
           }));
  }
}

template <bool Subtract>
void decode_add_with_carry(Instr& in) {
  const bool carry_out = in.flag("cc");
  decode_carry<Subtract, true>(in, in.type(), carry_out);
}

// Division by zero is unspecified in PTX; an H200 gives all ones, for the remainder too.
template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<Unsigned<T>>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <bool Remainder>
void decode_divide(Instr& in) {
  const Type type = in.type();
  binary(in, type, by_integer(in, type, [](auto t) {
           using T = decltype(t);
           return map<T, T, T>([](T a, T b) { return Remainder ? remainder(a, b) : divide(a, b); });
         }));
}

template <bool Maximum>
void decode_minmax(Instr& in) {
  const bool relu = in.flag("relu");
  const Type type = in.type();
  if (relu && type != Type::s32) in.fail_unsupported();
  if (relu) {
    binary(in, type, map<std::int32_t, std::int32_t, std::int32_t>([](std::int32_t a, std::int32_t b) {
             return std::max(0, Maximum ? std::max(a, b) : std::min(a, b));
           }));
    return;
  }
  binary(in, type, by_integer(in, type, [](auto t) {
           using T = decltype(t);
           return map<T, T, T>([](T a, T b) { return Maximum ? std::max(a, b) : std::min(a, b); });
         }));
}

template <bool Absolute>
void decode_sign(Instr& in) {
  const Type type = in.type({Type::s16, Type::s32, Type::s64});
  unary(in, type, by_integer(in, type, [](auto t) {
          using T = decltype(t);
          return map<T, T>([](T a) {
            return Absolute && a >= 0 ? a : static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
          });
        }));
}

void decode_sad(Instr& in) {
  const Type type = in.type();
  in.expect_operands(4);
  in.op.c = in.read(3, type);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, type);
  in.emit(by_integer(in, type, [](auto t) {
    using T = decltype(t);
    return map<T, T, T, T>([](T a, T b, T c) {
      const auto x = static_cast<Unsigned<T>>(a);
      const auto y = static_cast<Unsigned<T>>(b);
      return static_cast<T>(static_cast<Unsigned<T>>(c) + static_cast<Unsigned<T>>(a < b ? y - x : x - y));
    });
  }));
}

std::int32_t part(std::uint32_t word, unsigned at, unsigned bits, bool is_signed) {
  const std::uint32_t field = word >> at & ((1U << bits) - 1);
  return is_signed ? static_cast<std::int32_t>(field << (32 - bits)) >> (32 - bits) : static_cast<std::int32_t>(field);
}

template <bool SignedA, bool SignedB>
Handler dot4() {
  return map<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
      [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (unsigned at = 0; at < 32; at += 8) {
          c += static_cast<std::uint32_t>(part(a, at, 8, SignedA) * part(b, at, 8, SignedB));
        }
        return c;
      });
}

template <bool SignedA, bool SignedB, bool High>
Handler dot2() {
  return map<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
      [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (unsigned i = 0; i < 2; ++i) {
          c += static_cast<std::uint32_t>(part(a, 16 * i, 16, SignedA) * part(b, 8 * i + (High ? 16 : 0), 8, SignedB));
        }
        return c;
      });
}

void ternary_word(Instr& in, Handler handler) {
  in.expect_operands(4);
  in.op.d = in.write(0, Type::b32);
  in.op.a = in.read(1, Type::b32);
  in.op.b = in.read(2, Type::b32);
  in.op.c = in.read(3, Type::b32);
  in.emit(handler);
}

void decode_dp4a(Instr& in) {
  const bool a = in.type({Type::u32, Type::s32}) == Type::s32;
  const bool b = in.type({Type::u32, Type::s32}) == Type::s32;
  const std::array table{&dot4<false, false>, &dot4<false, true>, &dot4<true, false>, &dot4<true, true>};
  ternary_word(in, table[(a ? 2U : 0U) + (b ? 1U : 0U)]());
}

void decode_dp2a(Instr& in) {
  const bool high = in.one_of({"lo", "hi"}) == "hi";
  const bool a = in.type({Type::u32, Type::s32}) == Type::s32;
  const bool b = in.type({Type::u32, Type::s32}) == Type::s32;
  const std::array table{&dot2<false, false, false>, &dot2<false, false, true>, &dot2<false, true, false>,
                         &dot2<false, true, true>,   &dot2<true, false, false>, &dot2<true, false, true>,
                         &dot2<true, true, false>,   &dot2<true, true, true>};
  ternary_word(in, table[(a ? 4U : 0U) + (b ? 2U : 0U) + (high ? 1U : 0U)]());
}

constexpr std::array entries{
    DecodeEntry{"add", Family::integer, decode_add<false>},
    DecodeEntry{"sub", Family::integer, decode_add<true>},
    DecodeEntry{"addc", Family::integer, decode_add_with_carry<false>},
    DecodeEntry{"subc", Family::integer, decode_add_with_carry<true>},
    DecodeEntry{"div", Family::integer, decode_divide<false>},
    DecodeEntry{"rem", Family::integer, decode_divide<true>},
    DecodeEntry{"min", Family::integer, decode_minmax<false>},
    DecodeEntry{"max", Family::integer, decode_minmax<true>},
    DecodeEntry{"abs", Family::integer, decode_sign<true>},
    DecodeEntry{"neg", Family::integer, decode_sign<false>},
    DecodeEntry{"sad", Family::integer, decode_sad},
    DecodeEntry{"dp4a", Family::integer, decode_dp4a},
    DecodeEntry{"dp2a", Family::integer, decode_dp2a},
};

}  // namespace

std::span<const DecodeEntry> integer_instructions() {
  return entries;
}

}  // namespace tileloom::emu
