// SPDX-License-Identifier: Apache-2.0
// PTX ISA, "Logic and Shift Instructions" and the bit instructions of "Integer Arithmetic Instructions".
#include <algorithm>
#include <array>
#include <bit>

#include "emu/isa/by_type.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/vector.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class F>
struct PredicateLogic {
  static void run(Warp& w, const Op& op) {
    const U32 flip_a = op.mode & 1 ? all_lanes : 0;
    const U32 flip_b = op.mode & 2 ? all_lanes : 0;
    write_predicate(w, op.d, F()(w.predicate(op.a) ^ flip_a, w.predicate(op.b) ^ flip_b));
  }
};

template <class F>
void decode_logic(Instr& in) {
  const Type type = in.type();
  in.expect_operands(3);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, type);
  if (type == Type::pred) {
    in.op.mode = static_cast<std::uint8_t>((in.operand(1).negated ? 1 : 0) + (in.operand(2).negated ? 2 : 0));
    in.emit(&PredicateLogic<F>::run);
    return;
  }
  in.emit(by_width(in, type, [](auto t) {
    using T = decltype(t);
    return map<T, T, T>([](T a, T b) { return static_cast<T>(F()(a, b)); });
  }));
}

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

void invert_predicate(Warp& w, const Op& op) {
  write_predicate(w, op.d, ~w.predicate(op.a));
}

template <bool Logical>
void decode_not(Instr& in) {
  const Type type = in.type();
  in.expect_operands(2);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  if (type == Type::pred) {
    in.emit(&invert_predicate);
    return;
  }
  in.emit(by_width(in, type, [](auto t) {
    using T = decltype(t);
    return map<T, T>([](T a) { return static_cast<T>(Logical ? a == 0 : ~a); });
  }));
}

// The result's bit is bit 4a+2b+c of the table.
struct Lop3 {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const U32* a = w.reg<U32>(op.a);
    const U32* b = w.reg<U32>(op.b);
    const U32* c = w.reg<U32>(op.c);
    U32 row[8];
    for (unsigned k = 0; k < 8; ++k) row[k] = op.mode >> k & 1 ? all_lanes : 0;
    alignas(64) U32 made[lanes];
    for (unsigned i = 0; i < lanes; ++i) {
      const U32 low = (~b[i] & ((~c[i] & row[0]) | (c[i] & row[1]))) | (b[i] & ((~c[i] & row[2]) | (c[i] & row[3])));
      const U32 high = (~b[i] & ((~c[i] & row[4]) | (c[i] & row[5]))) | (b[i] & ((~c[i] & row[6]) | (c[i] & row[7])));
      made[i] = (~a[i] & low) | (a[i] & high);
    }
    write_lanes(w, op.d, made);
  }
};

void decode_lop3(Instr& in) {
  in.expect_type({Type::b32});
  in.expect_operands(5);
  in.op.d = in.write(0, Type::b32);
  in.op.a = in.read(1, Type::b32);
  in.op.b = in.read(2, Type::b32);
  in.op.c = in.read(3, Type::b32);
  in.op.mode = static_cast<std::uint8_t>(in.immediate(4));
  in.emit(handler<Lop3>());
}

template <bool Right>
void decode_shift(Instr& in) {
  const Type type = in.type();
  in.expect_operands(3);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, Type::u32);
  // A count beyond the width clamps: zeros, or copies of the sign.
  in.emit(by_integer(in, type, [](auto t) {
    using T = decltype(t);
    constexpr U32 width = 8 * sizeof(T);
    return map<T, T, U32>([](T a, U32 n) {
      if constexpr (Right && std::is_signed_v<T>) {
        return static_cast<T>(a >> (n < width ? n : width - 1));
      } else {
        using Wide = std::conditional_t<sizeof(T) == 8, U64, U32>;
        const Wide value = a;
        const U32 count = n & (8 * sizeof(Wide) - 1);
        return n < width ? static_cast<T>(Right ? value >> count : value << count) : T{0};
      }
    });
  }));
}

