// SPDX-License-Identifier: Apache-2.0
// What a followed run has seen: the same move of the same instruction is one entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emu/follow/memory_shadow.hpp"
#include "emu/machine/program.hpp"
#include "tileloom/emu/provenance.hpp"

namespace tileloom::emu {

// A register's half, or both. `operand`: `d`, `{i}` by vector, `a0` ... by mma.
struct HalfName {
  enum class Of : std::uint8_t { none, scalar, vector, a, b } of = Of::none;
  std::uint8_t index = 0;
  std::uint8_t low = 0, high = 15;  // bits

  auto operator<=>(const HalfName&) const = default;
};

struct Move {
  MoveKind kind = MoveKind::load;
  Name name = 0;
  std::uint32_t op = 0;
  std::uint64_t cta = 0;
  std::uint8_t warp = 0, lane = 0, source_lane = 0;
  HalfName half;
  bool has_from = false, has_to = false;
  Spot from, to;
};

class FollowLog {
 public:
  void add(const Move& move);
  void add_sums(std::uint32_t op, std::uint64_t cta, std::uint32_t warp, std::uint32_t lane_mask,
                std::uint32_t value_mask);
  void add_result(const Spot& at, Name name, std::uint64_t cta, std::uint32_t warp, std::uint32_t lane);
  void finish(const Program& program, Provenance& made) const;

 private:
  struct Counted {
    Move move;
    std::uint64_t times = 1;
  };
  struct Sums {
    std::uint32_t op, warp;
    std::uint64_t cta;
    std::uint32_t lanes = 0, values = 0;
    std::uint64_t times = 0;
  };
  struct Result {
    Name name;
    std::uint64_t cta;
    std::uint32_t warp, lane;
  };
  std::vector<Counted> moves_;
  std::unordered_multimap<std::uint64_t, std::size_t> known_;  // by hash
  std::vector<Sums> sums_;
  std::map<std::pair<const Region*, std::uint64_t>, Result> results_;
};

}  // namespace tileloom::emu
