// SPDX-License-Identifier: Apache-2.0
// What a kernel is told at run time: one struct, passed by value as its only parameter.
// Shared by host and device code; no CUDA types.
#pragma once

#include <cstdint>

namespace tileloom::kernels {

// D = A * B^T over row-major matrices: A is m x k, B is n x k, D is m x n.
// Leading dimensions are in elements. Addresses belong to the memory that the kernel runs on; they are pointers, not
// integers, so that the compiler sees global memory behind them.
struct GemmParams {
  const void* a;
  const void* b;
  void* d;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t lda;
  std::int64_t ldb;
  std::int64_t ldd;
  std::uint32_t raster_width;  // tile columns a band, 0 for off (raster.hpp); families that rasterise
  std::int32_t stages;         // shared-memory stages in flight; families multistage and handwritten
  std::int32_t
      copy_bytes_a;  // 16, 8, 4 or 2: the widest copy that A's address and lda allow; families with shared memory
  std::int32_t copy_bytes_b;
};

}  // namespace tileloom::kernels
