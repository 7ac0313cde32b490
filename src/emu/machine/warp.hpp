// SPDX-License-Identifier: Apache-2.0
// The state of one warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emu/machine/aligned_bytes.hpp"
#include "emu/machine/op.hpp"

namespace tileloom::emu {

struct Cta;
struct Program;

// What a lane waits for.
struct Wait {
  enum class Kind : std::uint8_t { nothing, collective, warp_barrier, cta_barrier } kind = Kind::nothing;
  std::uint8_t barrier = 0;
  std::uint32_t members = 0;
};

// Registers of one call depth. The first area is the lanes' local memory frame pointers.
struct Frame {
  AlignedBytes registers;
  std::array<std::uint32_t, lanes> return_to{};
  std::array<std::uint32_t, lanes> call{};  // into Program::calls: how each lane came here

  [[nodiscard]] std::uint64_t* local_base() const { return reinterpret_cast<std::uint64_t*>(registers.get()); }
};

// A cp.async whose bytes have not arrived.
struct PendingCopy {
  std::uint32_t waiting = 0;  // lanes
  std::uint8_t bytes = 0;
  std::array<std::byte*, lanes> to{};
  std::array<const std::byte*, lanes> from{};
  std::array<std::uint8_t, lanes> source_bytes{};
  std::array<std::uint32_t, lanes> group{};
};

struct Warp {
  std::array<std::byte*, 3> areas{};  // by Slot::Area: frame, constants, special registers
  std::uint32_t exec = 0;             // lanes that the current op acts on
  std::uint32_t pc = 0;               // of the running group
  const Slot* lists = nullptr;        // Program::lists
  Cta* cta = nullptr;
  std::uint32_t index = 0;  // in the CTA

  std::uint32_t exists = 0;   // lanes that are threads
  std::uint32_t live = 0;     // of these, not exited
  std::uint32_t blocked = 0;  // of these, waiting
  std::array<std::uint32_t, lanes> lane_pc{};
  std::array<std::uint32_t, lanes> depth{};
  std::array<Wait, lanes> wait{};
  std::vector<Frame> frames;
  std::array<std::vector<std::byte>, lanes> local;
  std::array<std::uint32_t, lanes> local_top{};
  AlignedBytes special;
  std::uint64_t instructions = 0;
  std::uint64_t turn_end = 0;  // when the running group yields

  std::vector<PendingCopy> copies;
  std::array<std::uint32_t, lanes> copy_group{};  // the open group

  template <class T>
  [[nodiscard]] T* reg(Slot slot) const {
    return reinterpret_cast<T*>(areas[static_cast<std::size_t>(slot.area())] + slot.value());
  }
  [[nodiscard]] std::uint32_t predicate(Slot slot) const { return *reg<std::uint32_t>(slot); }
  [[nodiscard]] const Slot* list(const Op& op) const { return lists + op.list; }
  [[nodiscard]] std::uint64_t clock() const { return instructions; }

  // Throws Error(check_failed, "WHAT: OPCODE at PLACE DETAIL; thread (..), CTA (..)").
  [[noreturn]] void fail(const std::string& what, const std::string& detail, unsigned lane) const;
  [[nodiscard]] std::string thread_name(unsigned lane) const;
};

template <class F>
inline void for_lanes(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(__builtin_ctz(mask)));
}

}  // namespace tileloom::emu
