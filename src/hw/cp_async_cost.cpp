// SPDX-License-Identifier: Apache-2.0
#include "hw/cp_async_cost.hpp"

#include <algorithm>
#include <array>

#include "hw/lane_group.hpp"

namespace tileloom::hw {
namespace {

// The most lanes that share a bank with one lane, itself included. Addresses are multiples of `size`, so two lanes
// share either all of their banks or none.
int group_cost(const SharedAccess& a, std::uint32_t lanes) {
  const auto size = static_cast<std::uint64_t>(a.size);
  std::array<std::size_t, 32> place_to;    // NOLINT: set for the group's lanes
  std::array<std::size_t, 32> place_from;  // NOLINT
  std::array<std::uint32_t, 32> to{};      // by place: the lanes that use it
  std::array<std::uint32_t, 32> from{};
  for_each_lane(lanes, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    place_to[i] = a.shared[i] % 128 / size;
    place_from[i] = a.global[i] % 128 / size;
    to[place_to[i]] |= 1U << lane;
    from[place_from[i]] |= a.readers & 1U << lane;
  });
  int cost = 0;
  for_each_lane(lanes, [&](int lane) {
    const bool reads = (a.readers >> lane & 1U) != 0;
    const std::uint32_t at_destination = to[place_to[static_cast<std::size_t>(lane)]];
    const std::uint32_t at_source = reads ? from[place_from[static_cast<std::size_t>(lane)]] : 0;
    cost = std::max(cost, std::popcount(at_destination | at_source));
  });
  return cost;
}

int conflicting_lanes(const SharedAccess& a) {
  int cost = 0;
  for (const std::uint32_t group : lane_groups(a.size, a.active)) {
    cost += group_cost(a, group);
  }
  return cost;
}

Wavefronts settled(const SharedAccess& a, int cost, std::string_view rule) {
  return {cost, cost, true, active_groups(a.size, a.active), rule};
}

// --- cp.async.cg ---------------------------------------------------------------------------------------------------

// One move of the rule `sector moves`.
struct Move {
  std::uint64_t source_line;
  std::uint64_t source_sector;
  std::uint32_t destination_line;
  int kind;
  [[nodiscard]] bool same_lines(const Move& o) const {
    return source_line == o.source_line && destination_line == o.destination_line;
  }
};

class Moves {
 public:
  explicit Moves(const SharedAccess& a) : a_(a) {
    std::uint64_t seen = 0;  // bit i: a destination whose number is i modulo 64
    for_each_lane(a.active & a.readers, [&](int lane) {
      const std::uint64_t bit = std::uint64_t{1} << to(lane) % 64;
      counted_ |= (seen & bit) != 0 && is_repeated(lane) ? 0 : 1U << lane;
      seen |= bit;
    });
    for_each_lane(counted_, [&](int lane) { add(lane); });
  }

  [[nodiscard]] int cost() const {
    std::array<int, 32> cost_of_kind;  // NOLINT: at the first move of each kind between two lines
    int cost = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Move& move = moves_[i];
      std::size_t first = i;
      int from_sector = 1;
      for (std::size_t j = i; j-- > 0;) {
        if (moves_[j].kind == move.kind && moves_[j].same_lines(move)) {
          first = j;
          from_sector += moves_[j].source_sector == move.source_sector ? 1 : 0;
        }
      }
      const int before = first == i ? 0 : cost_of_kind[first];
      cost_of_kind[first] = std::max(before, from_sector);
      cost += cost_of_kind[first] - before;
    }
    return cost;
  }

 private:
  [[nodiscard]] std::uint64_t from(int lane) const { return a_.global[static_cast<std::size_t>(lane)] / 16; }
  [[nodiscard]] std::uint32_t to(int lane) const { return a_.shared[static_cast<std::size_t>(lane)] / 16; }

  template <class F>
  [[nodiscard]] static bool any_of(std::uint32_t lanes, const F& f) {
    for (; lanes != 0; lanes &= lanes - 1) {
      if (f(std::countr_zero(lanes))) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool is_repeated(int lane) const {
    return any_of(counted_, [&](int other) { return to(other) == to(lane); });
  }

  // Does another lane move the other half of the same sector into the other half of the same destination?
  [[nodiscard]] bool is_whole(int lane) const {
    const auto completes = [&](int other) { return from(other) == (from(lane) ^ 1U) && to(other) == (to(lane) ^ 1U); };
    const std::uint32_t neighbour = counted_ & 1U << (lane ^ 1);
    return any_of(neighbour, completes) || any_of(counted_, completes);
  }

  void add(int lane) {
    const auto source_half = static_cast<int>(from(lane) % 2);
    const auto destination_half = static_cast<int>(to(lane) % 2);
    const bool whole = is_whole(lane);
    if (whole && source_half == 1) {
      return;  // the other half's lane stands for both
    }
    const auto changes_place = static_cast<int>((from(lane) / 2 ^ to(lane) / 2) % 2);
    const int kind = whole ? destination_half : 2 + 2 * source_half + destination_half;
    moves_[count_++] = {from(lane) / 8, from(lane) / 2, to(lane) / 8, 2 * kind + changes_place};
  }

  const SharedAccess& a_;
  std::uint32_t counted_ = 0;
  std::array<Move, 32> moves_;  // NOLINT: the first count_ are set
  std::size_t count_ = 0;
};

Wavefronts cp_async_ca_cost(const SharedAccess& a) {
  return settled(a, conflicting_lanes(a), "conflicting lanes");
}

Wavefronts cp_async_cg_cost(const SharedAccess& a) {
  SharedAccess fill = a;
  fill.active &= ~a.readers;
  fill.readers = 0;
  return settled(a, Moves(a).cost() + conflicting_lanes(fill), "sector moves");
}

}  // namespace

Wavefronts cp_async_cost(const SharedAccess& a) {
  return a.op == SharedOp::cp_async_ca ? cp_async_ca_cost(a) : cp_async_cg_cost(a);
}

int profiled_sized_copy(const SharedAccess& a) {
  return (a.op == SharedOp::cp_async_cg ? Moves(a).cost() : 0) + conflicting_lanes(a);
}

int bypass_sectors(const SharedAccess& a) {
  std::array<std::array<std::uint64_t, 3>, 32> fetched;  // NOLINT: the first `count` are set
  std::size_t count = 0;
  for_each_lane(a.active & a.readers, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    fetched[count++] = {a.global[i] / 32, a.shared[i] / 32, (a.global[i] / 16 ^ a.shared[i] / 16) % 2};
  });
  std::sort(fetched.begin(), fetched.begin() + count);
  return static_cast<int>(std::unique(fetched.begin(), fetched.begin() + count) - fetched.begin());
}

}  // namespace tileloom::hw
