// SPDX-License-Identifier: Apache-2.0
// Instructions whose result PTX bounds but does not fix. Here: computed in f64 and rounded; a launch warns about them.
// PTX ISA, "Floating-Point Instructions: rsqrt, sin, cos, lg2, ex2, tanh".
#include <array>
#include <numbers>

#include "emu/isa/by_type.hpp"
#include "emu/isa/directed_rounding.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/real.hpp"
#include "emu/isa/vector.hpp"
#include "tileloom/emu/float16.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;

struct ReciprocalRoot {
  static double of(double a) { return 1.0 / std::sqrt(a); }
};
// The angle as a GPU has it: in turns, a product with 1 / 2 pi that is cut to f32. Far from zero that decides the
// result.
double turns(double a) {
  return static_cast<double>(
      rounded(RealOperation::multiply, RealRounding::rz, static_cast<float>(a), 0.15915494F, 0.0F));
}
struct Sine {
  static double of(double a) { return std::sin(2 * std::numbers::pi * std::remainder(turns(a), 1.0)); }
};
struct Cosine {
  static double of(double a) { return std::cos(2 * std::numbers::pi * std::remainder(turns(a), 1.0)); }
};
struct Logarithm {
  static double of(double a) { return std::log2(a); }
};
struct Exponential {
  static double of(double a) { return std::exp2(a); }
};
struct HyperbolicTangent {
  static double of(double a) { return std::tanh(a); }
};

template <class F>
float single(float a) {
  return canonical(static_cast<float>(F::of(a)));
}

template <class F, FloatFormat Format>
std::uint32_t packed(std::uint32_t a) {
  const auto low = from_f64<Format>(F::of(to_f64<Format>(static_cast<std::uint16_t>(a))));
  const auto high = from_f64<Format>(F::of(to_f64<Format>(static_cast<std::uint16_t>(a >> 16))));
  return std::uint32_t{high} << 16 | low;
}

template <class F>
Handler pick(Instr& in, Type type, bool ftz) {
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  switch (type) {
    case Type::f32:
      return ftz ? map<float, float>([](float a) { return flush(single<F>(flush(a))); })
                 : map<float, float>([](float a) { return single<F>(a); });
    case Type::f64:
      return ftz ? map<double, double>([](double a) { return approximate_result(F::of(high_word(a))); })
                 : map<double, double>([](double a) { return F::of(a); });
    case Type::f16:
      return map<U16, U16>([](U16 a) { return from_f64<f16_format>(F::of(to_f64<f16_format>(a))); });
    case Type::bf16:
      return map<U16, U16>([](U16 a) { return from_f64<bf16_format>(F::of(to_f64<bf16_format>(a))); });
    case Type::f16x2:
      return map<U32, U32>([](U32 a) { return packed<F, f16_format>(a); });
    case Type::bf16x2:
      return map<U32, U32>([](U32 a) { return packed<F, bf16_format>(a); });
    default:
      in.fail_unsupported();
  }
}

template <class F, bool Half, bool Double, bool Ftz = true>
void decode(Instr& in) {
  if (!in.flag("approx")) in.fail_unsupported();
  const bool ftz = Ftz && in.flag("ftz");
  const Type type = in.type();
  if ((type == Type::f64 && !Double) || (type != Type::f64 && type != Type::f32 && !Half)) in.fail_unsupported();
  in.expect_operands(2);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  in.warn_approximate();
  in.emit(pick<F>(in, type, ftz));
}

constexpr std::array entries{
    DecodeEntry{"rsqrt", Family::any, decode<ReciprocalRoot, false, true>},
    DecodeEntry{"sin", Family::any, decode<Sine, false, false>},
    DecodeEntry{"cos", Family::any, decode<Cosine, false, false>},
    DecodeEntry{"lg2", Family::any, decode<Logarithm, false, false>},
    DecodeEntry{"ex2", Family::any, decode<Exponential, true, false>},
    DecodeEntry{"tanh", Family::any, decode<HyperbolicTangent, true, false, false>},
};

}  // namespace

std::span<const DecodeEntry> approximate_instructions() {
  return entries;
}

}  // namespace tileloom::emu
