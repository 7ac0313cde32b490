// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tileloom/gemm.hpp"

// 2 x 3 times (2 x 3)^T, in f16 bit patterns: rows (1, 1, 1) and (2, 2, 2).
int main() {
  constexpr std::uint16_t one = 0x3c00;
  constexpr std::uint16_t two = 0x4000;
  const std::vector<std::uint16_t> a = {one, one, one, two, two, two};
  std::vector<std::uint16_t> d(4);
  const tileloom::GemmProblem problem = tileloom::dense_problem(2, 2, 3);
  tileloom::GemmOptions options;
  options.backend = tileloom::Backend::emulator;
  tileloom::launch_host(problem, tileloom::configure(problem, options), {a.data(), a.data(), d.data()});
  const std::vector<std::uint16_t> expected = {0x4200, 0x4600, 0x4600, 0x4a00};  // 3 6 6 12
  std::puts(d == expected ? "consumer: right" : "consumer: wrong");
  return d == expected ? 0 : 1;
}
