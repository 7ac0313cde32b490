// SPDX-License-Identifier: Apache-2.0
// Loads, stores and the hints that change no value. PTX ISA, "Data Movement and Conversion Instructions". Cache
// operators, eviction priorities, scopes and memory orders change nothing here: every access is performed at once, in
// program order.
#include <array>
#include <cstring>

#include "emu/isa/access.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/function_decoder.hpp"
#include "emu/isa/memory_modifiers.hpp"
#include "emu/isa/vector.hpp"

namespace tileloom::emu {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

// mode: 64 less the width of the destination register, for values that are sign-extended into it.
template <class Element, class D>
void load(Warp& w, const Op& op) {
  HostPointers host;
  locate(w, op, AccessKind::read, host);
  const Slot* to = op.list_writes != 0 ? w.list(op) : &op.d;
  const unsigned count = op.list_writes != 0 ? op.list_writes : 1;
  for (unsigned k = 0; k < count; ++k) {
    D* d = w.reg<D>(to[k]);
    for_lanes(w.exec, [&](unsigned lane) {
      Element value;
      std::memcpy(&value, host.at[lane] + k * sizeof(Element), sizeof value);
      if constexpr (std::is_signed_v<Element>) {
        d[lane] = static_cast<D>(static_cast<U64>(std::int64_t{value}) << op.mode >> op.mode);
      } else {
        d[lane] = value;
      }
    });
  }
}

// mode: bytes of a lane in the source registers, for the checks.
template <class Element, class S>
void store(Warp& w, const Op& op) {
  HostPointers host;
  locate(w, op, AccessKind::write, host);
  const Slot* from = op.list_reads != 0 ? w.list(op) : &op.b;
  const unsigned count = op.list_reads != 0 ? op.list_reads : 1;
  // Lane by lane, so that of two lanes that write one address the higher one wins with all of its elements.
  for_lanes(w.exec, [&](unsigned lane) {
    for (unsigned k = 0; k < count; ++k) {
      const auto value = static_cast<Element>(w.reg<S>(from[k])[lane]);
      std::memcpy(host.at[lane] + k * sizeof(Element), &value, sizeof value);
    }
  });
}

template <class D>
Handler load_of(Type type) {
  switch (ptx::bits_of(type)) {
    case 8:
      return ptx::is_signed(type) ? &load<std::int8_t, D> : &load<std::uint8_t, D>;
    case 16:
      return ptx::is_signed(type) ? &load<std::int16_t, D> : &load<std::uint16_t, D>;
    case 32:
      return ptx::is_signed(type) && sizeof(D) == 8 ? &load<std::int32_t, D> : &load<U32, D>;
    default:
      return &load<U64, U64>;
  }
}
template <class S>
Handler store_of(Type type) {
  switch (ptx::bits_of(type)) {
    case 8:
      return &store<std::uint8_t, S>;
    case 16:
      return &store<std::uint16_t, S>;
    case 32:
      return &store<U32, S>;
    default:
      return &store<U64, U64>;
  }
}

unsigned take_vector(Instr& in) {
  const std::string_view v = in.one_of({"v2", "v4", "v8"});
  return v.empty() ? 1 : static_cast<unsigned>(v[1] - '0');
}

// The registers of operand `i`: one, or a vector of `count`. All must have lanes of one width.
template <class Take>
std::vector<Slot> elements(Instr& in, std::size_t i, unsigned count, unsigned& register_bits, Take take) {
  const Operand& operand = in.operand(i);
  std::vector<const Operand*> list;
  if (operand.kind == Operand::Kind::vector) {
    for (const Operand& e : operand.elements) list.push_back(&e);
  } else {
    list.push_back(&operand);
  }
  if (list.size() != count) {
    in.fail("'" + in.source().opcode() + "' takes " + std::to_string(count) + " registers, found " +
            std::to_string(list.size()));
  }
  std::vector<Slot> slots;
  register_bits = 0;
  for (const Operand* e : list) {
    unsigned bits = 0;
    slots.push_back(take(*e, bits));
    const bool fixed = e->kind == Operand::Kind::reg;
    if (register_bits != 0 && fixed && (bits == 64) != (register_bits == 64)) {
      in.fail("'" + in.source().opcode() + "': registers of different widths");
    }
    if (fixed || register_bits == 0) register_bits = bits;
  }
  return slots;
}

Type take_access(Instr& in, unsigned& count) {
  in.op.space = take_space(in);
  take_cache_hints(in);
  count = take_vector(in);
  const Type type = in.type();
  if (type == Type::pred || ptx::bits_of(type) > 64 || count * ptx::bytes_of(type) > 32) in.fail_unsupported();
  in.op.bytes = static_cast<std::uint8_t>(count * ptx::bytes_of(type));
  return type;
}

void decode_load(Instr& in) {
  unsigned count = 1;
  const Type type = take_access(in, count);
  in.expect_operands(2, 3);  // a cache policy may follow
  unsigned bits = 0;
  const std::vector<Slot> to =
      elements(in, 0, count, bits, [&](const Operand& e, unsigned& b) { return in.write_wider(e, type, b); });
  in.address(1);
  if (count == 1) {
    in.op.d = to[0];
  } else {
    in.list(to, {});
  }
  in.op.mode = static_cast<std::uint8_t>(64 - bits);
  in.emit(bits == 64 ? load_of<U64>(type) : load_of<U32>(type));
}

void decode_store(Instr& in) {
  unsigned count = 1;
  const Type type = take_access(in, count);
  if (in.op.space == Space::constant) in.fail_unsupported();
  in.expect_operands(2, 3);
  in.address(0);
  unsigned bits = 0;
  const std::vector<Slot> from =
      elements(in, 1, count, bits, [&](const Operand& e, unsigned& b) { return in.read_wider(e, type, b); });
  if (count == 1) {
    in.op.b = from[0];
  } else {
    in.list({}, from);
  }
  in.op.mode = bits == 64 ? 8 : 4;
  in.emit(bits == 64 ? store_of<U64>(type) : store_of<U32>(type));
}

void nothing(Warp&, const Op&) {}

// prefetch, discard and the like.
void decode_hint(Instr& in) {
  for (const std::string& m : in.modifiers()) in.ignore_prefix(m);
  in.emit(&nothing);
}

// A cache policy is a number that loads and stores ignore.
void decode_createpolicy(Instr& in) {
  for (const std::string& m : in.modifiers()) in.ignore_prefix(m);
  if (in.operand_count() == 0) in.fail_unsupported();
  in.op.d = in.write(0, Type::b64);
  in.op.a = in.constant(Type::b64, 0);
  in.emit(map<U64, U64>([](U64 a) { return a; }));
}

constexpr std::array entries{
    DecodeEntry{"ld", Family::any, decode_load},
    DecodeEntry{"ldu", Family::any, decode_load},
    DecodeEntry{"st", Family::any, decode_store},
    DecodeEntry{"prefetch", Family::any, decode_hint},
    DecodeEntry{"prefetchu", Family::any, decode_hint},
    DecodeEntry{"discard", Family::any, decode_hint},
    DecodeEntry{"applypriority", Family::any, decode_hint},
    DecodeEntry{"createpolicy", Family::any, decode_createpolicy},
};

}  // namespace

Space take_space(Instr& in) {
  const std::string_view word = in.one_of(
      {"global", "const", "shared", "shared::cta", "shared::cluster", "local", "param", "param::entry", "param::func"});
  if (word.empty()) return Space::generic;
  if (word == "global") return Space::global;
  if (word == "const") return Space::constant;
  if (word.starts_with("shared")) return Space::shared;
  return word == "local" ? Space::local : Space::param;
}

void take_cache_hints(Instr& in) {
  in.ignore({"weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio", "cta", "cluster", "gpu",
             "sys",  "ca",      "cg",      "cs",      "lu",      "cv",       "nc",   "wb",  "wt",      "unified"});
  in.ignore_prefix("L1::");
  in.ignore_prefix("L2::");
  in.ignore_prefix("level::");
}

std::span<const DecodeEntry> memory_instructions() {
  return entries;
}

}  // namespace tileloom::emu