template <bool Right, bool Wrap>
U32 funnel(U32 low, U32 high, U32 n) {
  n = Wrap ? n & 31 : (n < 32 ? n : 32);
  const U64 both = U64{high} << 32 | low;
  return static_cast<U32>(Right ? both >> n : (both << n) >> 32);
}

void decode_shf(Instr& in) {
  const bool right = in.one_of({"l", "r"}) == "r";
  const bool wrap = in.one_of({"wrap", "clamp"}) == "wrap";
  in.expect_type({Type::b32});
  in.expect_operands(4);
  in.op.d = in.write(0, Type::b32);
  in.op.a = in.read(1, Type::b32);
  in.op.b = in.read(2, Type::b32);
  in.op.c = in.read(3, Type::u32);
  const auto pick = [](auto f) { return map<U32, U32, U32, U32>(f); };
  if (right) {
    in.emit(wrap ? pick([](U32 a, U32 b, U32 n) { return funnel<true, true>(a, b, n); })
                 : pick([](U32 a, U32 b, U32 n) { return funnel<true, false>(a, b, n); }));
  } else {
    in.emit(wrap ? pick([](U32 a, U32 b, U32 n) { return funnel<false, true>(a, b, n); })
                 : pick([](U32 a, U32 b, U32 n) { return funnel<false, false>(a, b, n); }));
  }
}

// Positions and lengths of fields: of 32-bit ones the low byte counts, of 64-bit ones (measured on an H200) all of it.
template <class T>
U32 field_number(U32 n) {
  return sizeof(T) == 4 ? n & 0xFF : std::min(n, 0xFFU);
}

// The field a[pos .. pos+len), sign-extended from its top bit (or the word's last one) for signed types.
template <class T>
T extract_field(T a, U32 position, U32 length) {
  using U = std::make_unsigned_t<T>;
  constexpr U32 width = 8 * sizeof(T);
  const U32 pos = field_number<T>(position);
  const U32 len = field_number<T>(length);
  if (len == 0) return 0;
  const auto value = static_cast<U>(a);
  const U field = pos < width ? static_cast<U>(value >> pos) : U{0};
  const U mask = len < width ? static_cast<U>((U{1} << len) - 1) : static_cast<U>(~U{0});
  if constexpr (std::is_signed_v<T>) {
    const U32 top = std::min(pos + len - 1, width - 1);
    const bool negative = (value >> top & 1) != 0;
    const U32 kept = pos < width ? std::min(len, width - pos) : 0;
    const U keep = kept < width ? static_cast<U>((U{1} << kept) - 1) : static_cast<U>(~U{0});
    return static_cast<T>((field & keep) | (negative ? static_cast<U>(~keep) : U{0}));
  } else {
    return static_cast<T>(field & mask);
  }
}

void decode_bfe(Instr& in) {
  const Type type = in.type({Type::u32, Type::u64, Type::s32, Type::s64});
  in.expect_operands(4);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, Type::u32);
  in.op.c = in.read(3, Type::u32);
  in.emit(by_integer(in, type, [](auto t) {
    using T = decltype(t);
    return map<T, T, U32, U32>([](T a, U32 p, U32 n) { return extract_field(a, p, n); });
  }));
}

template <class T>
struct InsertField {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    constexpr U32 width = 8 * sizeof(T);
    const T* a = w.reg<T>(op.a);
    const T* b = w.reg<T>(op.b);
    const U32* positions = w.reg<U32>(op.c);
    const U32* lengths = w.reg<U32>(w.list(op)[0]);
    alignas(64) T made[lanes];
    for (unsigned i = 0; i < lanes; ++i) {
      const U32 pos = field_number<T>(positions[i]);
      const U32 len = field_number<T>(lengths[i]);
      const T ones = len < width ? static_cast<T>((T{1} << (len & (width - 1))) - 1) : static_cast<T>(~T{0});
      const T mask = pos < width ? static_cast<T>(ones << (pos & (width - 1))) : T{0};
      const T field = pos < width ? static_cast<T>(a[i] << (pos & (width - 1))) : T{0};
      made[i] = (b[i] & ~mask) | (field & mask);
    }
    write_lanes(w, op.d, made);
  }
};

