// SPDX-License-Identifier: Apache-2.0
// mov with packing and unpacking, addresses and special registers; cvta and isspacep. PTX ISA, "Data Movement and
// Conversion Instructions".
#include <array>
#include <cstring>

#include "emu/isa/families.hpp"
#include "emu/isa/function_decoder.hpp"
#include "emu/isa/vector.hpp"
#include "emu/machine/address.hpp"
#include "emu/machine/cta.hpp"

namespace tileloom::emu {
namespace {

using ptx::Operand;
using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class S>
struct Copy {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    alignas(64) S made[lanes];
    std::memcpy(made, w.reg<S>(op.a), sizeof made);
    write_lanes(w, op.d, made);
  }
};

void copy_predicate(Warp& w, const Op& op) {
  write_predicate(w, op.d, w.predicate(op.a));
}

Handler copy_of(Type type) {
  switch (class_of(type)) {
    case RegisterClass::predicate:
      return &copy_predicate;
    case RegisterClass::word:
      return handler<Copy<U32>>();
    default:
      return handler<Copy<U64>>();
  }
}

// d = a + imm, for addresses.
template <class S>
struct AddImmediate {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const U64* a = w.reg<U64>(op.a);
    const auto added = static_cast<U64>(op.imm);
    alignas(64) S made[lanes];
    for (unsigned i = 0; i < lanes; ++i) made[i] = static_cast<S>(a[i] + added);
    write_lanes(w, op.d, made);
  }
};

// The address of variable operand 1, plus the start of its window where a generic address is asked for.
void decode_address(Instr& in, Type type, U64 window) {
  const Operand& from = in.operand(1);
  const ptx::Variable& v = in.function().module().module.variables[from.id];
  if (ptx::bits_of(type) < 32) in.fail_unsupported();
  in.op.d = in.write(0, type);
  if (in.function().is_local(from.id)) {
    in.op.a = in.function().variable_address(v, from.id, 0, RegisterClass::wide);
    in.op.imm = static_cast<std::int64_t>(window + in.function().module().variable_offset[from.id] +
                                          static_cast<U64>(from.offset));
    in.emit(ptx::bits_of(type) == 32 ? handler<AddImmediate<U32>>() : handler<AddImmediate<U64>>());
    return;
  }
  in.op.a = in.function().variable_address(v, from.id, from.offset + static_cast<std::int64_t>(window), class_of(type));
  in.emit(copy_of(type));
}

void decode_function_address(Instr& in, Type type) {
  const std::string& name = in.operand(1).name;
  const std::uint32_t function = in.function().function_id(name);
  if (function == ptx::none) in.fail("'" + name + "' is not declared");
  if (ptx::bits_of(type) != 64) in.fail_unsupported();
  in.op.d = in.write(0, type);
  in.op.a = in.constant(type, function_address(function));
  in.emit(copy_of(type));
}

// Instructions executed stand for time: deterministic, and it moves forward.
void read_clock(Warp& w, const Op& op) {
  for_lanes(w.exec, [&](unsigned lane) { w.reg<U32>(op.d)[lane] = static_cast<U32>(w.clock() >> op.mode); });
}
void read_clock_wide(Warp& w, const Op& op) {
  for_lanes(w.exec, [&](unsigned lane) { w.reg<U64>(op.d)[lane] = w.clock(); });
}

bool decode_clock(Instr& in, const std::string& name, Type type) {
  if (name == "%clock64" || name == "%globaltimer") {
    in.op.d = in.write(0, type);
    if (ptx::bits_of(type) != 64) in.fail_unsupported();
    in.emit(&read_clock_wide);
    return true;
  }
  const bool high = name == "%clock_hi" || name == "%globaltimer_hi";
  if (!high && name != "%clock" && name != "%globaltimer_lo") return false;
  in.op.d = in.write(0, type);
  if (ptx::bits_of(type) != 32) in.fail_unsupported();
  in.op.mode = high ? 32 : 0;
  in.emit(&read_clock);
  return true;
}

// The parts of a register, lowest first.
template <class S>
void pack(Warp& w, const Op& op) {
  const Slot* parts = w.list(op);
  const unsigned bits = op.mode;
  for_lanes(w.exec, [&](unsigned lane) {
    U64 made = 0;
    for (unsigned i = 0; i < op.list_reads; ++i) made |= U64{w.reg<U32>(parts[i])[lane]} << (bits * i);
    w.reg<S>(op.d)[lane] = static_cast<S>(made);
  });
}
template <class S>
void unpack(Warp& w, const Op& op) {
  const Slot* parts = w.list(op);
  const unsigned bits = op.mode;
  const U64 mask = (U64{1} << bits) - 1;
  for_lanes(w.exec, [&](unsigned lane) {
    const U64 value = w.reg<S>(op.a)[lane];
    for (unsigned i = 0; i < op.list_writes; ++i) {
      w.reg<U32>(parts[i])[lane] = static_cast<U32>(value >> (bits * i) & mask);
    }
  });
}

