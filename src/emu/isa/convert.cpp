// SPDX-License-Identifier: Apache-2.0
// cvt. PTX ISA, "Data Movement and Conversion Instructions: cvt".
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "emu/isa/directed_rounding.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/vector.hpp"
#include "tileloom/emu/float16.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

// Carried packed in Op::imm.
struct Plan {
  Type from, to;
  Rounding rounding;
  bool to_integral;  // .rni and its kin
  bool ftz;
  bool sat;  // .sat, or .satfinite for packed results
  bool relu;
  std::uint8_t to_bits;  // of the destination register
};

U64 low_bits(U64 value, unsigned bits) {
  return bits >= 64 ? value : value & ((U64{1} << bits) - 1);
}
S64 sign_extend(U64 value, unsigned bits) {
  return static_cast<S64>(value << (64 - bits)) >> (64 - bits);
}

// -- Integer to integer: shifts extend the source from its width and the result to its register, without branches.
template <class From, class To, bool SignedFrom, bool SignedTo>
struct Extend {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const From* a = w.reg<From>(op.a);
    const unsigned from = op.mode;                                // 64 - width of the source type
    const auto to = static_cast<unsigned>(op.imm & 0xFF);         // 64 - width of the destination type
    const auto keep = static_cast<unsigned>(op.imm >> 8 & 0xFF);  // 64 - width of the register
    alignas(64) To made[lanes];
    for (unsigned i = 0; i < lanes; ++i) {
      U64 value = U64{a[i]} << from;
      value = SignedFrom ? static_cast<U64>(static_cast<S64>(value) >> from) : value >> from;
      value <<= to;
      value = SignedTo ? static_cast<U64>(static_cast<S64>(value) >> to) : value >> to;
      made[i] = static_cast<To>(value << keep >> keep);
    }
    write_lanes(w, op.d, made);
  }
};

template <class From, class To>
Handler extend_of(bool signed_from, bool signed_to) {
  if (signed_from)
    return signed_to ? handler<Extend<From, To, true, true>>() : handler<Extend<From, To, true, false>>();
  return signed_to ? handler<Extend<From, To, false, true>>() : handler<Extend<From, To, false, false>>();
}

// -- One value, any pair of types.
struct Range {
  S64 low;
  U64 high;
};
Range range_of(Type type) {
  const unsigned bits = ptx::bits_of(type);
  if (!ptx::is_signed(type)) return {0, low_bits(~U64{0}, bits)};
  return {sign_extend(U64{1} << (bits - 1), bits), low_bits(~U64{0}, bits - 1)};
}

