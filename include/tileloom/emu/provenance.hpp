// SPDX-License-Identifier: Apache-2.0
// Where an element of a buffer goes in a run of a kernel: every instruction that moves it, address by address and
// register by register, up to the MMA operands and the results that it is a factor of.
//
//   LaunchOptions options;
//   options.follow = {.buffers = {"A"}, .element = BufferElement{"A", 18}};
//   const Provenance& seen = *launch(module, "k", options, ...).provenance;
//
// An element has 16 bits. It keeps its name through loads, stores, asynchronous copies, ldmatrix and stmatrix, mov with
// packing and unpacking, selp, shfl, prmt of whole halves, shifts by 16, and conversions between f16, bf16 and f32.
// Arithmetic makes something derived from it. Anything else ends it: bytes, local memory, atomics. An asynchronous copy
// counts as done when it is issued, so the kernel must be free of races. The launch runs on one host thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/emu/finding.hpp"

namespace tileloom::emu {

// A place in memory: a buffer by its label (or a variable by its name); empty is the CTA's shared memory.
struct MemoryPlace {
  std::string buffer;
  std::uint64_t byte = 0;

  auto operator<=>(const MemoryPlace&) const = default;
};
using BufferElement = MemoryPlace;

// A sum that mma.sync makes: one value of its result.
struct SumPlace {
  std::uint64_t cta = 0;  // number: x fastest
  std::uint32_t warp = 0, lane = 0;
  std::uint32_t mma = 0;  // which mma.sync of the module, in its order
  int value = 0;          // of the lane: PTX's c0 ... c3

  auto operator<=>(const SumPlace&) const = default;
};

struct FollowOptions {
  std::vector<std::string> buffers = {};  // labels of the buffers whose elements have names
  // Only this one of them, and what is derived from it. With `sums`: no move is noted, only the sum that is stored
  // here.
  std::optional<BufferElement> element = {};
  bool sums = false;                 // the results of mma.sync have names, those of the last one in a register
  std::optional<SumPlace> sum = {};  // with `sums`: only this one
};

enum class MoveKind : std::uint8_t {
  load,          // memory -> register
  store,         // register -> memory
  copy,          // cp.async: global -> shared
  load_matrix,   // shared -> register
  store_matrix,  // register -> shared
  move,          // register -> register: mov, selp, shfl, prmt, a shift
  convert,       // register -> register, another type
  operand,       // read by mma.sync as its operand
};

// `load`, `store`, `copy`, `ldmatrix`, `stmatrix`, `move`, `convert`, `operand`.
[[nodiscard]] std::string_view to_string(MoveKind kind);

// What moved: an element, or with `sums` a sum.
using Name = std::uint32_t;

struct FollowedMove {
  MoveKind kind = MoveKind::load;
  Name name = 0;
  InstructionPlace at;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;
  std::uint32_t lane = 0;         // that holds it afterwards; of stores and operands: before
  std::uint32_t source_lane = 0;  // ldmatrix, stmatrix: whose address gives the row; shfl: that is read
  std::optional<MemoryPlace> from, to;
  std::string reg;  // as an operand: `d`, `{2}` of a vector; of mma.sync PTX's name, `a2`; empty: none
  int low = 0;      // bits of that register, lowest and highest
  int high = 0;
  std::uint64_t times = 0;
};

// Results of one mma.sync that the followed element is a factor of.
struct FollowedSums {
  InstructionPlace at;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;
  std::uint32_t lanes = 0;  // mask
  std::vector<int> values;  // c0 ...: which of the lanes' results, ascending
  std::uint64_t times = 0;
};

// An element of a buffer that the kernel wrote with a name's value, or one derived from it.
struct FollowedResult {
  MemoryPlace at;
  Name name = 0;  // 0: derived
  std::uint64_t cta = 0;
  std::uint32_t warp = 0, lane = 0;  // that stored it
};

struct Provenance {
  struct Named {
    std::string buffer;
    Name first = 0;  // of its first element
  };
  std::vector<Named> buffers;           // ascending by first
  std::vector<FollowedMove> moves;      // in the order in which they first happened
  std::vector<FollowedSums> sums;       // likewise
  std::vector<FollowedResult> results;  // by place

  [[nodiscard]] BufferElement element(Name name) const;
  // Precondition: sums were followed.
  [[nodiscard]] static SumPlace sum(Name name, std::uint64_t cta);
};

}  // namespace tileloom::emu
