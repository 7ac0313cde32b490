// SPDX-License-Identifier: Apache-2.0
// Instructions through which lanes see each other. PTX ISA, "Parallel Synchronization and Communication Instructions".
#include <algorithm>
#include <array>
#include <cstring>

#include "emu/isa/families.hpp"
#include "emu/isa/shuffle.hpp"
#include "emu/isa/vector.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

void take_members(Instr& in, std::size_t operand) {
  in.op.kind = Op::Kind::collective;
  in.op.c = in.read(operand, Type::b32);
}

// list: a, b, control.
template <Shuffle Mode>
struct Shfl {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const Slot* in = w.list(op);
    const U32* a = w.reg<U32>(in[0]);
    const U32* by = w.reg<U32>(in[1]);
    const U32* control = w.reg<U32>(in[2]);
    alignas(64) U32 made[lanes];
    U32 inside = 0;
    for (unsigned i = 0; i < lanes; ++i) {
      unsigned from = i;
      inside |= U32{source_of<Mode>(i, by[i], control[i], from)} << i;
      made[i] = a[from & 31];
    }
    write_lanes(w, op.d, made);
    if (op.d2.used()) write_predicate(w, op.d2, inside);
  }
};

// d or d|p.
void take_results(Instr& in, Type type) {
  const ptx::Operand& to = in.operand(0);
  if (to.kind != ptx::Operand::Kind::pair) {
    in.op.d = in.write(0, type);
    return;
  }
  in.op.d = in.write(to.elements[0], type);
  in.op.d2 = in.write(to.elements[1], Type::pred);
}

void decode_shfl(Instr& in) {
  if (!in.flag("sync")) in.fail_unsupported();
  const std::string_view mode = in.one_of({"up", "down", "bfly", "idx"});
  in.expect_type({Type::b32});
  in.expect_operands(5);
  take_results(in, Type::b32);
  in.list({}, {in.read(1, Type::b32), in.read(2, Type::b32), in.read(3, Type::b32)});
  take_members(in, 4);
  in.emit(mode == "up"     ? handler<Shfl<Shuffle::up>>()
          : mode == "down" ? handler<Shfl<Shuffle::down>>()
          : mode == "bfly" ? handler<Shfl<Shuffle::bfly>>()
                           : handler<Shfl<Shuffle::idx>>());
}

U32 votes(const Warp& w, const Op& op) {
  return (w.predicate(op.a) ^ (op.mode != 0 ? all_lanes : 0)) & w.exec;
}

void vote_all(Warp& w, const Op& op) {
  write_predicate(w, op.d, votes(w, op) == w.exec ? all_lanes : 0);
}
void vote_any(Warp& w, const Op& op) {
  write_predicate(w, op.d, votes(w, op) != 0 ? all_lanes : 0);
}
void vote_uniform(Warp& w, const Op& op) {
  const U32 v = votes(w, op);
  write_predicate(w, op.d, v == 0 || v == w.exec ? all_lanes : 0);
}

void write_all(Warp& w, Slot d, U32 value) {
  U32* to = w.reg<U32>(d);
  for_lanes(w.exec, [&](unsigned lane) { to[lane] = value; });
}
void vote_ballot(Warp& w, const Op& op) {
  write_all(w, op.d, votes(w, op));
}

void decode_vote(Instr& in) {
  if (!in.flag("sync")) in.fail_unsupported();
  const std::string_view mode = in.one_of({"all", "any", "uni", "ballot"});
  in.expect_operands(3);
  in.expect_type({mode == "ballot" ? Type::b32 : Type::pred});
  in.op.d = in.write(0, mode == "ballot" ? Type::b32 : Type::pred);
  bool negated = false;
  in.op.a = in.read_predicate(1, negated);
  in.op.mode = negated ? 1 : 0;
  take_members(in, 2);
  in.emit(mode == "all" ? &vote_all : mode == "any" ? &vote_any : mode == "uni" ? &vote_uniform : &vote_ballot);
}

void active_mask(Warp& w, const Op& op) {
  write_all(w, op.d, w.exec);
}

