// SPDX-License-Identifier: Apache-2.0
#include "gemm/generate.hpp"

#include <algorithm>
#include <array>

#include "gemm/half.hpp"
#include "gemm/parallel.hpp"

namespace tileloom {

using emu::SplitMix;

namespace {

// Twelve 16-bit uniforms, each at the middle of its cell: variance 12 / 12 = 1, symmetric around 0.
double normal(const SplitMix& random, std::uint64_t i) {
  std::int64_t sum = 0;
  for (std::uint64_t w = 0; w < 3; ++w) {
    const std::uint64_t bits = random.word(3 * i + w);
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int64_t>((bits >> shift) & 0xFFFFU);
    }
  }
  return (static_cast<double>(sum) + 6.0) / 65536.0 - 6.0;
}

double uniform(const SplitMix& random, std::uint64_t i) {
  return static_cast<double>(random.word(i) >> 11) * 0x1p-52 - 1.0;
}

double integer(const SplitMix& random, std::uint64_t i) {
  return static_cast<double>(random.word(i) % 5) - 2.0;
}

}  // namespace

std::string_view to_string(Distribution distribution) {
  constexpr std::array<std::string_view, 3> names{"normal", "uniform", "integers"};
  return names[static_cast<std::size_t>(distribution)];
}

Generator::Generator(Distribution distribution, std::uint64_t seed, std::uint64_t stream)
    : distribution_(distribution), random_(SplitMix::mix(SplitMix::mix(seed) + stream)) {}

double Generator::value(std::int64_t i) const {
  constexpr std::array<double (*)(const SplitMix&, std::uint64_t), 3> functions{normal, uniform, integer};
  return functions[static_cast<std::size_t>(distribution_)](random_, static_cast<std::uint64_t>(i));
}

std::vector<std::uint16_t> generate(Distribution distribution, std::uint64_t seed, std::uint64_t stream,
                                    std::int64_t count) {
  const Generator generator(distribution, seed, stream);
  std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
  constexpr std::int64_t block = 1 << 20;
  gemm::parallel_for((count + block - 1) / block, 0, [&](std::int64_t b) {
    for (std::int64_t i = b * block; i < std::min(count, (b + 1) * block); ++i) {
      values[static_cast<std::size_t>(i)] = half_from(generator.value(i));
    }
  });
  return values;
}

}  // namespace tileloom
