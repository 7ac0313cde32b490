// SPDX-License-Identifier: Apache-2.0
// The emulator's output equals the GPU's, bit for bit. Writes what it compared to $TILELOOM_RESULTS, if that is set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/instances.hpp"
#include "support/run_on.hpp"
#include "tileloom/version.hpp"

namespace tileloom::test {
namespace {

struct Shape {
  std::int64_t m, n, k, gap_a, gap_b, gap_d;
  Distribution distribution;
};

constexpr auto normal = Distribution::normal;
constexpr auto uniform = Distribution::uniform;

// Tile multiples, tails in each direction, primes, padded and odd leading dimensions, long K.
constexpr Shape shapes[] = {
    {128, 128, 16, 0, 0, 0, normal},   {256, 256, 64, 0, 0, 0, normal},   {1, 1, 1, 0, 0, 0, normal},
    {127, 127, 15, 0, 0, 0, normal},   {129, 129, 17, 0, 0, 0, normal},   {1000, 1000, 333, 0, 0, 0, normal},
    {31, 1024, 257, 0, 0, 0, normal},  {1024, 31, 257, 0, 0, 0, normal},  {263, 131, 97, 1, 3, 5, normal},
    {64, 64, 4096, 0, 0, 0, normal},   {17, 19, 8191, 0, 0, 0, normal},   {512, 384, 512, 8, 8, 8, normal},
    {200, 300, 100, 4, 4, 4, uniform}, {333, 222, 111, 2, 6, 10, normal}, {1, 4096, 512, 0, 0, 0, normal},
    {4096, 1, 512, 0, 0, 0, uniform},  {48, 80, 2048, 7, 7, 7, normal},   {640, 640, 640, 0, 0, 0, normal},
    {385, 769, 65, 0, 0, 0, uniform},  {2, 3, 1009, 0, 0, 0, normal},
};

nlohmann::json describe(const Shape& s, const GemmConfiguration& ran, std::int64_t different) {
  return {{"kernel", ran.kernel},
          {"m", s.m},
          {"n", s.n},
          {"k", s.k},
          {"lda", s.k + s.gap_a},
          {"ldb", s.k + s.gap_b},
          {"ldd", s.n + s.gap_d},
          {"distribution", to_string(s.distribution)},
          {"image", ran.image},
          {"elements", s.m * s.n},
          {"different_elements", different}};
}

std::int64_t count_different(const GemmCase& x, const GemmCase& y) {
  std::int64_t different = 0;
  for (std::size_t i = 0; i < x.d.size(); ++i) {
    different += x.d[i] == y.d[i] ? 0 : 1;
  }
  return different;
}

void write_results(const nlohmann::json& comparisons) {
  const char* path = std::getenv("TILELOOM_RESULTS");
  if (path == nullptr) {
    return;
  }
  const GpuInfo gpu = gpu_info();
  const char* revision = std::getenv("TILELOOM_REVISION");
  std::array<char, 32> date{};
  const std::time_t now = std::time(nullptr);
  std::strftime(date.data(), date.size(), "%Y-%m-%d", std::gmtime(&now));
  const nlohmann::json report = {{"schema", "tileloom.bit_equality/1"},
                                 {"tileloom", TILELOOM_VERSION},
                                 {"git_revision", revision == nullptr ? "" : revision},
                                 {"date", date.data()},
                                 {"device", gpu.name},
                                 {"arch", to_string(gpu.arch)},
                                 {"driver_cuda", gpu.driver},
                                 {"kernels_compiled_by", kernels::ptx_compiler()},
                                 {"method",
                                  "outputs of GPU and emulator compared as bit patterns, D and its guards "
                                  "poisoned before each run"},
                                 {"comparisons", comparisons}};
  std::ofstream(path) << report.dump(1) << "\n";
}

TEST(BitEquality, EmulatorEqualsGpu) {
  if (const std::string obstacle = gpu_obstacle(); !obstacle.empty()) {
    GTEST_SKIP() << "no GPU: " << obstacle;
  }
  nlohmann::json comparisons = nlohmann::json::array();
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    std::uint64_t seed = 1;
    for (const Shape& s : shapes) {
      const GemmProblem problem = padded_problem(s.m, s.n, s.k, s.gap_a, s.gap_b, s.gap_d, instance.accumulate);
      GemmCase on_gpu = make_case(problem, s.distribution, seed++);
      GemmCase emulated = on_gpu;
      const GemmConfiguration ran = run_on_gpu(on_gpu, {std::string(instance.name)});
      run_in_emulator(emulated, {std::string(instance.name)}, ran.arch);
      const std::int64_t different = count_different(on_gpu, emulated);
      EXPECT_EQ(different, 0) << instance.name << " " << to_string(problem);
      EXPECT_EQ(broken_guard(on_gpu), "") << instance.name << " " << to_string(problem);
      comparisons.push_back(describe(s, ran, different));
    }
  }
  write_results(comparisons);
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
