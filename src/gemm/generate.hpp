// SPDX-License-Identifier: Apache-2.0
// Seeded test data in f16, the same bits on every machine: integer arithmetic up to one rounding, no library
// distribution and no transcendental function.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tileloom {

enum class Distribution {
  normal,    // mean 0, variance 1, |x| < 6: the sum of twelve uniform numbers
  uniform,   // [-1, 1]
  integers,  // -2, -1, 0, 1, 2: sums are exact in f32, and in f16 up to about k = 20000
};

// `normal`, `uniform`, `integers`.
[[nodiscard]] std::string_view to_string(Distribution distribution);

// `count` f16 patterns. Element i depends on (distribution, seed, stream, i) only; streams tell apart the operands of
// one problem. count >= 0.
[[nodiscard]] std::vector<std::uint16_t> generate(Distribution distribution, std::uint64_t seed, std::uint64_t stream,
                                                  std::int64_t count);

}  // namespace tileloom