void decode_bfi(Instr& in) {
  const Type type = in.type({Type::b32, Type::b64});
  in.expect_operands(5);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, type);
  in.op.c = in.read(3, Type::u32);
  in.list({}, {in.read(4, Type::u32)});
  in.emit(type == Type::b32 ? handler<InsertField<U32>>() : handler<InsertField<U64>>());
}

template <class T>
T reverse_bits(T value) {
  T made = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) made = static_cast<T>(made << 1 | (value >> i & 1));
  return made;
}

template <class D, class F>
void decode_count(Instr& in, F) {
  const Type type = in.type({Type::b32, Type::b64, Type::u32, Type::u64, Type::s32, Type::s64});
  in.expect_operands(2);
  in.op.d = in.write(0, Type::u32);
  in.op.a = in.read(1, type);
  in.emit(ptx::bits_of(type) == 32 ? map<U32, U32>([](U32 a) { return static_cast<U32>(F()(a)); })
                                   : map<U32, U64>([](U64 a) { return static_cast<U32>(F()(a)); }));
}

void decode_popc(Instr& in) {
  decode_count<U32>(in, [](auto a) { return std::popcount(a); });
}
void decode_clz(Instr& in) {
  decode_count<U32>(in, [](auto a) { return std::countl_zero(a); });
}

void decode_brev(Instr& in) {
  const Type type = in.type({Type::b32, Type::b64});
  in.expect_operands(2);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.emit(type == Type::b32 ? map<U32, U32>([](U32 a) { return reverse_bits(a); })
                            : map<U64, U64>([](U64 a) { return reverse_bits(a); }));
}

// The most significant bit that is not a sign bit, or how far it is to shift it to the top; all ones when there is
// none.
template <class T, bool Shift>
U32 find_leading(T a) {
  using U = std::make_unsigned_t<T>;
  const auto bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return 0xFFFF'FFFF;
  const int at = static_cast<int>(std::bit_width(bits)) - 1;
  return static_cast<U32>(Shift ? static_cast<int>(8 * sizeof(T)) - 1 - at : at);
}

void decode_bfind(Instr& in) {
  const bool shift = in.flag("shiftamt");
  const Type type = in.type({Type::u32, Type::u64, Type::s32, Type::s64});
  in.expect_operands(2);
  in.op.d = in.write(0, Type::u32);
  in.op.a = in.read(1, type);
  in.emit(by_integer(in, type, [&](auto t) {
    using T = decltype(t);
    return shift ? map<U32, T>([](T a) { return find_leading<T, true>(a); })
                 : map<U32, T>([](T a) { return find_leading<T, false>(a); });
  }));
}

U32 selected_byte(U64 bytes, U32 selector) {
  const auto byte = static_cast<std::uint8_t>(bytes >> (8 * (selector & 7)));
  return (selector & 8) != 0 ? ((byte & 0x80) != 0 ? 0xFFU : 0U) : byte;
}

enum class Permute { index, f4e, b4e, rc8, ecl, ecr, rc16 };

