// SPDX-License-Identifier: Apache-2.0
// Handlers that do the same to each lane, written as one lane's function and compiled for the vector units.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emu/machine/warp.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define TILELOOM_AVX2 __attribute__((target("arch=x86-64-v3")))
#else
#define TILELOOM_AVX2
#endif

namespace tileloom::emu {

template <class T>
using Storage = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// A lane's register holds narrow values zero-extended.
template <class T>
[[gnu::always_inline]] inline T from_storage(Storage<T> bits) {
  if constexpr (sizeof(T) >= 4) {
    return std::bit_cast<T>(bits);
  } else {
    return static_cast<T>(bits);
  }
}
template <class T>
[[gnu::always_inline]] inline Storage<T> to_storage(T value) {
  if constexpr (sizeof(T) >= 4) {
    return std::bit_cast<Storage<T>>(value);
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

// Writes the executing lanes of `d`; `made` never aliases a register, so that the loops that fill it vectorise.
template <class S>
[[gnu::always_inline]] inline void write_lanes(Warp& w, Slot d, const S* made) {
  S* to = w.reg<S>(d);
  if (w.exec == all_lanes) {
    std::memcpy(to, made, sizeof(S) * lanes);
    return;
  }
  const std::uint32_t exec = w.exec;
  for (unsigned i = 0; i < lanes; ++i) to[i] = (exec >> i & 1) != 0 ? made[i] : to[i];
}

inline void write_predicate(Warp& w, Slot d, std::uint32_t mask) {
  std::uint32_t& to = *w.reg<std::uint32_t>(d);
  to = (to & ~w.exec) | (mask & w.exec);
}

// `Body::run` compiled twice; the program takes what this processor can run.
template <class Body>
void run_any(Warp& w, const Op& op) {
  Body::run(w, op);
}
template <class Body>
TILELOOM_AVX2 void run_avx2(Warp& w, const Op& op) {
  Body::run(w, op);
}
[[nodiscard]] inline bool host_has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return has;
#else
  return false;
#endif
}
template <class Body>
[[nodiscard]] Handler handler() {
  return host_has_avx2() ? &run_avx2<Body> : &run_any<Body>;
}

// d = F(a), F(a, b), F(a, b, c), lane by lane.
template <class F, class D, class... A>
struct Map {
  [[gnu::always_inline]] static void run(Warp& w, const Op& op) {
    const Slot slots[3] = {op.a, op.b, op.c};
    apply(w, op, slots, std::index_sequence_for<A...>());
  }
  template <std::size_t... I>
  [[gnu::always_inline]] static void apply(Warp& w, const Op& op, const Slot* slots, std::index_sequence<I...>) {
    rows(w, op, w.reg<Storage<A>>(slots[I])...);
  }
  [[gnu::always_inline]] static void rows(Warp& w, const Op& op, const Storage<A>*... in) {
    alignas(64) Storage<D> made[lanes];
    for (unsigned i = 0; i < lanes; ++i) made[i] = to_storage<D>(F()(from_storage<A>(in[i])...));
    write_lanes(w, op.d, made);
  }
};
template <class D, class... A, class F>
[[nodiscard]] Handler map(F) {
  return handler<Map<F, D, A...>>();
}

// The predicate d = F(a, b), lane by lane.
template <class F, class A>
struct Test {
  [[gnu::always_inline]] static std::uint32_t mask(Warp& w, const Op& op) {
    const Storage<A>* a = w.reg<Storage<A>>(op.a);
    const Storage<A>* b = w.reg<Storage<A>>(op.b);
    alignas(64) std::uint32_t made[lanes];
    for (unsigned i = 0; i < lanes; ++i) {
      made[i] = F()(from_storage<A>(a[i]), from_storage<A>(b[i])) ? 1U << i : 0U;
    }
    std::uint32_t all = 0;
    for (unsigned i = 0; i < lanes; ++i) all |= made[i];
    return all;
  }
};

}  // namespace tileloom::emu
