// SPDX-License-Identifier: Apache-2.0
// PTX ISA, "Comparison and Selection Instructions" and "testp".
#include <array>
#include <cmath>

#include "emu/isa/by_type.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/real.hpp"
#include "emu/isa/vector.hpp"
#include "tileloom/emu/float16.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;
using U16 = std::uint16_t;
using U32 = std::uint32_t;

struct Equal {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {  // false for NaN
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return a < b || a > b;
  }
};
struct Less {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct Ordered {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return a == a && b == b;
  }
};
// True for NaN: the complement of the opposite ordered relation.
template <class F>
struct Complement {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return !F()(a, b);
  }
};

template <class F>
struct Flushed {
  template <class T>
  [[gnu::always_inline]] bool operator()(T a, T b) const {
    return F()(flush(a), flush(b));
  }
};
template <class F, FloatFormat Format>
struct OnHalf {
  [[gnu::always_inline]] bool operator()(U16 a, U16 b) const { return F()(to_f32<Format>(a), to_f32<Format>(b)); }
};

template <class F, FloatFormat Format>
struct OnFlushedHalf {
  static float value(U16 x) { return to_f32<Format>((x & Format.infinity()) == 0 ? x & Format.sign_mask() : x); }
  [[gnu::always_inline]] bool operator()(U16 a, U16 b) const { return F()(value(a), value(b)); }
};

// mode: bits 0-1 the combination with predicate c, bit 2: c negated.
enum class Combine : std::uint8_t { none, conjunction, disjunction, exclusive };

U32 combined(const Warp& w, const Op& op, U32 mask) {
  if ((op.mode & 3) == 0) return mask;
  const U32 c = w.predicate(op.c) ^ ((op.mode & 4) != 0 ? all_lanes : 0);
  switch (static_cast<Combine>(op.mode & 3)) {
    case Combine::conjunction:
      return mask & c;
    case Combine::disjunction:
      return mask | c;
    default:
      return mask ^ c;
  }
}

template <class F, class T>
struct Compare {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const U32 mask = Test<F, T>::mask(w, op);
    const U32 first = combined(w, op, mask);
    const U32 second = op.d2.used() ? combined(w, op, ~mask) : 0;
    write_predicate(w, op.d, first);
    if (op.d2.used()) write_predicate(w, op.d2, second);
  }
};

// Packed halves: p compares the low ones, q the high ones.
template <class F>
struct ComparePacked {
  static void run(Warp& w, const Op& op) {
    const U32* a = w.reg<U32>(op.a);
    const U32* b = w.reg<U32>(op.b);
    U32 low = 0;
    U32 high = 0;
    for (unsigned i = 0; i < lanes; ++i) {
      low |= U32{F()(static_cast<U16>(a[i]), static_cast<U16>(b[i]))} << i;
      high |= U32{F()(static_cast<U16>(a[i] >> 16), static_cast<U16>(b[i] >> 16))} << i;
    }
    const U32 first = combined(w, op, low);
    const U32 second = combined(w, op, high);
    write_predicate(w, op.d, first);
    if (op.d2.used()) write_predicate(w, op.d2, second);
  }
};

template <class F>
Handler compare_with(Instr& in, Type type, bool ftz) {
  switch (type) {
    case Type::f32:
      return ftz ? handler<Compare<Flushed<F>, float>>() : handler<Compare<F, float>>();
    case Type::f64:
      return handler<Compare<F, double>>();
    case Type::f16:
      return ftz ? handler<Compare<OnFlushedHalf<F, f16_format>, U16>>()
                 : handler<Compare<OnHalf<F, f16_format>, U16>>();
    case Type::bf16:
      return handler<Compare<OnHalf<F, bf16_format>, U16>>();
    case Type::f16x2:
      return ftz ? &ComparePacked<OnFlushedHalf<F, f16_format>>::run : &ComparePacked<OnHalf<F, f16_format>>::run;
    case Type::bf16x2:
      return &ComparePacked<OnHalf<F, bf16_format>>::run;
    default:
      return by_integer(in, type, [](auto t) { return handler<Compare<F, decltype(t)>>(); });
  }
}

