// SPDX-License-Identifier: Apache-2.0
// atom and red. PTX ISA, "Parallel Synchronization and Communication Instructions". Lanes act in ascending order;
// global memory is shared with CTAs on other host threads, so updates are atomic on the host too.
#include <algorithm>
#include <array>

#include "emu/isa/access.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/memory_modifiers.hpp"
#include "emu/isa/real.hpp"
#include "emu/isa/vector.hpp"
#include "emu/machine/address.hpp"
#include "tileloom/emu/float16.hpp"

namespace tileloom::emu {
namespace {

using ptx::Space;
using ptx::Type;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Generic addresses may be of shared memory.
bool is_shared(const Warp& w, const Op& op, unsigned lane) {
  if (op.space != Space::generic) return op.space == Space::shared;
  const U64 at = op.narrow_address ? U64{w.reg<U32>(op.a)[lane]} : w.reg<U64>(op.a)[lane];
  return region_of(at + static_cast<U64>(op.imm)) == shared_region;
}

// F(old, b, c) is the new value; storage types throughout.
template <class T, class F>
void update(Warp& w, const Op& op) {
  HostPointers host;
  locate(w, op, AccessKind::update, host);
  using S = Storage<T>;
  const S* b = w.reg<S>(op.b);
  const S* c = w.reg<S>(op.c);
  for_lanes(w.exec, [&](unsigned lane) {
    T* at = reinterpret_cast<T*>(host.at[lane]);
    const Space space = is_shared(w, op, lane) ? Space::shared : Space::global;
    T old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    T made;
    do {
      made = F::of(old, static_cast<T>(b[lane]), static_cast<T>(c[lane]), space);
    } while (!__atomic_compare_exchange_n(at, &old, made, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    if (op.d.used()) w.reg<S>(op.d)[lane] = old;
  });
}

struct Add {
  template <class T>
  static T of(T old, T b, T, Space) {
    return static_cast<T>(old + b);
  }
};
struct Exchange {
  template <class T>
  static T of(T, T b, T, Space) {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  static T of(T old, T b, T c, Space) {
    return old == b ? c : old;
  }
};
struct And {
  template <class T>
  static T of(T old, T b, T, Space) {
    return old & b;
  }
};
struct Or {
  template <class T>
  static T of(T old, T b, T, Space) {
    return old | b;
  }
};
struct Xor {
  template <class T>
  static T of(T old, T b, T, Space) {
    return old ^ b;
  }
};
struct Increment {
  template <class T>
  static T of(T old, T b, T, Space) {
    return old >= b ? T{0} : static_cast<T>(old + 1);
  }
};
struct Decrement {
  template <class T>
  static T of(T old, T b, T, Space) {
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
};
template <bool Maximum, bool Signed>
struct MinMax {
  template <class T>
  static T of(T old, T b, T, Space) {
    using V = std::conditional_t<Signed, std::make_signed_t<T>, T>;
    const V x = static_cast<V>(old);
    const V y = static_cast<V>(b);
    return static_cast<T>(Maximum ? std::max(x, y) : std::min(x, y));
  }
};
// PTX ISA, "atom": on global memory atom.add.f32 flushes subnormal inputs and results, on shared memory it keeps them.
struct AddSingle {
  static U32 of(U32 old, U32 b, U32, Space space) {
    float x = std::bit_cast<float>(old);
    float y = std::bit_cast<float>(b);
    const bool ftz = space != Space::shared;
    const float sum = ftz ? flush(flush(x) + flush(y)) : x + y;
    return std::bit_cast<U32>(canonical(sum));
  }
};
// A NaN in global memory stays as it is, and the added one wins (measured on an H200).
struct AddDouble {
  static U64 of(U64 old, U64 b, U64, Space space) {
    const auto x = std::bit_cast<double>(old);
    const auto y = std::bit_cast<double>(b);
    if (space == Space::global && (x != x || y != y)) return y != y ? b : old;
    return std::bit_cast<U64>(settle_nan(x + y, y, x, x));
  }
};
template <FloatFormat F>
struct AddHalf {
  static U16 of(U16 old, U16 b, U16, Space) { return add<F>(old, b); }
  static U32 of(U32 old, U32 b, U32, Space) {
    const U16 low = add<F>(static_cast<U16>(old), static_cast<U16>(b));
    const U16 high = add<F>(static_cast<U16>(old >> 16), static_cast<U16>(b >> 16));
    return U32{high} << 16 | low;
  }
};

template <class F>
Handler by_size(Instr& in, Type type) {
  switch (ptx::bits_of(type)) {
    case 32:
      return &update<U32, F>;
    case 64:
      return &update<U64, F>;
    default:
      in.fail_unsupported();
  }
}

Handler pick_add(Instr& in, Type type) {
  switch (type) {
    case Type::f32:
      return &update<U32, AddSingle>;
    case Type::f64:
      return &update<U64, AddDouble>;
    case Type::f16:
      return &update<U16, AddHalf<f16_format>>;
    case Type::f16x2:
      return &update<U32, AddHalf<f16_format>>;
    case Type::bf16:
      return &update<U16, AddHalf<bf16_format>>;
    case Type::bf16x2:
      return &update<U32, AddHalf<bf16_format>>;
    default:
      return by_size<Add>(in, type);
  }
}

template <bool Maximum>
Handler pick_minmax(Instr& in, Type type) {
  if (ptx::is_float(type)) in.fail_unsupported();
  return ptx::is_signed(type) ? by_size<MinMax<Maximum, true>>(in, type) : by_size<MinMax<Maximum, false>>(in, type);
}

Handler pick(Instr& in, std::string_view operation, Type type) {
  if (operation == "add") return pick_add(in, type);
  if (operation == "min") return pick_minmax<false>(in, type);
  if (operation == "max") return pick_minmax<true>(in, type);
  if (ptx::is_float(type)) in.fail_unsupported();
  if (operation == "inc" && type == Type::u32) return &update<U32, Increment>;
  if (operation == "dec" && type == Type::u32) return &update<U32, Decrement>;
  if (operation == "exch") return by_size<Exchange>(in, type);
  if (operation == "cas") return type == Type::b16 ? &update<U16, CompareAndSwap> : by_size<CompareAndSwap>(in, type);
  if (operation == "and") return by_size<And>(in, type);
  if (operation == "or") return by_size<Or>(in, type);
  if (operation == "xor") return by_size<Xor>(in, type);
  in.fail_unsupported();
}

template <bool Returns>
void decode(Instr& in) {
  in.op.space = take_space(in);
  if (in.op.space != Space::generic && in.op.space != Space::global && in.op.space != Space::shared)
    in.fail_unsupported();
  take_cache_hints(in);
  const std::string_view operation = in.one_of({"add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"});
  static_cast<void>(in.flag("noftz"));
  const Type type = in.type();
  const bool swap = operation == "cas";
  const std::size_t at = Returns ? 1 : 0;
  in.expect_operands(at + (swap ? 3 : 2), at + (swap ? 3 : 2) + 1);  // a cache policy may follow
  if (Returns) in.op.d = in.write(0, type);
  in.address(at);
  in.op.b = in.read(at + 1, type);
  in.op.c = swap ? in.read(at + 2, type) : in.op.b;
  in.op.bytes = static_cast<std::uint8_t>(ptx::bytes_of(type));
  in.emit(pick(in, operation, type));
}

constexpr std::array entries{
    DecodeEntry{"atom", Family::any, decode<true>},
    DecodeEntry{"red", Family::any, decode<false>},
};

}  // namespace

std::span<const DecodeEntry> atomic_instructions() {
  return entries;
}

}  // namespace tileloom::emu
