// SPDX-License-Identifier: Apache-2.0
// Launches that a profiler counts: one warp, each pattern by an instruction of its own, in the order of the file.
//   copy_counts PATTERNS.bin FORM          every pattern once, 16 to a launch
//   copy_counts PATTERNS.bin FORM INDEX... only these, a launch each, 100 times
#include "copies.cuh"

constexpr int kInLaunch = 16;

template <int kBytes, bool kCg, bool kSized, int kPatterns>
__global__ void copies(const char* from, const Pattern* patterns, int rounds) {
  extern __shared__ __align__(1024) char shared[];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  int to[kPatterns], source[kPatterns], size[kPatterns];
#pragma unroll
  for (int i = 0; i < kPatterns; ++i) {
    to[i] = patterns[i].to[threadIdx.x];
    source[i] = patterns[i].from[threadIdx.x];
    size[i] = patterns[i].size[threadIdx.x];
  }
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kPatterns; ++i) copy<kBytes, kCg, kSized>(base + to[i], from + source[i], size[i]);
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
}

int main(int count, char** values) {
  if (count < 3) return 2;
  const std::vector<Pattern> patterns = read_patterns(values[1]);
  const Pattern* given = on_device(patterns);
  const char* from = on_device(std::vector<char>(1 << 20, 1));
  with_form(values[2], [&]<int kBytes, bool kCg, bool kSized>() {
    for (int i = 3; i < count; ++i) {
      copies<kBytes, kCg, kSized, 1><<<1, 32, 8192>>>(from, given + std::atoi(values[i]), 100);
    }
    for (std::size_t i = 0; count == 3 && i + kInLaunch <= patterns.size(); i += kInLaunch) {
      copies<kBytes, kCg, kSized, kInLaunch><<<1, 32, 8192>>>(from, given + i, 1);
    }
  });
  require(cudaDeviceSynchronize(), "copies");
}
