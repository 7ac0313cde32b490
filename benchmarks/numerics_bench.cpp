// SPDX-License-Identifier: Apache-2.0
// Time of the emulated tensor-core instruction; `tiles` counts 16 x 8 x 16 products a second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "tileloom/emu/float16.hpp"
#include "tileloom/emu/tensor_core.hpp"

namespace tileloom::emu {
namespace {

void mma(benchmark::State& state, MmaInput input, MmaAccumulator accumulator, hw::Arch arch, int m, int n) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto element = [&] {
    const double x = normal(random);
    return input == MmaInput::f16 ? from_f64<f16_format>(x) : from_f64<bf16_format>(x);
  };
  const auto sum = [&] {
    const double x = normal(random);
    return accumulator == MmaAccumulator::f16 ? std::uint32_t{from_f64<f16_format>(x)}
                                              : std::bit_cast<std::uint32_t>(static_cast<float>(x));
  };
  std::vector<std::uint16_t> a(m * 16), b(n * 16);
  std::vector<std::uint32_t> c(m * n), d(m * n);
  std::ranges::generate(a, element);
  std::ranges::generate(b, element);
  std::ranges::generate(c, sum);
  const hw::MmaNumerics numerics = hw::mma_numerics_k16(arch);
  for ([[maybe_unused]] auto iteration : state) {
    mma_k16(numerics, input, accumulator, m, n, a.data(), b.data(), c.data(), d.data());
    benchmark::DoNotOptimize(d.data());
    benchmark::ClobberMemory();
  }
  const double tiles = static_cast<double>(m * n) / (16 * 8);
  state.counters["tiles"] = benchmark::Counter(tiles, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(mma, f16_f32acc_sm90_16x8, MmaInput::f16, MmaAccumulator::f32, hw::sm_90, 16, 8);
BENCHMARK_CAPTURE(mma, f16_f16acc_sm90_16x8, MmaInput::f16, MmaAccumulator::f16, hw::sm_90, 16, 8);
BENCHMARK_CAPTURE(mma, bf16_f32acc_sm90_16x8, MmaInput::bf16, MmaAccumulator::f32, hw::sm_90, 16, 8);
BENCHMARK_CAPTURE(mma, f16_f32acc_sm80_16x8, MmaInput::f16, MmaAccumulator::f32, hw::sm_80, 16, 8);
BENCHMARK_CAPTURE(mma, f16_f16acc_sm80_16x8, MmaInput::f16, MmaAccumulator::f16, hw::sm_80, 16, 8);
BENCHMARK_CAPTURE(mma, bf16_f32acc_sm80_16x8, MmaInput::bf16, MmaAccumulator::f32, hw::sm_80, 16, 8);
BENCHMARK_CAPTURE(mma, f16_f32acc_sm90_64x256, MmaInput::f16, MmaAccumulator::f32, hw::sm_90, 64, 256);

}  // namespace
}  // namespace tileloom::emu