// The four byte selectors that a special mode derives from the two low bits of c.
template <Permute Mode>
U32 selectors(U32 c) {
  const U32 n = c & 3;
  switch (Mode) {
    case Permute::f4e:
      return n | (n + 1) << 4 | (n + 2) << 8 | (n + 3) << 12;
    case Permute::b4e:
      return n | ((n - 1) & 7) << 4 | ((n - 2) & 7) << 8 | ((n - 3) & 7) << 12;
    case Permute::rc8:
      return n * 0x1111;
    case Permute::ecl:
      return std::max(n, 0U) | std::max(n, 1U) << 4 | std::max(n, 2U) << 8 | 3U << 12;
    case Permute::ecr:
      return 0U | std::min(n, 1U) << 4 | std::min(n, 2U) << 8 | std::min(n, 3U) << 12;
    case Permute::rc16:
      return (n & 1) != 0 ? 0x3232 : 0x1010;
    default:
      return c;
  }
}

template <Permute Mode>
Handler permute() {
  return map<U32, U32, U32, U32>([](U32 a, U32 b, U32 c) {
    const U64 bytes = U64{b} << 32 | a;
    const U32 s = selectors<Mode>(c);
    U32 made = 0;
    for (unsigned i = 0; i < 4; ++i) made |= selected_byte(bytes, s >> (4 * i) & 0xF) << (8 * i);
    return made;
  });
}

void decode_prmt(Instr& in) {
  in.expect_type({Type::b32});
  const std::string_view mode = in.one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  in.expect_operands(4);
  in.op.d = in.write(0, Type::b32);
  in.op.a = in.read(1, Type::b32);
  in.op.b = in.read(2, Type::b32);
  in.op.c = in.read(3, Type::b32);
  in.emit(mode == "f4e"    ? permute<Permute::f4e>()
          : mode == "b4e"  ? permute<Permute::b4e>()
          : mode == "rc8"  ? permute<Permute::rc8>()
          : mode == "ecl"  ? permute<Permute::ecl>()
          : mode == "ecr"  ? permute<Permute::ecr>()
          : mode == "rc16" ? permute<Permute::rc16>()
                           : permute<Permute::index>());
}

// Bits b .. b+c-1 set, clamped or modulo 32.
void decode_bmsk(Instr& in) {
  const bool clamp = in.one_of({"clamp", "wrap"}) == "clamp";
  in.expect_type({Type::b32});
  in.expect_operands(3);
  in.op.d = in.write(0, Type::b32);
  in.op.a = in.read(1, Type::u32);
  in.op.b = in.read(2, Type::u32);
  if (clamp) {
    in.emit(map<U32, U32, U32>([](U32 at, U32 n) {
      const U32 ones = n >= 32 ? all_lanes : (1U << (n & 31)) - 1;
      return at >= 32 ? 0U : ones << (at & 31);
    }));
  } else {
    in.emit(map<U32, U32, U32>([](U32 at, U32 n) { return ((1U << (n & 31)) - 1) << (at & 31); }));
  }
}

constexpr std::array entries{
    DecodeEntry{"and", Family::any, decode_logic<And>},   DecodeEntry{"or", Family::any, decode_logic<Or>},
    DecodeEntry{"xor", Family::any, decode_logic<Xor>},   DecodeEntry{"not", Family::any, decode_not<false>},
    DecodeEntry{"cnot", Family::any, decode_not<true>},   DecodeEntry{"lop3", Family::any, decode_lop3},
    DecodeEntry{"shl", Family::any, decode_shift<false>}, DecodeEntry{"shr", Family::any, decode_shift<true>},
    DecodeEntry{"shf", Family::any, decode_shf},          DecodeEntry{"bfe", Family::any, decode_bfe},
    DecodeEntry{"bfi", Family::any, decode_bfi},          DecodeEntry{"brev", Family::any, decode_brev},
    DecodeEntry{"clz", Family::any, decode_clz},          DecodeEntry{"popc", Family::any, decode_popc},
    DecodeEntry{"bfind", Family::any, decode_bfind},      DecodeEntry{"prmt", Family::any, decode_prmt},
    DecodeEntry{"bmsk", Family::any, decode_bmsk},
};

}  // namespace

std::span<const DecodeEntry> bit_instructions() {
  return entries;
}

}  // namespace tileloom::emu
