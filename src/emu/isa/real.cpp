// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic. PTX ISA, "Floating-Point Instructions". Without a rounding modifier the result is rounded to
// nearest even, and ptxas may contract a product and a sum: FunctionDecoder counts such pairs.
#include <array>
#include <functional>

#include "emu/isa/by_type.hpp"
#include "emu/isa/directed_rounding.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/function_decoder.hpp"
#include "emu/isa/real_modifiers.hpp"
#include "emu/isa/vector.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;

struct Add {
  static constexpr RealOperation operation = RealOperation::add;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b, T) {
    return a + b;
  }
};
struct Subtract {
  static constexpr RealOperation operation = RealOperation::subtract;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b, T) {
    return a - b;
  }
};
struct Multiply {
  static constexpr RealOperation operation = RealOperation::multiply;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b, T) {
    return a * b;
  }
};
struct Fused {
  static constexpr RealOperation operation = RealOperation::fused;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
struct Divide {
  static constexpr RealOperation operation = RealOperation::divide;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b, T) {
    return a / b;
  }
};
// PTX ISA, "div": of a divisor beyond 2^126 the reciprocal is lost.
struct ApproximateDivide {
  static constexpr RealOperation operation = RealOperation::divide;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b, T) {
    return std::fabs(b) > T{0x1p126} && std::isfinite(b) ? a * std::copysign(T{0}, b) : a / b;
  }
};
struct Reciprocal {
  static constexpr RealOperation operation = RealOperation::reciprocal;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T, T) {
    return T{1} / a;
  }
};
struct SquareRoot {
  static constexpr RealOperation operation = RealOperation::square_root;
  template <class T>
  [[gnu::always_inline]] static T of(T a, T, T) {
    return std::sqrt(a);
  }
};

// Of two NaNs div.f64 gives the first; everything else the second.
template <class F, class T>
[[gnu::always_inline]] inline T settle(T r, T x, T y, T z) {
  return F::operation == RealOperation::divide ? settle_nan(r, y, x, x) : settle_nan(r, x, y, z);
}

constexpr std::uint32_t least_normal = 0x0080'0000;