Type part_type(Instr& in, Type whole, std::size_t parts) {
  const unsigned bits = ptx::bits_of(whole) / static_cast<unsigned>(parts);
  if ((parts != 2 && parts != 4) || ptx::bits_of(whole) < 16 || bits * parts != ptx::bits_of(whole))
    in.fail_unsupported();
  return bits == 8 ? Type::b8 : bits == 16 ? Type::b16 : Type::b32;
}

void decode_pack(Instr& in, Type type) {
  const std::vector<Operand>& elements = in.operand(1).elements;
  const Type part = part_type(in, type, elements.size());
  std::vector<Slot> parts;
  parts.reserve(elements.size());
  for (const Operand& e : elements) parts.push_back(in.read(e, part));
  in.op.d = in.write(0, type);
  in.list({}, parts);
  in.op.mode = static_cast<std::uint8_t>(ptx::bits_of(part));
  in.emit(ptx::bits_of(type) == 64 ? &pack<U64> : &pack<U32>);
}

void decode_unpack(Instr& in, Type type) {
  const std::vector<Operand>& elements = in.operand(0).elements;
  const Type part = part_type(in, type, elements.size());
  std::vector<Slot> parts;
  parts.reserve(elements.size());
  for (const Operand& e : elements) parts.push_back(in.write(e, part));
  in.op.a = in.read(1, type);
  in.list(parts, {});
  in.op.mode = static_cast<std::uint8_t>(ptx::bits_of(part));
  in.emit(ptx::bits_of(type) == 64 ? &unpack<U64> : &unpack<U32>);
}

// Shared memory that the driver keeps: cooperative groups ask where it lies before they know whether they need it.
// There is none here; whoever uses the address is out of bounds.
constexpr std::string_view reserved_shared = "%reserved_smem_offset_";
constexpr U64 beyond_shared = 0xFFFF'0000;

void decode_mov(Instr& in) {
  const Type type = in.type();
  in.expect_operands(2);
  const Operand& from = in.operand(1);
  if (from.kind == Operand::Kind::vector) return decode_pack(in, type);
  if (in.operand(0).kind == Operand::Kind::vector) return decode_unpack(in, type);
  if (from.kind == Operand::Kind::variable) return decode_address(in, type, 0);
  if (from.kind == Operand::Kind::special && decode_clock(in, from.name, type)) return;
  if (from.kind == Operand::Kind::name) return decode_function_address(in, type);
  in.op.d = in.write(0, type);
  in.op.a = from.kind == Operand::Kind::special && from.name.starts_with(reserved_shared)
                ? in.constant(type, beyond_shared)
                : in.read(1, type);
  in.emit(copy_of(type));
}

std::optional<U64> window_of(std::string_view space) {
  if (space.starts_with("shared")) return region_base(shared_region);
  if (space == "local") return region_base(local_region);
  if (space.starts_with("param")) return region_base(param_region);
  return std::nullopt;
}

constexpr std::array<std::string_view, 7> spaces{"global", "const", "shared",      "shared::cta",
                                                 "local",  "param", "param::entry"};

std::string_view take_space(Instr& in) {
  for (const std::string_view space : spaces) {
    if (in.flag(space)) return space;
  }
  in.fail_unsupported();
}

void decode_cvta(Instr& in) {
  const bool to = in.flag("to");
  const std::string_view space = take_space(in);
  const Type type = in.type({Type::u64});
  in.expect_operands(2);
  if (in.operand(1).kind == Operand::Kind::variable) {
    if (to) in.fail_unsupported();
    return decode_address(in, type, window_of(space).value_or(0));
  }
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  const U64 window = window_of(space).value_or(0);
  in.op.imm = static_cast<std::int64_t>(to ? 0 - window : window);
  in.emit(window == 0 ? handler<Copy<U64>>() : handler<AddImmediate<U64>>());
}

void in_region(Warp& w, const Op& op) {
  const U64* a = w.reg<U64>(op.a);
  U32 mask = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const U64 region = region_of(a[i]);
    const bool global = region >= first_buffer_region;
    mask |= U32{op.imm == 0 ? global : region == static_cast<U64>(op.imm)} << i;
  }
  write_predicate(w, op.d, mask);
}

void decode_isspacep(Instr& in) {
  const std::string_view space = take_space(in);
  if (space == "const") in.fail_unsupported();
  in.expect_operands(2);
  in.op.d = in.write(0, Type::pred);
  in.op.a = in.read(1, Type::u64);
  in.op.imm = static_cast<std::int64_t>(region_of(window_of(space).value_or(0)));
  in.emit(&in_region);
}

constexpr std::array entries{
    DecodeEntry{"mov", Family::any, decode_mov},
    DecodeEntry{"cvta", Family::any, decode_cvta},
    DecodeEntry{"isspacep", Family::any, decode_isspacep},
};

}  // namespace

std::span<const DecodeEntry> move_instructions() {
  return entries;
}

}  // namespace tileloom::emu
