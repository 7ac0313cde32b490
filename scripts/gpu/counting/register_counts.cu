// SPDX-License-Identifier: Apache-2.0
// Copies in a loop that keeps many registers in use, for a profiler to count.
//   register_counts pressure         one launch for each number of live values
//   register_counts CUBIN ENTRY      a multistage 128 x 256 x 32 kernel on 256 x 512 x 256; prints a sum of D's bits
#include <algorithm>
#include <string>
#include <utility>

#include "copies.cuh"
#include "kernels/params.hpp"

constexpr int kRounds = 4;

// Two copies a round: one that every lane makes, one behind a predicate that is true in all rounds but the last.
template <int kLive>
__global__ void __launch_bounds__(128) pressure(const char* from, float* values, float factor, int rounds) {
  __shared__ __align__(1024) char shared[8192];
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)) + threadIdx.x * 16;
  const char* source = from + threadIdx.x * 16;
  float live[kLive];
#pragma unroll
  for (int i = 0; i < kLive; ++i) live[i] = values[i * 128 + threadIdx.x];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(source) : "memory");
    copy<16, true, false>(to + 4096, source + 4096, rounds - 1 - round);
#pragma unroll
    for (int i = 0; i < kLive; ++i) live[i] = live[i] * factor + live[(i + 1) % kLive];
    source += 64;
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
#pragma unroll
  for (int i = 0; i < kLive; ++i) values[i * 128 + threadIdx.x] = live[i];
}

template <int... kLive>
void run_pressure(std::integer_sequence<int, kLive...>) {
  const char* from = on_device(std::vector<char>(1 << 16, 1));
  float* values = on_device(std::vector<float>(256 * 128, 1));
  (pressure<kLive><<<1, 128>>>(from, values, 0.5F, kRounds), ...);
  require(cudaDeviceSynchronize(), "pressure");
}

std::uint16_t* halves(std::size_t elements, std::uint32_t seed) {
  std::vector<std::uint16_t> made(elements);
  for (std::uint16_t& h : made) {
    seed = seed * 1664525U + 1013904223U;
    h = static_cast<std::uint16_t>(0x2c00U + (seed >> 22U) + (seed & 0x8000U));  // about 0.06 to 0.12, both signs
  }
  return on_device(made);
}

void run_kernel(const char* cubin, const char* entry) {
  constexpr std::int64_t m = 256, n = 512, k = 256;
  constexpr int stages = 3, shared = stages * 2 * (128 + 256) * 32;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  require(cudaLibraryLoadFromFile(&library, cubin, nullptr, nullptr, 0, nullptr, nullptr, 0), "load");
  require(cudaLibraryGetKernel(&kernel, library, entry), "entry");
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
  std::vector<std::uint16_t> d(m * n);
  std::uint16_t* result = on_device(d);
  tileloom::kernels::GemmParams params{halves(m * k, 1), halves(n * k, 2), result, m, n, k, k, k, n, 8, stages, 16, 16};
  void* arguments[] = {&params};
  require(cudaLaunchKernel(kernel, dim3(4), dim3(128), arguments, shared, nullptr), "launch");
  require(cudaMemcpy(d.data(), result, d.size() * 2, cudaMemcpyDeviceToHost), "run");
  std::uint64_t sum = 0;
  for (const std::uint16_t h : d) sum = sum * 31 + h;
  std::printf("%s %016llx\n", cubin, static_cast<unsigned long long>(sum));
}

int main(int count, char** values) {
  if (count == 2 && std::string(values[1]) == "pressure") {
    run_pressure(std::integer_sequence<int, 64, 192, 216, 224, 228, 232, 234, 236, 238, 239, 240, 241, 242>());
  } else if (count == 3) {
    run_kernel(values[1], values[2]);
  } else {
    return 2;
  }
}
