// SPDX-License-Identifier: Apache-2.0
// The asynchronous copies whose counts and times are measured, and the patterns of addresses that they are given.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

// One warp's copy, as copy_patterns.py writes it: by lane, the offsets in shared and global memory, and the source
// size.
struct Pattern {
  int to[32], from[32], size[32];
};

// kSized false: the size is a constant, and lanes of size 0 are switched off by a predicate. True: a run-time operand.
template <int kBytes, bool kCg, bool kSized>
__device__ void copy(std::uint32_t to, const char* from, int size) {
  if constexpr (kSized && kCg) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(kBytes), "r"(size)
                 : "memory");
  } else if constexpr (kSized) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(kBytes), "r"(size)
                 : "memory");
  } else if constexpr (kCg) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p cp.async.cg.shared.global [%0], [%1], %2; }" ::"r"(to),
                 "l"(from), "n"(kBytes), "r"(size)
                 : "memory");
  } else {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p cp.async.ca.shared.global [%0], [%1], %2; }" ::"r"(to),
                 "l"(from), "n"(kBytes), "r"(size)
                 : "memory");
  }
}

// Calls f.template operator()<kBytes, kCg, kSized>() for the form's name: cg16, ca16, ca8, ca4, each also `_sized`.
template <class F>
void with_form(const char* name, const F& f) {
  const bool sized = std::strstr(name, "_sized") != nullptr;
  const auto is = [&](const char* stem) { return std::strncmp(name, stem, std::strlen(stem)) == 0; };
  if (is("cg16")) return sized ? f.template operator()<16, true, true>() : f.template operator()<16, true, false>();
  if (is("ca16")) return sized ? f.template operator()<16, false, true>() : f.template operator()<16, false, false>();
  if (is("ca8")) return sized ? f.template operator()<8, false, true>() : f.template operator()<8, false, false>();
  if (is("ca4")) return sized ? f.template operator()<4, false, true>() : f.template operator()<4, false, false>();
  std::fprintf(stderr, "form %s: expected cg16, ca16, ca8 or ca4, with or without _sized\n", name);
  std::exit(2);
}

inline void require(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* at = nullptr;
  require(cudaMalloc(&at, values.size() * sizeof(T)), "allocate");
  require(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy to the GPU");
  return at;
}

inline std::vector<Pattern> read_patterns(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
  std::vector<Pattern> patterns(bytes.size() / sizeof(Pattern));
  std::memcpy(patterns.data(), bytes.data(), patterns.size() * sizeof(Pattern));
  return patterns;
}
