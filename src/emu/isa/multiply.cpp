// SPDX-License-Identifier: Apache-2.0
// Integer multiplication. PTX ISA, "Integer Arithmetic Instructions: mul, mad, mul24, mad24" and "mad.cc, madc".
#include <array>
#include <limits>

#include "emu/isa/by_type.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/vector.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;

template <class T>
struct TwiceAsWide;
template <>
struct TwiceAsWide<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct TwiceAsWide<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct TwiceAsWide<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct TwiceAsWide<std::int32_t> {
  using type = std::int64_t;
};
__extension__ using Wide128 = __int128;
__extension__ using UnsignedWide128 = unsigned __int128;
template <>
struct TwiceAsWide<std::uint64_t> {
  using type = UnsignedWide128;
};
template <>
struct TwiceAsWide<std::int64_t> {
  using type = Wide128;
};

template <class T>
using Double = typename TwiceAsWide<T>::type;

template <class T>
T low_product(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(std::uint64_t{static_cast<U>(a)} * static_cast<U>(b)));
}
template <class T>
T high_product(T a, T b) {
  return static_cast<T>((Double<T>{a} * b) >> (8 * sizeof(T)));
}
template <class T>
T wrapping_add(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}

enum class Part { lo, hi, wide };

Part part_of(Instr& in) {
  const std::string_view word = in.one_of({"lo", "hi", "wide"});
  if (word.empty()) in.fail_unsupported();
  return word == "lo" ? Part::lo : word == "hi" ? Part::hi : Part::wide;
}

Type widened(Instr& in, Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    case Type::s32:
      return Type::s64;
    default:
      in.fail_unsupported();
  }
}

void factors(Instr& in, Type type, Type result) {
  in.op.d = in.write(0, result);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, type);
}

void decode_mul(Instr& in) {
  const Part part = part_of(in);
  const Type type = in.type();
  const Type result = part == Part::wide ? widened(in, type) : type;
  in.expect_operands(3);
  factors(in, type, result);
  in.emit(by_integer(in, type, [&](auto t) -> Handler {
    using T = decltype(t);
    if (part == Part::lo) return map<T, T, T>([](T a, T b) { return low_product(a, b); });
    if (part == Part::hi) return map<T, T, T>([](T a, T b) { return high_product(a, b); });
    if constexpr (sizeof(T) < 8) {
      return map<Double<T>, T, T>([](T a, T b) { return static_cast<Double<T>>(Double<T>{a} * b); });
    }
    in.fail_unsupported();
  }));
}

// mad[c].{lo,hi}[.cc]: the product's half added to c with carries.
template <class T, bool High, bool CarryIn>
struct MadWithCarry {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const Storage<T>* a = w.reg<Storage<T>>(op.a);
    const Storage<T>* b = w.reg<Storage<T>>(op.b);
    const Storage<T>* c = w.reg<Storage<T>>(w.list(op)[0]);
    const std::uint32_t in = CarryIn ? w.predicate(op.c) : 0;
    using U = std::make_unsigned_t<T>;
    alignas(64) Storage<T> made[lanes];
    std::uint32_t out = 0;
    for (unsigned i = 0; i < lanes; ++i) {
      const T x = static_cast<T>(a[i]);
      const T y = static_cast<T>(b[i]);
      const U product = static_cast<U>(High ? high_product(x, y) : low_product(x, y));
      const U addend = static_cast<U>(c[i]);
      const U carry = in >> i & 1;
      const U sum = product + addend + carry;
      made[i] = sum;
      out |= static_cast<std::uint32_t>(sum < product || (sum == product && carry != 0 && addend != 0)) << i;
    }
    write_lanes(w, op.d, made);
    if (op.d2.used()) write_predicate(w, op.d2, out);
  }
};

