// SPDX-License-Identifier: Apache-2.0
// Who runs when: the order of CTAs in a launch, and of warps in a CTA.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "emu/machine/split_mix.hpp"

namespace tileloom::emu {

// CTAs in ascending order, or each once in an order that the seed gives.
class CtaOrder {
 public:
  CtaOrder(std::optional<std::uint64_t> seed, std::uint64_t ctas) : ctas_(ctas) {
    if (!seed) return;
    const SplitMix random(*seed);
    first_ = random.word(0) % ctas;
    step_ = 1 + random.word(1) % ctas;
    while (std::gcd(step_, ctas) != 1) ++step_;
  }
  // The CTA that starts as the `ticket`th.
  [[nodiscard]] std::uint64_t operator[](std::uint64_t ticket) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(ticket) * step_ + first_) % ctas_);
  }

 private:
  std::uint64_t ctas_, first_ = 0, step_ = 1;
};

// Warps in ascending order and long turns, or shuffled in each round and a few instructions at a time.
class WarpOrder {
 public:
  WarpOrder(std::optional<std::uint64_t> seed, std::uint64_t cta, std::size_t warps)
      : seeded_(seed.has_value()), random_(SplitMix::mix(seed.value_or(0)) + cta), order_(warps) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  // The warps of the next round.
  [[nodiscard]] const std::vector<std::uint32_t>& round() {
    if (seeded_) {
      for (std::size_t left = order_.size(); left > 1; --left) {
        std::swap(order_[left - 1], order_[next() % left]);
      }
    }
    return order_;
  }
  // Instructions before another warp gets its turn: lanes may wait for each other in loops.
  [[nodiscard]] std::uint64_t turn() { return seeded_ ? 1 + next() % 200 : 100'000; }

 private:
  std::uint64_t next() { return random_.word(drawn_++); }

  bool seeded_;
  SplitMix random_;
  std::uint64_t drawn_ = 0;
  std::vector<std::uint32_t> order_;
};

}  // namespace tileloom::emu