using Pick = Handler (*)(Instr&, Type, bool);
struct Relation {
  std::string_view name;
  Pick pick;
  enum class For : std::uint8_t { all, integers, reals } types;
};
constexpr std::array relations{
    Relation{"eq", compare_with<Equal>, Relation::For::all},
    Relation{"ne", compare_with<NotEqual>, Relation::For::all},
    Relation{"lt", compare_with<Less>, Relation::For::all},
    Relation{"le", compare_with<LessEqual>, Relation::For::all},
    Relation{"gt", compare_with<Greater>, Relation::For::all},
    Relation{"ge", compare_with<GreaterEqual>, Relation::For::all},
    Relation{"lo", compare_with<Less>, Relation::For::integers},
    Relation{"ls", compare_with<LessEqual>, Relation::For::integers},
    Relation{"hi", compare_with<Greater>, Relation::For::integers},
    Relation{"hs", compare_with<GreaterEqual>, Relation::For::integers},
    Relation{"equ", compare_with<Complement<NotEqual>>, Relation::For::reals},
    Relation{"neu", compare_with<Complement<Equal>>, Relation::For::reals},
    Relation{"ltu", compare_with<Complement<GreaterEqual>>, Relation::For::reals},
    Relation{"leu", compare_with<Complement<Greater>>, Relation::For::reals},
    Relation{"gtu", compare_with<Complement<LessEqual>>, Relation::For::reals},
    Relation{"geu", compare_with<Complement<Less>>, Relation::For::reals},
    Relation{"num", compare_with<Ordered>, Relation::For::reals},
    Relation{"nan", compare_with<Complement<Ordered>>, Relation::For::reals},
};

const Relation& take_relation(Instr& in) {
  for (const Relation& r : relations) {
    if (in.flag(r.name)) return r;
  }
  in.fail_unsupported();
}

Combine take_combination(Instr& in) {
  const std::string_view word = in.one_of({"and", "or", "xor"});
  return word.empty()    ? Combine::none
         : word == "and" ? Combine::conjunction
         : word == "or"  ? Combine::disjunction
                         : Combine::exclusive;
}

// The comparison of operands 1, 2 and, when combined, 3 into op.d and op.d2.
void emit_comparison(Instr& in, const Relation& relation, Combine combine, bool ftz, Type type) {
  const bool real = ptx::is_float(type);
  if (type == Type::pred ||
      (real ? relation.types == Relation::For::integers : relation.types == Relation::For::reals)) {
    in.fail_unsupported();
  }
  in.expect_operands(combine == Combine::none ? 3 : 4);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, type);
  in.op.mode = static_cast<std::uint8_t>(combine);
  if (combine != Combine::none) {
    bool negated = false;
    in.op.c = in.read_predicate(3, negated);
    if (negated) in.op.mode |= 4;
  }
  in.emit(relation.pick(in, type, ftz));
}

void decode_setp(Instr& in) {
  const Relation& relation = take_relation(in);
  const Combine combine = take_combination(in);
  const bool ftz = in.flag("ftz");
  const Type type = in.type();
  in.expect_operands(3, 4);
  const ptx::Operand& to = in.operand(0);
  if (to.kind == ptx::Operand::Kind::pair) {
    in.op.d = in.write(to.elements[0], Type::pred);
    in.op.d2 = in.write(to.elements[1], Type::pred);
  } else {
    in.op.d = in.write(0, Type::pred);
  }
  emit_comparison(in, relation, combine, ftz, type);
}

template <class T>
struct Select {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const T* a = w.reg<T>(op.a);
    const T* b = w.reg<T>(op.b);
    const U32 c = w.predicate(op.c) ^ (op.mode != 0 ? all_lanes : 0);
    alignas(64) T made[lanes];
    for (unsigned i = 0; i < lanes; ++i) made[i] = (c >> i & 1) != 0 ? a[i] : b[i];
    write_lanes(w, op.d, made);
  }
};

Handler select_of(Instr& in, Type type) {
  if (type == Type::pred || ptx::bits_of(type) < 16 || ptx::bits_of(type) > 64) in.fail_unsupported();
  return class_of(type) == RegisterClass::wide ? handler<Select<std::uint64_t>>() : handler<Select<U32>>();
}

