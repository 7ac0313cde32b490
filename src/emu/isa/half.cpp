// SPDX-License-Identifier: Apache-2.0
// f16, f16x2, bf16 and bf16x2 arithmetic. PTX ISA, "Half Precision Floating-Point Instructions".
#include <array>
#include <cmath>

#include "emu/isa/families.hpp"
#include "emu/isa/function_decoder.hpp"
#include "emu/isa/vector.hpp"
#include "tileloom/emu/float16.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;
using U16 = std::uint16_t;
using U32 = std::uint32_t;

// How an operation's result is changed, and its inputs.
enum class Finish : std::uint8_t { none, sat, relu };
struct HalfMode {
  Finish finish = Finish::none;
  bool ftz = false;
  bool nan = false;       // min, max: NaN wins
  bool xor_sign = false;  // min, max
  [[nodiscard]] std::uint8_t pack() const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(finish) | (ftz ? 4U : 0U) | (nan ? 8U : 0U) |
                                     (xor_sign ? 16U : 0U));
  }
  [[nodiscard]] static HalfMode unpack(std::uint8_t m) {
    return {static_cast<Finish>(m & 3), (m & 4) != 0, (m & 8) != 0, (m & 16) != 0};
  }
};

template <FloatFormat F>
U16 flush_half(U16 x) {
  return (x & F.infinity()) == 0 ? static_cast<U16>(x & F.sign_mask()) : x;
}

template <FloatFormat F>
U16 finish_half(U16 x, const HalfMode& m) {
  constexpr U16 one = static_cast<U16>(F.bias() << F.fraction_bits);
  if (m.ftz) x = flush_half<F>(x);
  if (m.finish == Finish::none) return x;
  if (is_nan<F>(x)) return m.finish == Finish::sat ? U16{0} : x;
  if ((x & F.sign_mask()) != 0) return 0;
  return m.finish == Finish::sat && x > one ? one : x;
}

// As flush_least of real.cpp, of products: sums near there are exact.
template <FloatFormat F>
U16 flush_least_half(U16 x, double exact) {
  const double least = std::ldexp(1.0, 1 - F.bias());
  if (to_f64<F>(magnitude<F>(x)) != least) return x;
  const double unbounded = to_f64<F>(from_f64<F>(exact * 256));
  return std::fabs(unbounded) < least * 256 ? static_cast<U16>(x & F.sign_mask()) : x;
}

struct Add {
  template <FloatFormat F>
  static U16 of(U16 a, U16 b, U16, const HalfMode&) {
    return add<F>(a, b);
  }
};
struct Subtract {
  template <FloatFormat F>
  static U16 of(U16 a, U16 b, U16, const HalfMode&) {
    return subtract<F>(a, b);
  }
};
struct Multiply {
  template <FloatFormat F>
  static U16 of(U16 a, U16 b, U16, const HalfMode& m) {
    if (m.ftz) return flush_least_half<F>(multiply<F>(a, b), to_f64<F>(a) * to_f64<F>(b));
    return multiply<F>(a, b);
  }
};
struct Fused {
  template <FloatFormat F>
  static U16 of(U16 a, U16 b, U16 c, const HalfMode& m) {
    if (m.ftz) {
      return flush_least_half<F>(fused_multiply_add<F>(a, b, c), std::fma(to_f64<F>(a), to_f64<F>(b), to_f64<F>(c)));
    }
    return fused_multiply_add<F>(a, b, c);
  }
};
struct Negate {
  template <FloatFormat F>
  static U16 of(U16 a, U16, U16, const HalfMode&) {
    return negate<F>(a);
  }
};
struct Absolute {
  template <FloatFormat F>
  static U16 of(U16 a, U16, U16, const HalfMode&) {
    return absolute<F>(a);
  }
};
template <bool Maximum>
struct MinMax {
  template <FloatFormat F>
  static U16 of(U16 a, U16 b, U16, const HalfMode& m) {
    if (m.nan && (is_nan<F>(a) || is_nan<F>(b))) return F.canonical_nan();
    const auto sign = static_cast<U16>((a ^ b) & F.sign_mask());
    if (m.xor_sign) {
      a = magnitude<F>(a);
      b = magnitude<F>(b);
    }
    const U16 r = Maximum ? maximum<F>(a, b) : minimum<F>(a, b);
    return m.xor_sign && !is_nan<F>(r) ? static_cast<U16>(r | sign) : r;
  }
};