void decode_activemask(Instr& in) {
  in.expect_type({Type::b32});
  in.expect_operands(1);
  in.op.d = in.write(0, Type::b32);
  in.emit(&active_mask);
}

template <class T>
void match_any(Warp& w, const Op& op) {
  const T* a = w.reg<T>(op.a);
  alignas(64) U32 made[lanes] = {};
  for_lanes(w.exec, [&](unsigned i) { for_lanes(w.exec, [&](unsigned j) { made[i] |= U32{a[i] == a[j]} << j; }); });
  write_lanes(w, op.d, made);
}
template <class T>
void match_all(Warp& w, const Op& op) {
  const T* a = w.reg<T>(op.a);
  const T first = a[__builtin_ctz(w.exec)];
  bool same = true;
  for_lanes(w.exec, [&](unsigned i) { same &= a[i] == first; });
  write_all(w, op.d, same ? w.exec : 0);
  if (op.d2.used()) write_predicate(w, op.d2, same ? all_lanes : 0);
}

void decode_match(Instr& in) {
  const bool all = in.one_of({"any", "all"}) == "all";
  if (!in.flag("sync")) in.fail_unsupported();
  const Type type = in.type({Type::b32, Type::b64});
  in.expect_operands(3);
  take_results(in, Type::b32);
  in.op.a = in.read(1, type);
  take_members(in, 2);
  if (type == Type::b32) {
    in.emit(all ? &match_all<U32> : &match_any<U32>);
  } else {
    in.emit(all ? &match_all<U64> : &match_any<U64>);
  }
}

// The lowest member leads.
void elect(Warp& w, const Op& op) {
  const U32 leader = static_cast<U32>(__builtin_ctz(w.exec));
  write_all(w, op.d, leader);
  if (op.d2.used()) write_predicate(w, op.d2, 1U << leader);
}

void decode_elect(Instr& in) {
  if (!in.flag("sync")) in.fail_unsupported();
  in.expect_operands(2);
  take_results(in, Type::b32);
  take_members(in, 1);
  in.emit(&elect);
}

template <class T, class F>
void reduce(Warp& w, const Op& op) {
  const U32* a = w.reg<U32>(op.a);
  T all = static_cast<T>(a[__builtin_ctz(w.exec)]);
  for_lanes(w.exec & (w.exec - 1), [&](unsigned i) { all = F()(all, static_cast<T>(a[i])); });
  write_all(w, op.d, static_cast<U32>(all));
}
struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<U32>(a) + static_cast<U32>(b));
  }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};

void decode_redux(Instr& in) {
  if (!in.flag("sync")) in.fail_unsupported();
  const std::string_view operation = in.one_of({"add", "min", "max", "and", "or", "xor"});
  const Type type = in.type({Type::u32, Type::s32, Type::b32});
  const bool is_signed = type == Type::s32;
  in.expect_operands(3);
  in.op.d = in.write(0, type);
  in.op.a = in.read(1, type);
  take_members(in, 2);
  using S32 = std::int32_t;
  in.emit(operation == "add"   ? &reduce<U32, Sum>
          : operation == "min" ? (is_signed ? &reduce<S32, Least> : &reduce<U32, Least>)
          : operation == "max" ? (is_signed ? &reduce<S32, Greatest> : &reduce<U32, Greatest>)
          : operation == "and" ? &reduce<U32, std::bit_and<U32>>
          : operation == "or"  ? &reduce<U32, std::bit_or<U32>>
                               : &reduce<U32, std::bit_xor<U32>>);
}

constexpr std::array entries{
    DecodeEntry{"shfl", Family::any, decode_shfl},   DecodeEntry{"vote", Family::any, decode_vote},
    DecodeEntry{"match", Family::any, decode_match}, DecodeEntry{"elect", Family::any, decode_elect},
    DecodeEntry{"redux", Family::any, decode_redux}, DecodeEntry{"activemask", Family::any, decode_activemask},
};

}  // namespace

std::span<const DecodeEntry> warp_instructions() {
  return entries;
}

}  // namespace tileloom::emu