void decode_selp(Instr& in) {
  const Type type = in.type();
  in.expect_operands(4);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = in.read(2, type);
  bool negated = false;
  in.op.c = in.read_predicate(3, negated);
  in.op.mode = negated ? 1 : 0;
  in.emit(select_of(in, type));
}

// `set`: a comparison into a temporary predicate, then a choice between true and zero.
void decode_set(Instr& in) {
  const Relation& relation = take_relation(in);
  const Combine combine = take_combination(in);
  const bool ftz = in.flag("ftz");
  const Type result = in.type({Type::u32, Type::s32, Type::f32, Type::u16, Type::s16, Type::f16, Type::bf16});
  const Type type = in.type();
  if (type == Type::f16x2 || type == Type::bf16x2) in.fail_unsupported();
  in.op.d = in.temporary(Type::pred);
  const Slot condition = in.op.d;
  in.expect_operands(3, 4);
  const Slot to = in.write(0, result);
  emit_comparison(in, relation, combine, ftz, type);
  const std::uint64_t yes = result == Type::f32          ? 0x3F80'0000U
                            : result == Type::f16        ? 0x3C00U
                            : result == Type::bf16       ? 0x3F80U
                            : ptx::bits_of(result) == 16 ? 0xFFFFU
                                                         : 0xFFFF'FFFFU;
  in.op = Op{};
  in.op.d = to;
  in.op.a = in.constant(result, yes);
  in.op.b = in.constant(result, 0);
  in.op.c = condition;
  in.emit(handler<Select<U32>>());
}

// `slct`: a where c >= 0, b where it is less or NaN.
void decode_slct(Instr& in) {
  const bool ftz = in.flag("ftz");
  const Type type = in.type();
  const Type test = in.type({Type::s32, Type::f32});
  in.expect_operands(4);
  const Slot condition = in.temporary(Type::pred);
  const Slot to = in.write(0, type);
  const Slot a = in.read(1, type);
  const Slot b = in.read(2, type);
  in.op.d = condition;
  in.op.a = in.read(3, test);
  in.op.b = in.constant(test, 0);
  in.emit(compare_with<GreaterEqual>(in, test, ftz));
  in.op = Op{};
  in.op.d = to;
  in.op.a = a;
  in.op.b = b;
  in.op.c = condition;
  in.emit(select_of(in, type));
}

// Classes by the exponent and fraction: the second argument is not used.
struct IsFinite {
  template <class T>
  bool operator()(T a, T) const {
    return std::isfinite(a);
  }
};
struct IsInfinite {
  template <class T>
  bool operator()(T a, T) const {
    return std::isinf(a);
  }
};
struct IsNumber {
  template <class T>
  bool operator()(T a, T) const {
    return a == a;
  }
};
struct IsNormal {  // PTX ISA, "testp": zeros are
  template <class T>
  bool operator()(T a, T) const {
    return std::isnormal(a) || a == 0;
  }
};
struct IsSubnormal {
  template <class T>
  bool operator()(T a, T) const {
    return std::fpclassify(a) == FP_SUBNORMAL;
  }
};

void decode_testp(Instr& in) {
  const std::string_view test = in.one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = in.type({Type::f32, Type::f64});
  in.expect_operands(2);
  in.op.d = in.write(0, Type::pred);
  in.op.a = in.read(1, type);
  in.op.b = in.op.a;
  in.emit(by_real(in, type, [&](auto t) {
    using T = decltype(t);
    return test == "finite"       ? handler<Compare<IsFinite, T>>()
           : test == "infinite"   ? handler<Compare<IsInfinite, T>>()
           : test == "number"     ? handler<Compare<IsNumber, T>>()
           : test == "notanumber" ? handler<Compare<Complement<IsNumber>, T>>()
           : test == "normal"     ? handler<Compare<IsNormal, T>>()
                                  : handler<Compare<IsSubnormal, T>>();
  }));
}

constexpr std::array entries{
    DecodeEntry{"setp", Family::any, decode_setp},   DecodeEntry{"set", Family::any, decode_set},
    DecodeEntry{"selp", Family::any, decode_selp},   DecodeEntry{"slct", Family::any, decode_slct},
    DecodeEntry{"testp", Family::any, decode_testp},
};

}  // namespace

std::span<const DecodeEntry> compare_instructions() {
  return entries;
}

}  // namespace tileloom::emu
