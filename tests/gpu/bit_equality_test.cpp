// SPDX-License-Identifier: Apache-2.0
// The emulator's output equals the GPU's, bit for bit. Writes what it compared to the folder $TILELOOM_RESULTS, if set.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "gpu/results.hpp"
#include "kernels/instances.hpp"
#include "support/run_on.hpp"

namespace tileloom::test {
namespace {

struct Shape {
  std::int64_t m, n, k, gap_a, gap_b, gap_d;
  Distribution distribution;
};

constexpr auto normal = Distribution::normal;
constexpr auto uniform = Distribution::uniform;

// Tile multiples, tails in each direction, primes, padded and odd leading dimensions, long K.
constexpr Shape chosen_shapes[] = {
    {128, 128, 16, 0, 0, 0, normal},   {256, 256, 64, 0, 0, 0, normal},   {1, 1, 1, 0, 0, 0, normal},
    {127, 127, 15, 0, 0, 0, normal},   {129, 129, 17, 0, 0, 0, normal},   {1000, 1000, 333, 0, 0, 0, normal},
    {31, 1024, 257, 0, 0, 0, normal},  {1024, 31, 257, 0, 0, 0, normal},  {263, 131, 97, 1, 3, 5, normal},
    {64, 64, 4096, 0, 0, 0, normal},   {17, 19, 8191, 0, 0, 0, normal},   {512, 384, 512, 8, 8, 8, normal},
    {200, 300, 100, 4, 4, 4, uniform}, {333, 222, 111, 2, 6, 10, normal}, {1, 4096, 512, 0, 0, 0, normal},
    {4096, 1, 512, 0, 0, 0, uniform},  {48, 80, 2048, 7, 7, 7, normal},   {640, 640, 640, 0, 0, 0, normal},
    {385, 769, 65, 0, 0, 0, uniform},  {2, 3, 1009, 0, 0, 0, normal},
};

// The chosen shapes and random ones, 60 in all.
std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes(std::begin(chosen_shapes), std::end(chosen_shapes));
  std::uint64_t state = 1;
  const auto up_to = [&](std::int64_t most) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 33U) % static_cast<std::uint64_t>(most + 1));
  };
  while (shapes.size() < 60) {
    shapes.push_back({1 + up_to(500), 1 + up_to(500), up_to(700), up_to(1) * 8, up_to(1) * 4, up_to(9), normal});
  }
  return shapes;
}

nlohmann::json describe(const Shape& s, const GemmConfiguration& ran, std::int64_t different) {
  return {{"kernel", ran.kernel},
          {"m", s.m},
          {"n", s.n},
          {"k", s.k},
          {"lda", s.k + s.gap_a},
          {"ldb", s.k + s.gap_b},
          {"ldd", s.n + s.gap_d},
          {"distribution", to_string(s.distribution)},
          {"stages", ran.stages},
          {"raster_width_tiles", ran.raster_width},
          {"image", ran.image},
          {"elements", s.m * s.n},
          {"different_elements", different}};
}

// Stages and raster width change from shape to shape.
KernelChoice choose(const kernels::KernelInstance& instance, std::uint64_t turn) {
  KernelChoice choice{std::string(instance.name)};
  if (instance.pipelined()) {
    const auto range = static_cast<std::uint64_t>(instance.max_stages - instance.min_stages + 1);
    choice.stages = instance.min_stages + static_cast<int>(turn % range);
  }
  choice.raster_width = static_cast<std::uint32_t>(turn % 5);
  return choice;
}

std::int64_t count_different(const GemmCase& x, const GemmCase& y) {
  std::int64_t different = 0;
  for (std::size_t i = 0; i < x.d.size(); ++i) {
    different += x.d[i] == y.d[i] ? 0 : 1;
  }
  return different;
}

TEST(BitEquality, EmulatorEqualsGpu) {
  if (const std::string obstacle = gpu_obstacle(); !obstacle.empty()) {
    GTEST_SKIP() << "no GPU: " << obstacle;
  }
  nlohmann::json comparisons = nlohmann::json::array();
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    std::uint64_t seed = 1;
    for (const Shape& s : all_shapes()) {
      const GemmProblem problem = padded_problem(s.m, s.n, s.k, s.gap_a, s.gap_b, s.gap_d, instance.accumulate);
      GemmCase on_gpu = make_case(problem, s.distribution, seed++);
      GemmCase emulated = on_gpu;
      const KernelChoice choice = choose(instance, seed);
      const GemmConfiguration ran = run_on_gpu(on_gpu, choice);
      run_in_emulator(emulated, choice, ran.arch);
      const std::int64_t different = count_different(on_gpu, emulated);
      EXPECT_EQ(different, 0) << instance.name << " " << to_string(problem);
      EXPECT_EQ(broken_guard(on_gpu), "") << instance.name << " " << to_string(problem);
      comparisons.push_back(describe(s, ran, different));
    }
  }
  write_results(
      "bit_equality",
      {{"method", "outputs of GPU and emulator compared as bit patterns, D and its guards poisoned before each run"},
       {"comparisons", comparisons}});
}

// The comparison must be able to fail: one operand bit flipped on one side only.
TEST(BitEquality, OneFlippedOperandBitIsSeen) {
  if (const std::string obstacle = gpu_obstacle(); !obstacle.empty()) {
    GTEST_SKIP() << "no GPU: " << obstacle;
  }
  const kernels::KernelInstance& instance = kernels::instances().front();
  GemmCase on_gpu = make_case(dense_problem(100, 100, 100, instance.accumulate), normal, 1);
  GemmCase emulated = on_gpu;
  emulated.a[50 * 100 + 50] ^= 0x0100;
  const GemmConfiguration ran = run_on_gpu(on_gpu, {std::string(instance.name)});
  run_in_emulator(emulated, {std::string(instance.name)}, ran.arch);
  EXPECT_GT(count_different(on_gpu, emulated), 0);
}

}  // namespace
}  // namespace tileloom::test
