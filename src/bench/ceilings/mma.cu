// SPDX-License-Identifier: Apache-2.0
// How fast mma.sync m16n8k16 issues: operands in registers, nothing else to do. A warp multiplies 4 fragments of A with
// 8 of B, the 64 x 64 tile of a good kernel, so that 32 independent sums are in flight.
#include <cuda_fp16.h>

#include "ceilings/shapes.hpp"

namespace {

using namespace tileloom::bench::ceilings;

constexpr int fragments_a = 4;
constexpr int fragments_b = 8;
static_assert(fragments_a * fragments_b == mma_tiles);

struct SumF32 {
  float d[4] = {};
  __device__ void add(const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  __device__ float total() const { return (d[0] + d[1]) + (d[2] + d[3]); }
};

struct SumF16 {
  unsigned d[2] = {};
  __device__ void add(const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  __device__ static float both(unsigned pair) {
    const float2 f = __half22float2(reinterpret_cast<const __half2&>(pair));
    return f.x + f.y;
  }
  __device__ float total() const { return both(d[0]) + both(d[1]); }
};

// Sums start again from zero every `steps` steps, as those of a product with K = 16 * steps, and stay finite in f16.
template <class Sum>
__device__ void multiply(const uint4* data, float* results, int repeats, int steps) {
  unsigned a[fragments_a][4];
  unsigned b[fragments_b][2];
  const uint4* mine = data + threadIdx.x * (fragments_a + fragments_b / 2);
  for (int i = 0; i < fragments_a; ++i) {
    const uint4 v = mine[i];
    a[i][0] = v.x, a[i][1] = v.y, a[i][2] = v.z, a[i][3] = v.w;
  }
  for (int j = 0; j < fragments_b / 2; ++j) {
    const uint4 v = mine[fragments_a + j];
    b[2 * j][0] = v.x, b[2 * j][1] = v.y, b[2 * j + 1][0] = v.z, b[2 * j + 1][1] = v.w;
  }
  float result = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Sum sums[fragments_a][fragments_b];
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int i = 0; i < fragments_a; ++i) {
#pragma unroll
        for (int j = 0; j < fragments_b; ++j) {
          sums[i][j].add(a[i], b[j]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < mma_tiles; ++i) {
      result += sums[i / fragments_b][i % fragments_b].total();
    }
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = result;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(threads)
    ceiling_mma_f32(const uint4* data, float* results, int repeats, int steps) {
  multiply<SumF32>(data, results, repeats, steps);
}

extern "C" __global__ void __launch_bounds__(threads)
    ceiling_mma_f16(const uint4* data, float* results, int repeats, int steps) {
  multiply<SumF16>(data, results, repeats, steps);
}