template <class Operation, FloatFormat F>
U16 one(U16 a, U16 b, U16 c, const HalfMode& m) {
  if (m.ftz) {
    a = flush_half<F>(a);
    b = flush_half<F>(b);
    c = flush_half<F>(c);
  }
  return finish_half<F>(Operation::template of<F>(a, b, c, m), m);
}

template <class Operation, FloatFormat F, bool Packed>
void run(Warp& w, const Op& op) {
  const U32* a = w.reg<U32>(op.a);
  const U32* b = w.reg<U32>(op.b);
  const U32* c = w.reg<U32>(op.c);
  U32* d = w.reg<U32>(op.d);
  const HalfMode m = HalfMode::unpack(op.mode);
  for_lanes(w.exec, [&](unsigned i) {
    const auto low = [](U32 x) { return static_cast<U16>(x); };
    const auto high = [](U32 x) { return static_cast<U16>(x >> 16); };
    U32 made = one<Operation, F>(low(a[i]), low(b[i]), low(c[i]), m);
    if constexpr (Packed) made |= U32{one<Operation, F>(high(a[i]), high(b[i]), high(c[i]), m)} << 16;
    d[i] = made;
  });
}

HalfMode take_mode(Instr& in, std::initializer_list<std::string_view> finishes) {
  HalfMode m;
  m.ftz = in.flag("ftz");
  const std::string_view finish = in.one_of(finishes);
  m.finish = finish == "sat" ? Finish::sat : finish == "relu" ? Finish::relu : Finish::none;
  return m;
}

template <class Operation>
void finish(Instr& in, const HalfMode& m, Type type) {
  in.op.mode = m.pack();
  switch (type) {
    case Type::f16:
      in.emit(&run<Operation, f16_format, false>);
      break;
    case Type::f16x2:
      in.emit(&run<Operation, f16_format, true>);
      break;
    case Type::bf16:
      in.emit(&run<Operation, bf16_format, false>);
      break;
    case Type::bf16x2:
      in.emit(&run<Operation, bf16_format, true>);
      break;
    default:
      in.fail_unsupported();
  }
}

void operands(Instr& in, Type type, std::size_t count) {
  in.expect_operands(count + 1);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = count > 1 ? in.read(2, type) : in.op.a;
  in.op.c = count > 2 ? in.read(3, type) : in.op.a;
}

template <class Operation, bool Sum>
void decode_rounded(Instr& in) {
  const bool explicit_rounding = in.flag("rn");
  const HalfMode m = take_mode(in, {"sat"});
  const Type type = in.type();
  operands(in, type, 2);
  if (!explicit_rounding && Sum) {
    in.function().check_contraction(in.op.a, in.source());
    in.function().check_contraction(in.op.b, in.source());
  }
  if (!explicit_rounding && !Sum) in.function().remember_product(in.op.d, in.source());
  finish<Operation>(in, m, type);
}

void decode_fma(Instr& in) {
  if (!in.flag("rn")) in.fail_unsupported();
  const HalfMode m = take_mode(in, {"sat", "relu"});
  const Type type = in.type();
  operands(in, type, 3);
  finish<Fused>(in, m, type);
}

template <class Operation>
void decode_unary(Instr& in) {
  const HalfMode m = take_mode(in, {});
  const Type type = in.type();
  operands(in, type, 1);
  finish<Operation>(in, m, type);
}

template <class Operation>
void decode_minmax(Instr& in) {
  HalfMode m = take_mode(in, {});
  m.nan = in.flag("NaN");
  m.xor_sign = in.flag("xorsign");
  if (m.xor_sign && !in.flag("abs")) in.fail_unsupported();
  const Type type = in.type();
  operands(in, type, 2);
  finish<Operation>(in, m, type);
}

constexpr std::array entries{
    DecodeEntry{"add", Family::half, decode_rounded<Add, true>},
    DecodeEntry{"sub", Family::half, decode_rounded<Subtract, true>},
    DecodeEntry{"mul", Family::half, decode_rounded<Multiply, false>},
    DecodeEntry{"fma", Family::half, decode_fma},
    DecodeEntry{"neg", Family::half, decode_unary<Negate>},
    DecodeEntry{"abs", Family::half, decode_unary<Absolute>},
    DecodeEntry{"min", Family::half, decode_minmax<MinMax<false>>},
    DecodeEntry{"max", Family::half, decode_minmax<MinMax<true>>},
};

}  // namespace

std::span<const DecodeEntry> half_instructions() {
  return entries;
}

}  // namespace tileloom::emu
