// SPDX-License-Identifier: Apache-2.0
// A decoded instruction: what the interpreter runs.
#pragma once

#include <array>
#include <cstdint>

#include "emu/ptx/types.hpp"

namespace tileloom::emu {

struct Warp;
struct Op;
using Handler = void (*)(Warp&, const Op&);

inline constexpr unsigned lanes = 32;
inline constexpr std::uint32_t all_lanes = 0xFFFF'FFFF;

// Where an operand's 32 lane values stand: a byte offset into one of the warp's areas. Before register allocation:
// the number of a virtual register.
class Slot {
 public:
  enum class Area : std::uint8_t { frame, constant, special, unplaced };

  constexpr Slot() = default;
  constexpr Slot(Area area, std::uint32_t value) : bits_(static_cast<std::uint32_t>(area) << 30 | value) {}
  [[nodiscard]] constexpr bool used() const { return bits_ != unused; }
  [[nodiscard]] constexpr Area area() const { return static_cast<Area>(bits_ >> 30); }
  [[nodiscard]] constexpr std::uint32_t value() const { return bits_ & 0x3FFF'FFFF; }
  constexpr bool operator==(const Slot&) const = default;

 private:
  static constexpr std::uint32_t unused = 0xFFFF'FFFF;
  std::uint32_t bits_ = unused;
};

// Bytes of a register's 32 values: 32-bit lanes for everything up to 32 bits, 64-bit lanes above, one mask for a
// predicate. Values narrower than their lane are zero-extended.
enum class RegisterClass : std::uint8_t { predicate, word, wide };
[[nodiscard]] constexpr std::uint32_t bytes_of(RegisterClass c) {
  return c == RegisterClass::predicate ? 4 : c == RegisterClass::word ? 4 * lanes : 8 * lanes;
}
[[nodiscard]] constexpr RegisterClass class_of(ptx::Type type) {
  return type == ptx::Type::pred   ? RegisterClass::predicate
         : ptx::bits_of(type) > 32 ? RegisterClass::wide
                                   : RegisterClass::word;
}

struct Op {
  enum class Kind : std::uint8_t {
    plain,         // the handler does all of it, for the lanes of Warp::exec
    collective,    // the same, once all lanes of the member mask (operand c) have come
    warp_barrier,  // bar.warp.sync
    cta_barrier,   // bar.sync, bar.arrive, bar.red
    branch,        // to `target`
    branch_table,  // to targets[a]
    call,
    indirect_call,  // of the function at address `a`, one of `imm` calls from `target` on
    ret,
    exit,
  };

  Handler run = nullptr;
  Slot d, d2;              // written
  Slot a, b, c;            // read
  Slot guard;              // predicate that the instruction is subject to
  std::uint32_t list = 0;  // first of list_writes + list_reads slots in Program::lists
  std::uint8_t list_writes = 0;
  std::uint8_t list_reads = 0;
  bool guard_negated = false;
  Kind kind = Kind::plain;
  bool whole_warp = false;                 // a collective of all 32 lanes
  bool narrow_address = false;             // a memory access whose address register has 32 bits
  ptx::Space space = ptx::Space::generic;  // of a memory access
  std::uint8_t bytes = 0;                  // a lane moves in a memory access
  std::uint8_t mode = 0;                   // the handler's own
  std::uint32_t target = 0;  // branch: an op; branch_table: first of `mode` targets; calls: into Program::calls
  std::int64_t imm = 0;      // address offset, or the handler's own
};

}  // namespace tileloom::emu
