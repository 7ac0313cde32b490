// SPDX-License-Identifier: Apache-2.0
#include "gemm/generate.hpp"

#include <algorithm>
#include <array>

#include "gemm/half.hpp"
#include "gemm/parallel.hpp"

namespace tileloom {
namespace {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64-bit words that mixes every bit.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}
constexpr std::uint64_t golden_gamma = 0x9E3779B97F4A7C15U;

// Word w of SplitMix64's sequence from `key`, by index.
constexpr std::uint64_t word(std::uint64_t key, std::uint64_t w) {
  return mix(key + (w + 1) * golden_gamma);
}

// Twelve 16-bit uniforms, each at the middle of its cell: variance 12 / 12 = 1, symmetric around 0.
double normal(std::uint64_t key, std::uint64_t i) {
  std::int64_t sum = 0;
  for (std::uint64_t w = 0; w < 3; ++w) {
    const std::uint64_t bits = word(key, 3 * i + w);
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int64_t>((bits >> shift) & 0xFFFFU);
    }
  }
  return (static_cast<double>(sum) + 6.0) / 65536.0 - 6.0;
}

double uniform(std::uint64_t key, std::uint64_t i) {
  return static_cast<double>(word(key, i) >> 11) * 0x1p-52 - 1.0;
}

double integer(std::uint64_t key, std::uint64_t i) {
  return static_cast<double>(word(key, i) % 5) - 2.0;
}

}  // namespace

std::string_view to_string(Distribution distribution) {
  constexpr std::array<std::string_view, 3> names{"normal", "uniform", "integers"};
  return names[static_cast<std::size_t>(distribution)];
}

std::vector<std::uint16_t> generate(Distribution distribution, std::uint64_t seed, std::uint64_t stream,
                                    std::int64_t count) {
  constexpr std::array<double (*)(std::uint64_t, std::uint64_t), 3> functions{normal, uniform, integer};
  const auto function = functions[static_cast<std::size_t>(distribution)];
  const std::uint64_t key = mix(mix(seed) + stream);
  std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
  constexpr std::int64_t block = 1 << 20;
  gemm::parallel_for((count + block - 1) / block, 0, [&](std::int64_t b) {
    for (std::int64_t i = b * block; i < std::min(count, (b + 1) * block); ++i) {
      values[static_cast<std::size_t>(i)] = half_from(function(key, static_cast<std::uint64_t>(i)));
    }
  });
  return values;
}

}  // namespace tileloom
