// SPDX-License-Identifier: Apache-2.0
// How fast wgmma m64n256k16 issues, both operands in shared memory: two groups of four warps with a tile of 64 x 64 of
// A each and one of 256 x 64 of B for both, rows of 128 bytes in the 128-byte swizzle. sm_90a only.
#include <cuda_fp16.h>

#include "ceilings/shapes.hpp"

namespace {

using namespace tileloom::bench::ceilings;

constexpr int tile_a_bytes = 64 * 128;
constexpr int tile_b_bytes = 256 * 128;
static_assert(2 * tile_a_bytes + tile_b_bytes == 2 * data_halves);

// The matrix descriptor of PTX: K-major rows in the 128-byte swizzle, 1024 bytes from one group of 8 rows to the next.
__device__ unsigned long long descriptor(unsigned shared_address) {
  constexpr unsigned long long swizzle_128 = 1ULL << 62U;
  constexpr unsigned long long stride = (1024ULL >> 4U) << 32U;
  constexpr unsigned long long leading = 1ULL << 16U;  // unused with this swizzle
  return swizzle_128 | stride | leading | ((shared_address & 0x3FFFFU) >> 4U);
}

#define FOUR(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define SIXTEEN(c, i) FOUR(c, i), FOUR(c, i + 4), FOUR(c, i + 8), FOUR(c, i + 12)

struct SumF32 {
  float d[128];
  __device__ void clear() {
#pragma unroll
    for (float& x : d) {
      x = 0;
    }
  }
  __device__ void add(unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, 1, 1, 1, 0, 0;"
        : SIXTEEN("+f", 0), SIXTEEN("+f", 16), SIXTEEN("+f", 32), SIXTEEN("+f", 48), SIXTEEN("+f", 64),
          SIXTEEN("+f", 80), SIXTEEN("+f", 96), SIXTEEN("+f", 112)
        : "l"(a), "l"(b));
  }
  __device__ float total() const {
    float sum = 0;
#pragma unroll
    for (const float x : d) {
      sum += x;
    }
    return sum;
  }
};

struct SumF16 {
  unsigned d[64];
  __device__ void clear() {
#pragma unroll
    for (unsigned& x : d) {
      x = 0;
    }
  }
  __device__ void add(unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, %64, %65, 1, 1, 1, 0, 0;"
        : SIXTEEN("+r", 0), SIXTEEN("+r", 16), SIXTEEN("+r", 32), SIXTEEN("+r", 48)
        : "l"(a), "l"(b));
  }
  __device__ float total() const {
    float sum = 0;
#pragma unroll
    for (const unsigned& x : d) {
      const float2 f = __half22float2(reinterpret_cast<const __half2&>(x));
      sum += f.x + f.y;
    }
    return sum;
  }
};

#undef SIXTEEN
#undef FOUR

// Random data looks alike in every layout, so the tiles are copied as they come.
__device__ unsigned tiles_in_shared_memory(const uint4* data) {
  extern __shared__ uint4 raw[];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(raw));
  const unsigned aligned = (at + 1023U) & ~1023U;
  for (unsigned i = threadIdx.x; i < data_halves / 8; i += threads) {
    raw[(aligned - at) / 16 + i] = data[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  return aligned;
}

template <class Sum>
__device__ void multiply(const uint4* data, float* results, int repeats, int steps) {
  const unsigned tiles = tiles_in_shared_memory(data);
  const unsigned long long a = descriptor(tiles + threadIdx.x / 128 * tile_a_bytes);
  const unsigned long long b = descriptor(tiles + 2 * tile_a_bytes);
  constexpr unsigned long long k_block = 32 >> 4U;  // 16 columns
  float result = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Sum sum;
    sum.clear();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int k = 0; k < wgmma_k_blocks; ++k) {
        sum.add(a + k * k_block, b + k * k_block);
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    result += sum.total();
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = result;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(threads)
    ceiling_wgmma_f32(const uint4* data, float* results, int repeats, int steps) {
  multiply<SumF32>(data, results, repeats, steps);
}

extern "C" __global__ void __launch_bounds__(threads)
    ceiling_wgmma_f16(const uint4* data, float* results, int repeats, int steps) {
  multiply<SumF16>(data, results, repeats, steps);
}
