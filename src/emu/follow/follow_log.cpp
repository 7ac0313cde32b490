// SPDX-License-Identifier: Apache-2.0
#include "emu/follow/follow_log.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

namespace tileloom::emu {
namespace {

auto key_of(const Move& m) {
  return std::tuple(m.kind, m.name, m.op, m.cta, m.warp, m.lane, m.source_lane, m.half, m.has_from, m.has_to,
                    m.from.region, m.from.byte, m.to.region, m.to.byte);
}

std::uint64_t hash_of(const Move& m) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t x) { hash = (hash ^ x) * 0x9E37'79B9'7F4A'7C15 ^ hash >> 29; };
  mix(m.name);
  mix(m.op);
  mix(m.cta);
  mix(m.warp | m.lane << 8 | m.source_lane << 16 | std::uint64_t{m.half.index} << 24 | std::uint64_t{m.half.low} << 32);
  mix(m.from.byte);
  mix(m.to.byte);
  return hash;
}

std::string text_of(const HalfName& half) {
  switch (half.of) {
    case HalfName::Of::scalar:
      return "d";
    case HalfName::Of::vector:
      return fmt::format("{{{}}}", half.index);
    case HalfName::Of::a:
      return fmt::format("a{}", half.index);
    case HalfName::Of::b:
      return fmt::format("b{}", half.index);
    default:
      return "";
  }
}

MemoryPlace place_of(const Spot& spot) {
  return {spot.region == nullptr ? "" : spot.region->label, spot.byte};
}

}  // namespace

std::string_view to_string(MoveKind kind) {
  constexpr std::array<std::string_view, 8> names{"load",     "store", "copy",    "ldmatrix",
                                                  "stmatrix", "move",  "convert", "operand"};
  return names[static_cast<std::size_t>(kind)];
}

void FollowLog::add(const Move& move) {
  const std::uint64_t hash = hash_of(move);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    Counted& known = moves_[at->second];
    if (key_of(known.move) == key_of(move)) {
      ++known.times;
      return;
    }
  }
  known_.emplace(hash, moves_.size());
  moves_.push_back({move});
}

void FollowLog::add_sums(std::uint32_t op, std::uint64_t cta, std::uint32_t warp, std::uint32_t lane_mask,
                         std::uint32_t value_mask) {
  auto found = std::ranges::find_if(
      sums_, [&](const Sums& s) { return s.op == op && s.cta == cta && s.warp == warp && s.lanes == lane_mask; });
  if (found == sums_.end()) found = sums_.insert(sums_.end(), Sums{op, warp, cta, lane_mask});
  found->values |= value_mask;
  ++found->times;
}

void FollowLog::add_result(const Spot& at, Name name, std::uint64_t cta, std::uint32_t warp, std::uint32_t lane) {
  results_[{at.region, at.byte}] = {name, cta, warp, lane};
}

void FollowLog::finish(const Program& program, Provenance& made) const {
  for (const auto& [move, times] : moves_) {
    FollowedMove& m = made.moves.emplace_back();
    m.kind = move.kind;
    m.name = move.name;
    m.at = program.instruction_place(move.op);
    m.cta = move.cta;
    m.warp = move.warp;
    m.lane = move.lane;
    m.source_lane = move.source_lane;
    if (move.has_from) m.from = place_of(move.from);
    if (move.has_to) m.to = place_of(move.to);
    m.reg = text_of(move.half);
    m.low = move.half.low;
    m.high = move.half.high;
    m.times = times;
  }
  for (const Sums& s : sums_) {
    FollowedSums& f =
        made.sums.emplace_back(FollowedSums{program.instruction_place(s.op), s.cta, s.warp, s.lanes, {}, s.times});
    for (int value = 0; value < 4; ++value) {
      if ((s.values >> value & 1) != 0) f.values.push_back(value);
    }
  }
  for (const auto& [at, r] : results_) {
    made.results.push_back({place_of({at.first, at.second}), r.name, r.cta, r.warp, r.lane});
  }
  std::ranges::sort(made.results, {}, &FollowedResult::at);
}

}  // namespace tileloom::emu
