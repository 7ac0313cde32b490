// SPDX-License-Identifier: Apache-2.0
// Seeded test data in f16, the same bits on every machine: integer arithmetic up to one rounding, no library
// distribution and no transcendental function.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emu/machine/split_mix.hpp"

namespace tileloom {

enum class Distribution {
  normal,    // mean 0, variance 1, |x| < 6: the sum of twelve uniform numbers
  uniform,   // [-1, 1]
  integers,  // -2, -1, 0, 1, 2: sums are exact in f32, and in f16 up to about k = 20000
};

// `normal`, `uniform`, `integers`.
[[nodiscard]] std::string_view to_string(Distribution distribution);

// Element i, before it is rounded to any type, depends on (distribution, seed, stream, i) only; streams tell apart the
// operands of one problem.
class Generator {
 public:
  Generator(Distribution distribution, std::uint64_t seed, std::uint64_t stream);
  [[nodiscard]] double value(std::int64_t i) const;

 private:
  Distribution distribution_;
  emu::SplitMix random_;
};

// `count` f16 patterns: a Generator's values, rounded to nearest. count >= 0.
[[nodiscard]] std::vector<std::uint16_t> generate(Distribution distribution, std::uint64_t seed, std::uint64_t stream,
                                                  std::int64_t count);

}  // namespace tileloom