double to_double(Type type, U64 bits) {
  switch (type) {
    case Type::f16:
      return to_f64<f16_format>(static_cast<U16>(bits));
    case Type::bf16:
      return to_f64<bf16_format>(static_cast<U16>(bits));
    case Type::f32:
      return std::bit_cast<float>(static_cast<U32>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

// 64-bit integers round to odd, so that a later rounding to a narrower format is right.
double to_odd_double(U64 magnitude) {
  if (magnitude < (U64{1} << 53)) return static_cast<double>(magnitude);
  const int drop = static_cast<int>(std::bit_width(magnitude)) - 53;
  const U64 lost = magnitude & ((U64{1} << drop) - 1);
  const U64 kept = magnitude >> drop | (lost != 0 ? 1 : 0);
  return std::ldexp(static_cast<double>(kept), drop);
}

float narrow(double value, Rounding rounding) {
  if (rounding == Rounding::rn || value != value) return static_cast<float>(value);
  return rounded_conversion<float>(static_cast<RealRounding>(rounding), value);
}

U64 from_double(const Plan& plan, double value) {
  if (plan.sat) value = saturate_unit(value);
  if (plan.relu && value == value) value = value > 0 ? value : 0.0;
  switch (plan.to) {
    case Type::f16:
      return from_f64<f16_format>(value, plan.rounding);
    case Type::bf16:
      return from_f64<bf16_format>(value, plan.rounding);
    case Type::f32: {
      const float made = canonical(narrow(value, plan.rounding));
      // As flush_least of real.cpp.
      const bool tiny =
          plan.ftz && std::fabs(made) == 0x1p-126F && std::fabs(narrow(value * 0x1p64, plan.rounding)) < 0x1p-62F;
      return std::bit_cast<U32>(tiny ? std::copysign(0.0F, made) : plan.ftz ? flush(made) : made);
    }
    default:
      return std::bit_cast<U64>(settle_nan(value, value, value, value));
  }
}

double integral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::rz:
      return std::trunc(value);
    case Rounding::rm:
      return std::floor(value);
    case Rounding::rp:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

U64 float_to_integer(const Plan& plan, double value) {
  const unsigned bits = ptx::bits_of(plan.to);
  if (value != value) {
    const bool zero = plan.from != Type::f64 && bits < 64;
    return zero ? 0 : U64{1} << (bits - 1);
  }
  const Range range = range_of(plan.to);
  const double rounded_value = integral(value, plan.rounding);
  if (rounded_value <= static_cast<double>(range.low)) return static_cast<U64>(range.low);
  if (rounded_value >= static_cast<double>(range.high)) return range.high;
  return ptx::is_signed(plan.to) ? static_cast<U64>(static_cast<S64>(rounded_value)) : static_cast<U64>(rounded_value);
}

U64 integer_to_float(const Plan& plan, U64 bits) {
  const bool negative = ptx::is_signed(plan.from) && static_cast<S64>(bits) < 0;
  if (plan.to == Type::f64) {
    const auto mode = static_cast<RealRounding>(plan.rounding);
    const double made = ptx::is_signed(plan.from) ? rounded_conversion<double>(mode, static_cast<S64>(bits))
                                                  : rounded_conversion<double>(mode, bits);
    return std::bit_cast<U64>(plan.sat ? saturate_unit(made) : made);
  }
  const double magnitude = to_odd_double(negative ? 0 - bits : bits);
  return from_double(plan, negative ? -magnitude : magnitude);
}

U64 clamp_integer(const Plan& plan, U64 bits) {
  const Range range = range_of(plan.to);
  if (ptx::is_signed(plan.from) && static_cast<S64>(bits) < 0) {
    return static_cast<U64>(std::max(static_cast<S64>(bits), range.low));
  }
  return std::min(bits, range.high);
}

struct FormatBits {
  unsigned fraction;
  unsigned width;
};
FormatBits format_bits(Type type) {
  return {type == Type::f16 ? 10U : type == Type::bf16 ? 7U : type == Type::f32 ? 23U : 52U, ptx::bits_of(type)};
}

// A NaN's sign and the high bits of its fraction, made quiet.
U64 carried_nan(Type from_type, Type to_type, U64 bits) {
  const FormatBits from = format_bits(from_type);
  const FormatBits to = format_bits(to_type);
  const U64 fraction = low_bits(bits, from.fraction) << (52 - from.fraction) >> (52 - to.fraction);
  const U64 exponent = low_bits(~U64{0}, to.width - 1 - to.fraction) << to.fraction;
  return (bits >> (from.width - 1) & 1) << (to.width - 1) | exponent | fraction | U64{1} << (to.fraction - 1);
}

// Where a NaN is not the canonical one of its new format, as measured on an H200: conversions from and to f64 carry it,
// bf16 is the upper half of an f32, and a conversion of a type to itself moves it.
std::optional<U64> nan_result(const Plan& plan, U64 bits) {
  if (plan.sat || plan.relu) return std::nullopt;
  if (plan.from == plan.to) {
    const bool moves = !plan.to_integral && !plan.ftz && ptx::bits_of(plan.to) >= 32;
    return moves ? std::optional(bits) : std::nullopt;
  }
  if (plan.from == Type::bf16 && plan.to == Type::f32 && !plan.ftz) return bits << 16;
  if (plan.from == Type::f32 && plan.to == Type::f64 && plan.ftz) return 0x7FFF'FFFF'E000'0000;
  if (plan.from != Type::f64 && plan.to != Type::f64) return std::nullopt;
  return carried_nan(plan.from, plan.to, bits);
}

U64 convert(const Plan& plan, U64 bits) {
  const unsigned from_bits = ptx::bits_of(plan.from);
  if (!ptx::is_float(plan.from)) {
    const U64 value =
        ptx::is_signed(plan.from) ? static_cast<U64>(sign_extend(bits, from_bits)) : low_bits(bits, from_bits);
    return ptx::is_float(plan.to) ? integer_to_float(plan, value) : clamp_integer(plan, value);
  }
  double value = to_double(plan.from, bits);
  if (value != value && ptx::is_float(plan.to)) {
    if (const auto made = nan_result(plan, low_bits(bits, from_bits))) return *made;
  }
  if (plan.ftz && plan.from == Type::f32 && plan.to != Type::f16) value = flush(static_cast<float>(value));
  if (!ptx::is_float(plan.to)) return float_to_integer(plan, value);
  if (plan.to_integral) value = integral(value, plan.rounding);
  return from_double(plan, value);
}

// Widened to the register as the destination type says.
U64 in_register(const Plan& plan, U64 made) {
  const unsigned bits = ptx::bits_of(plan.to);
  const U64 wide = ptx::is_signed(plan.to) ? static_cast<U64>(sign_extend(made, bits)) : low_bits(made, bits);
  return low_bits(wide, plan.to_bits);
}

struct PackedPlan {
  static S64 pack(const Plan& p) {
    return static_cast<S64>(static_cast<U64>(p.from) | static_cast<U64>(p.to) << 8 |
                            static_cast<U64>(p.rounding) << 16 | (p.to_integral ? U64{1} << 24 : 0) |
                            (p.ftz ? U64{1} << 25 : 0) | (p.sat ? U64{1} << 26 : 0) | (p.relu ? U64{1} << 27 : 0) |
                            U64{p.to_bits} << 32);
  }
  static Plan unpack(S64 imm) {
    const auto u = static_cast<U64>(imm);
    return {static_cast<Type>(u & 0xFF),
            static_cast<Type>(u >> 8 & 0xFF),
            static_cast<Rounding>(u >> 16 & 0xFF),
            (u >> 24 & 1) != 0,
            (u >> 25 & 1) != 0,
            (u >> 26 & 1) != 0,
            (u >> 27 & 1) != 0,
            static_cast<std::uint8_t>(u >> 32)};
  }
};

template <class From, class To>
void run_convert(Warp& w, const Op& op) {
  const Plan plan = PackedPlan::unpack(op.imm);
  const From* a = w.reg<From>(op.a);
  for_lanes(w.exec,
            [&](unsigned lane) { w.reg<To>(op.d)[lane] = static_cast<To>(in_register(plan, convert(plan, a[lane]))); });
}

// Two f32 into one packed register: a is the high half.
template <FloatFormat F>
void run_pack(Warp& w, const Op& op) {
  const Plan plan = PackedPlan::unpack(op.imm);
  const auto one = [&](U32 bits) {
    const U16 made = from_f32<F>(std::bit_cast<float>(bits), plan.rounding);
    const bool negative = (made & F.sign_mask()) != 0;
    if (plan.relu && !is_nan<F>(made) && negative) return U16{0};
    return plan.sat ? saturate_finite<F>(made) : made;
  };
  const U32* a = w.reg<U32>(op.a);
  const U32* b = w.reg<U32>(op.b);
  for_lanes(w.exec, [&](unsigned lane) { w.reg<U32>(op.d)[lane] = U32{one(a[lane])} << 16 | one(b[lane]); });
}

void take_rounding(Instr& in, Plan& plan) {
  const std::string_view word = in.one_of({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"});
  plan.to_integral = word.ends_with('i');
  plan.rounding = word.starts_with("rz")   ? Rounding::rz
                  : word.starts_with("rm") ? Rounding::rm
                  : word.starts_with("rp") ? Rounding::rp
                                           : Rounding::rn;
  if (word == "rna") in.fail_unsupported();
}

void emit_packed(Instr& in, Plan& plan) {
  if (plan.from != Type::f32) in.fail_unsupported();
  in.expect_operands(3);
  in.op.d = in.write(0, plan.to);
  in.op.a = in.read(1, plan.from);
  in.op.b = in.read(2, plan.from);
  in.op.imm = PackedPlan::pack(plan);
  in.emit(plan.to == Type::f16x2 ? &run_pack<f16_format> : &run_pack<bf16_format>);
}

bool convertible(Type type) {
  return type != Type::pred && type != Type::f16x2 && type != Type::bf16x2 && type >= Type::u8;
}

void decode_cvt(Instr& in) {
  Plan plan{};
  take_rounding(in, plan);
  plan.ftz = in.flag("ftz");
  plan.relu = in.flag("relu");
  const bool finite = in.flag("satfinite");
  plan.sat = in.flag("sat") || finite;
  plan.to = in.type();
  plan.from = in.type();
  if (plan.to == Type::f16x2 || plan.to == Type::bf16x2) return emit_packed(in, plan);
  if (finite || !convertible(plan.to) || !convertible(plan.from)) in.fail_unsupported();
  in.expect_operands(2);
  unsigned from_bits = 0;
  unsigned to_bits = 0;
  in.op.d = in.write_wider(in.operand(0), plan.to, to_bits);
  in.op.a = in.read_wider(in.operand(1), plan.from, from_bits);
  plan.to_bits = static_cast<std::uint8_t>(to_bits);
  const bool from_wide = from_bits == 64;
  const bool to_wide = to_bits == 64;
  if (!ptx::is_float(plan.from) && !ptx::is_float(plan.to) && !plan.sat) {
    const bool sf = ptx::is_signed(plan.from);
    const bool st = ptx::is_signed(plan.to);
    in.op.mode = static_cast<std::uint8_t>(64 - ptx::bits_of(plan.from));
    in.op.imm = static_cast<S64>((64 - ptx::bits_of(plan.to)) | (64 - to_bits) << 8);
    in.emit(from_wide ? (to_wide ? extend_of<U64, U64>(sf, st) : extend_of<U64, U32>(sf, st))
                      : (to_wide ? extend_of<U32, U64>(sf, st) : extend_of<U32, U32>(sf, st)));
    return;
  }
  in.op.imm = PackedPlan::pack(plan);
  in.emit(from_wide ? (to_wide ? &run_convert<U64, U64> : &run_convert<U64, U32>)
                    : (to_wide ? &run_convert<U32, U64> : &run_convert<U32, U32>));
}

constexpr std::array entries{DecodeEntry{"cvt", Family::any, decode_cvt}};

}  // namespace

std::span<const DecodeEntry> convert_instructions() {
  return entries;
}

}  // namespace tileloom::emu
