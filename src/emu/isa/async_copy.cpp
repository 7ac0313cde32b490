// SPDX-License-Identifier: Apache-2.0
// cp.async and its groups. PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy". Unless the launch
// asks for another delivery, a copy's bytes arrive as late as the program allows: when the lane waits for its group, or
// exits. Until then the destination holds 0xFF, an f16 and f32 NaN, so that a missing wait shows in the result.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "emu/isa/access.hpp"
#include "emu/isa/async_copy.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/memory_modifiers.hpp"
#include "emu/machine/split_mix.hpp"

namespace tileloom::emu {
namespace {

using ptx::Space;
using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

// What a launch delivers before it must: at once everything, or of seeded deliveries each copy with one chance in four,
// here and at each later copy instruction of the warp.
void deliver_before_the_wait(Warp& w) {
  const Delivery& delivery = w.cta->launch->options.delivery;
  if (delivery.when == Delivery::When::late) return;
  if (delivery.when == Delivery::When::early) return deliver_copies(w, [](unsigned, U32) { return true; });
  const SplitMix random(delivery.seed + (w.cta->index.x + 4099 * (w.cta->index.y + 4099 * U64{w.cta->index.z})));
  const U64 now = w.instructions * w.cta->warps.size() + w.index;
  U64 which = 0;
  deliver_copies(w, [&](unsigned lane, U32) { return random.word(now ^ ++which << 40 ^ U64{lane} << 56) % 4 == 0; });
}

void start_copy(Warp& w, const Op& op) {
  const CopyOperands operands = copy_operands(w, op);
  w.copies.emplace_back();
  PendingCopy& copy = w.copies.back();
  copy.bytes = op.bytes;
  U32 full = 0;  // lanes that read all of their bytes
  for_lanes(w.exec, [&](unsigned lane) {
    const U32 count = operands.source_bytes[lane];
    if (count > op.bytes) w.fail("bad size", fmt::format("copies {} of {} bytes", count, op.bytes), lane);
    copy.source_bytes[lane] = static_cast<std::uint8_t>(count);
    copy.group[lane] = w.copy_group[lane];
    full |= U32{count == op.bytes} << lane;
  });
  HostPointers host;
  if (full != 0) {
    locate(w, {Space::global, AccessKind::read, op.bytes, full, operands.from.data()}, host);
    for_lanes(full, [&](unsigned lane) { copy.from[lane] = host.at[lane]; });
  }
  for_lanes(w.exec & ~full, [&](unsigned lane) {
    const U32 count = copy.source_bytes[lane];
    if (count == 0) return;
    copy.from[lane] = locate_lane(w, lane, {Space::global, AccessKind::read, operands.from[lane], count, op.bytes});
  });
  locate(w, {Space::shared, AccessKind::write, op.bytes, w.exec, operands.to.data()}, host);
  for_lanes(w.exec, [&](unsigned lane) {
    copy.to[lane] = host.at[lane];
    std::memset(host.at[lane], uninitialised, op.bytes);
  });
  copy.waiting = w.exec;
  deliver_before_the_wait(w);
}

void commit(Warp& w, const Op&) {
  deliver_before_the_wait(w);
  for_lanes(w.exec, [&](unsigned lane) { ++w.copy_group[lane]; });
}

void wait_group(Warp& w, const Op& op) {
  deliver_copies(w,
                 [&](unsigned lane, U32 group) { return U64{group} + static_cast<U64>(op.imm) < w.copy_group[lane]; });
}

void wait_all(Warp& w, const Op& op) {
  commit(w, op);
  wait_group(w, op);
}

void decode_group(Instr& in) {
  if (in.flag("commit_group")) {
    in.expect_operands(0);
    in.emit(&commit);
  } else if (in.flag("wait_all")) {
    in.expect_operands(0);
    in.emit(&wait_all);
  } else if (in.flag("wait_group")) {
    in.expect_operands(1);
    in.op.imm = static_cast<std::int64_t>(std::min<U64>(in.immediate(0), std::numeric_limits<U32>::max()));
    in.emit(&wait_group);
  } else {
    in.fail_unsupported();
  }
}

std::int64_t checked_offset(Instr& in) {
  if (in.op.imm != static_cast<std::int32_t>(in.op.imm)) in.fail("an address offset that does not fit 32 bits");
  return in.op.imm;
}

void take_addresses(Instr& in) {
  in.op.space = Space::global;
  in.address(1);
  const Slot source = in.op.a;
  const std::int64_t source_offset = checked_offset(in);
  if (in.op.narrow_address) in.op.mode |= 1;
  in.op.narrow_address = false;
  in.op.space = Space::shared;
  in.address(0);
  const std::int64_t offset = checked_offset(in);
  in.op.b = source;
  in.op.imm =
      static_cast<std::int64_t>(static_cast<U64>(static_cast<U32>(offset)) | static_cast<U64>(source_offset) << 32);
}

// cp.async.{ca|cg}.shared.global [to], [from], SIZE [, BYTES | ignore predicate] [, policy];
void decode_copy(Instr& in) {
  const std::string_view cache = in.one_of({"ca", "cg"});
  const bool shared = !in.one_of({"shared", "shared::cta"}).empty();
  if (cache.empty() || !shared || !in.flag("global")) return decode_group(in);
  take_cache_hints(in);
  in.expect_operands(3, 5);
  const U64 size = in.immediate(2);
  if (size != 16 && (cache == "cg" || (size != 4 && size != 8))) {
    in.fail("'" + in.source().opcode() + "' copies " + (cache == "cg" ? "16" : "4, 8 or 16") + " bytes, found " +
            std::to_string(size));
  }
  in.op.bytes = static_cast<std::uint8_t>(size);
  in.op.c = in.constant(Type::u32, size);
  take_addresses(in);
  if (in.operand_count() > 3) {
    const ptx::Operand& extra = in.operand(3);
    const bool is_register = extra.kind == ptx::Operand::Kind::reg;
    const Type type = is_register ? in.register_type(extra) : Type::u32;
    if (type == Type::pred) {
      in.list({}, {in.read(3, Type::pred)});
      in.op.mode |= 2;
    } else if (ptx::bits_of(type) == 32) {
      in.op.c = in.read(3, Type::u32);
    }
  }
  in.emit(&start_copy);
}

void decode_cp(Instr& in) {
  if (!in.flag("async")) in.fail_unsupported();
  decode_copy(in);
}

constexpr std::array entries{DecodeEntry{"cp", Family::any, decode_cp}};

}  // namespace

// op.a, low half of imm: destination; op.b, high half of imm: source; op.c: bytes read, the rest are zeros;
// mode: bit 0: the source address has 32 bits, bit 1: list[0] is the predicate that reads nothing.
CopyOperands copy_operands(const Warp& w, const Op& op) {
  CopyOperands made;
  lane_addresses(w, op.a, op.narrow_address, static_cast<std::int32_t>(op.imm), made.to.data());
  lane_addresses(w, op.b, (op.mode & 1) != 0, static_cast<std::int32_t>(op.imm >> 32), made.from.data());
  const U32 ignored = (op.mode & 2) != 0 ? w.predicate(w.list(op)[0]) : 0;
  const U32* counts = w.reg<U32>(op.c);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    made.source_bytes[lane] = (ignored >> lane & 1) != 0 ? 0 : counts[lane];
  }
  return made;
}

void deliver_all_copies(Warp& w, std::uint32_t mask) {
  const std::uint32_t exec = w.exec;
  w.exec = mask;
  deliver_copies(w, [](unsigned, U32) { return true; });
  w.exec = exec;
}

std::span<const DecodeEntry> async_copy_instructions() {
  return entries;
}

}  // namespace tileloom::emu
