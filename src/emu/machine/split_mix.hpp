// SPDX-License-Identifier: Apache-2.0
// Seeded numbers, the same on every machine.
#pragma once

#include <cstdint>

namespace tileloom::emu {

// SplitMix64 (Steele, Lea, Flood 2014), by index.
class SplitMix {
 public:
  explicit constexpr SplitMix(std::uint64_t key) : key_(key) {}

  // Word w of the sequence from the key.
  [[nodiscard]] constexpr std::uint64_t word(std::uint64_t w) const { return mix(key_ + (w + 1) * golden_gamma); }

  // The output function: a bijection of 64-bit words that mixes every bit.
  [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }

 private:
  static constexpr std::uint64_t golden_gamma = 0x9E3779B97F4A7C15U;
  std::uint64_t key_;
};

}  // namespace tileloom::emu