template <bool CarryIn>
void decode_mad_carry(Instr& in, Part part, Type type, bool carry_out) {
  in.expect_operands(4);
  if (part == Part::wide || ptx::bits_of(type) < 32) in.fail_unsupported();
  if (CarryIn) in.op.c = in.carry();
  if (carry_out) in.op.d2 = in.carry();
  factors(in, type, type);
  in.list({}, {in.read(3, type)});
  in.emit(by_integer(in, type, [&](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) >= 4) {
      return part == Part::hi ? handler<MadWithCarry<T, true, CarryIn>>() : handler<MadWithCarry<T, false, CarryIn>>();
    }
    in.fail_unsupported();
  }));
}

void decode_mad(Instr& in) {
  const Part part = part_of(in);
  const bool saturating = in.flag("sat");
  const bool carry = in.flag("cc");
  const Type type = in.type();
  if (carry) return decode_mad_carry<false>(in, part, type, true);
  const Type result = part == Part::wide ? widened(in, type) : type;
  in.expect_operands(4);
  factors(in, type, result);
  in.op.c = in.read(3, result);
  if (saturating) {
    if (part != Part::hi || type != Type::s32) in.fail_unsupported();
    using S = std::int32_t;
    in.emit(map<S, S, S, S>([](S a, S b, S c) {
      const std::int64_t sum = std::int64_t{high_product(a, b)} + c;
      return static_cast<S>(std::min<std::int64_t>(std::max<std::int64_t>(sum, std::numeric_limits<S>::min()),
                                                   std::numeric_limits<S>::max()));
    }));
    return;
  }
  in.emit(by_integer(in, type, [&](auto t) -> Handler {
    using T = decltype(t);
    if (part == Part::lo) return map<T, T, T, T>([](T a, T b, T c) { return wrapping_add(low_product(a, b), c); });
    if (part == Part::hi) return map<T, T, T, T>([](T a, T b, T c) { return wrapping_add(high_product(a, b), c); });
    if constexpr (sizeof(T) < 8) {
      using D = Double<T>;
      return map<D, T, T, D>([](T a, T b, D c) { return wrapping_add(static_cast<D>(D{a} * b), c); });
    }
    in.fail_unsupported();
  }));
}

void decode_madc(Instr& in) {
  const Part part = part_of(in);
  const bool carry_out = in.flag("cc");
  const Type type = in.type();
  decode_mad_carry<true>(in, part, type, carry_out);
}

template <class T>
std::int64_t low24(T value) {
  const auto bits = static_cast<std::uint32_t>(value) << 8;
  return std::is_signed_v<T> ? std::int64_t{static_cast<std::int32_t>(bits) >> 8} : std::int64_t{bits >> 8};
}

// The 48-bit product's low or high 32 bits.
template <bool Add>
void decode_mul24(Instr& in) {
  const bool high = in.one_of({"lo", "hi"}) == "hi";
  const Type type = in.type({Type::u32, Type::s32});
  in.expect_operands(Add ? 4 : 3);
  factors(in, type, type);
  in.op.c = Add ? in.read(3, type) : in.constant(type, 0);
  in.emit(by_integer(in, type, [&](auto t) -> Handler {
    using T = decltype(t);
    if constexpr (sizeof(T) == 4) {
      if (high) {
        return map<T, T, T, T>(
            [](T a, T b, T c) { return wrapping_add(static_cast<T>((low24(a) * low24(b)) >> 16), c); });
      }
      return map<T, T, T, T>([](T a, T b, T c) { return wrapping_add(static_cast<T>(low24(a) * low24(b)), c); });
    }
    in.fail_unsupported();
  }));
}

constexpr std::array entries{
    DecodeEntry{"mul", Family::integer, decode_mul},
    DecodeEntry{"mad", Family::integer, decode_mad},
    DecodeEntry{"madc", Family::integer, decode_madc},
    DecodeEntry{"mul24", Family::integer, decode_mul24<false>},
    DecodeEntry{"mad24", Family::integer, decode_mul24<true>},
};

}  // namespace

std::span<const DecodeEntry> multiply_instructions() {
  return entries;
}

}  // namespace tileloom::emu