// `.ftz` looks at the result rounded as if exponents had no end: what only becomes the least normal number because
// subnormals have fewer bits is flushed (measured on an H200).
template <class F>
std::uint32_t flush_least(std::uint32_t bits, RealRounding rounding, float x, float y, float z) {
  if ((bits & 0x7FFF'FFFF) != least_normal) return bits;
  const double exact = F::of(double{x}, double{y}, double{z});
  const float unbounded = rounded_conversion<float>(rounding, exact * 0x1p64);
  return std::fabs(unbounded) < 0x1p-62F ? bits & 0x8000'0000 : bits;
}

template <class F, class T, bool Ftz, bool Sat>
struct Nearest {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const Storage<T>* a = w.reg<Storage<T>>(op.a);
    const Storage<T>* b = w.reg<Storage<T>>(op.b);
    const Storage<T>* c = w.reg<Storage<T>>(op.c);
    alignas(64) Storage<T> made[lanes];
    for (unsigned i = 0; i < lanes; ++i) {
      const T x = in(a[i]);
      const T y = in(b[i]);
      const T z = in(c[i]);
      const T r = F::of(x, y, z);
      const T flushed = Ftz ? flush(r) : r;
      made[i] = to_storage<T>(Sat ? saturate_unit(flushed) : settle<F>(flushed, x, y, z));
    }
    if constexpr (Ftz && sizeof(T) == 4) {
      for (unsigned i = 0; i < lanes; ++i) {
        if ((made[i] & 0x7FFF'FFFF) == least_normal) {
          made[i] = flush_least<F>(made[i], RealRounding::rn, in(a[i]), in(b[i]), in(c[i]));
        }
      }
    }
    write_lanes(w, op.d, made);
  }
  [[gnu::always_inline]] static T in(Storage<T> bits) {
    return Ftz ? flush(from_storage<T>(bits)) : from_storage<T>(bits);
  }
};

template <class F, class T>
void run_directed(Warp& w, const Op& op) {
  const RealModifiers m = RealModifiers::unpack(op.mode);
  const auto in = [&](Slot slot, unsigned lane) {
    const T value = from_storage<T>(w.reg<Storage<T>>(slot)[lane]);
    return m.ftz ? flush(value) : value;
  };
  for_lanes(w.exec, [&](unsigned lane) {
    const T x = in(op.a, lane);
    const T y = in(op.b, lane);
    const T z = in(op.c, lane);
    T r = rounded(F::operation, m.rounding, x, y, z);
    r = m.ftz ? flush(r) : r;
    Storage<T> made = to_storage<T>(m.sat ? saturate_unit(r) : settle<F>(r, x, y, z));
    if constexpr (sizeof(T) == 4) {
      if (m.ftz) made = flush_least<F>(made, m.rounding, x, y, z);
    }
    w.reg<Storage<T>>(op.d)[lane] = made;
  });
}

template <class F, class T>
Handler pick(const RealModifiers& m) {
  if (m.rounding != RealRounding::rn) return &run_directed<F, T>;
  if (m.ftz) return m.sat ? handler<Nearest<F, T, true, true>>() : handler<Nearest<F, T, true, false>>();
  return m.sat ? handler<Nearest<F, T, false, true>>() : handler<Nearest<F, T, false, false>>();
}

template <class F>
void finish(Instr& in, Type type, const RealModifiers& m) {
  if (type == Type::f64 && (m.ftz || m.sat)) in.fail_unsupported();
  in.op.mode = m.pack();
  in.emit(type == Type::f32 ? pick<F, float>(m) : pick<F, double>(m));
}

// Operands that an operation does not have read the first one, so that every handler has three.
void operands(Instr& in, Type type, std::size_t count) {
  in.expect_operands(count + 1);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.op.b = count > 1 ? in.read(2, type) : in.op.a;
  in.op.c = count > 2 ? in.read(3, type) : in.op.a;
}

template <class F>
void decode_sum(Instr& in) {
  const RealModifiers m = take_real_modifiers(in);
  const Type type = in.type({Type::f32, Type::f64});
  operands(in, type, 2);
  if (!m.explicit_rounding) {
    in.function().check_contraction(in.op.a, in.source());
    in.function().check_contraction(in.op.b, in.source());
  }
  finish<F>(in, type, m);
}

void decode_mul(Instr& in) {
  const RealModifiers m = take_real_modifiers(in);
  const Type type = in.type({Type::f32, Type::f64});
  operands(in, type, 2);
  if (!m.explicit_rounding) in.function().remember_product(in.op.d, in.source());
  finish<Multiply>(in, type, m);
}

void decode_fma(Instr& in) {
  const RealModifiers m = take_real_modifiers(in);
  const Type type = in.type({Type::f32, Type::f64});
  if (!m.explicit_rounding) in.fail_unsupported();
  operands(in, type, 3);
  finish<Fused>(in, type, m);
}

// rcp.approx.ftz.f64, or a rounded operation.
template <class F>
void finish_double(Instr& in, const RealModifiers& m) {
  if (!m.ftz) return finish<F>(in, Type::f64, m);
  if (F::operation != RealOperation::reciprocal) in.fail_unsupported();
  in.emit(map<double, double>([](double a) { return approximate_result(1.0 / high_word(a)); }));
}

template <class F, std::size_t Count>
void decode_quotient(Instr& in) {
  const std::string_view kind = in.one_of({"approx", "full"});
  const bool approximate = !kind.empty();
  const RealModifiers m = take_real_modifiers(in);
  const Type type = in.type({Type::f32, Type::f64});
  if (approximate == m.explicit_rounding || m.sat || (kind == "full" && Count != 2)) in.fail_unsupported();
  operands(in, type, Count);
  if (approximate) in.warn_approximate();
  RealModifiers kept = m;
  if (type == Type::f64) return finish_double<F>(in, kept);
  if constexpr (F::operation == RealOperation::divide) {
    if (kind == "approx") return finish<ApproximateDivide>(in, type, kept);
  }
  finish<F>(in, type, kept);
}

// A number wins over NaN, unless `.NaN`; -0 is less than +0.
template <class T, bool Maximum>
T choose(T a, T b, bool propagate) {
  if (a != a || b != b) {
    if (propagate || (a != a && b != b)) {
      return settle_nan(a + b, a, b, a);
    }
    return a != a ? b : a;
  }
  if (a == b) return std::signbit(a) == Maximum ? b : a;
  return (a < b) != Maximum ? a : b;
}

template <class T, bool Maximum>
struct MinMax {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const Storage<T>* a = w.reg<Storage<T>>(op.a);
    const Storage<T>* b = w.reg<Storage<T>>(op.b);
    const bool ftz = (op.mode & 1) != 0;
    const bool propagate = (op.mode & 2) != 0;
    const bool xor_sign = (op.mode & 4) != 0;
    alignas(64) Storage<T> made[lanes];
    for (unsigned i = 0; i < lanes; ++i) {
      T x = from_storage<T>(a[i]);
      T y = from_storage<T>(b[i]);
      x = ftz ? flush(x) : x;
      y = ftz ? flush(y) : y;
      const bool negative = std::signbit(x) != std::signbit(y);
      if (xor_sign) {
        x = std::fabs(x);
        y = std::fabs(y);
      }
      const T r = choose<T, Maximum>(x, y, propagate);
      made[i] = to_storage<T>(xor_sign && r == r ? std::copysign(r, negative ? T{-1} : T{1}) : r);
    }
    write_lanes(w, op.d, made);
  }
};

template <bool Maximum>
void decode_minmax(Instr& in) {
  const bool ftz = in.flag("ftz");
  const bool propagate = in.flag("NaN");
  const bool xor_sign = in.flag("xorsign");
  if (xor_sign && !in.flag("abs")) in.fail_unsupported();
  const Type type = in.type({Type::f32, Type::f64});
  operands(in, type, 2);
  in.op.mode = static_cast<std::uint8_t>((ftz ? 1 : 0) + (propagate ? 2 : 0) + (xor_sign ? 4 : 0));
  in.emit(by_real(in, type, [](auto t) { return handler<MinMax<decltype(t), Maximum>>(); }));
}

// A NaN is canonical in f32 and keeps its sign in f64.
template <bool Absolute, class T>
T change_sign(T a) {
  return a != a ? settle_nan(a, a, a, a) : Absolute ? std::fabs(a) : -a;
}

template <bool Absolute>
void decode_sign(Instr& in) {
  const bool ftz = in.flag("ftz");
  const Type type = in.type({Type::f32, Type::f64});
  operands(in, type, 1);
  in.emit(by_real(in, type, [&](auto t) {
    using T = decltype(t);
    return ftz ? map<T, T>([](T a) { return change_sign<Absolute>(flush(a)); })
               : map<T, T>([](T a) { return change_sign<Absolute>(a); });
  }));
}

// d has the magnitude of b and the sign of a.
void decode_copysign(Instr& in) {
  const Type type = in.type({Type::f32, Type::f64});
  operands(in, type, 2);
  in.emit(by_real(in, type, [](auto t) {
    using T = decltype(t);
    return map<T, T, T>([](T a, T b) { return std::copysign(b, a); });
  }));
}

constexpr std::array entries{
    DecodeEntry{"add", Family::real, decode_sum<Add>},
    DecodeEntry{"sub", Family::real, decode_sum<Subtract>},
    DecodeEntry{"mul", Family::real, decode_mul},
    DecodeEntry{"fma", Family::real, decode_fma},
    DecodeEntry{"mad", Family::real, decode_fma},
    DecodeEntry{"div", Family::real, decode_quotient<Divide, 2>},
    DecodeEntry{"rcp", Family::real, decode_quotient<Reciprocal, 1>},
    DecodeEntry{"sqrt", Family::real, decode_quotient<SquareRoot, 1>},
    DecodeEntry{"min", Family::real, decode_minmax<false>},
    DecodeEntry{"max", Family::real, decode_minmax<true>},
    DecodeEntry{"abs", Family::real, decode_sign<true>},
    DecodeEntry{"neg", Family::real, decode_sign<false>},
    DecodeEntry{"copysign", Family::real, decode_copysign},
};

}  // namespace

RealModifiers take_real_modifiers(Instr& in) {
  RealModifiers m;
  const std::string_view rounding = in.one_of({"rn", "rz", "rm", "rp"});
  m.explicit_rounding = !rounding.empty();
  m.rounding = rounding == "rz"   ? RealRounding::rz
               : rounding == "rm" ? RealRounding::rm
               : rounding == "rp" ? RealRounding::rp
                                  : RealRounding::rn;
  m.ftz = in.flag("ftz");
  m.sat = in.flag("sat");
  return m;
}

std::span<const DecodeEntry> real_instructions() {
  return entries;
}

}  // namespace tileloom::emu
