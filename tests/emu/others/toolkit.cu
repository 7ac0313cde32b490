// SPDX-License-Identifier: Apache-2.0
// Kernels that use the toolkit's headers: wmma, half, cooperative groups, pipelines, tensor-core PTX in templates. As
// in plain.cu each is `void name(int* out, const int* in)`.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 128;

__device__ int global_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// A small integer, which products and sums keep exact.
__device__ int small(int value) {
  return (value & 7) - 3;
}

template <class Input>
__device__ void mma_16x8x16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]);
template <>
__device__ void mma_16x8x16<__half>(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <>
__device__ void mma_16x8x16<__nv_bfloat16>(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// One warp: A is the CTA's first 256 values, row by row, B the next 128, column by column; D is 16 x 8.
template <class Input>
__device__ void mma_tile(int* out, const int* in) {
  __shared__ alignas(16) Input a[16][16 + 8];
  __shared__ alignas(16) Input b[8][16 + 8];
  const int lane = static_cast<int>(threadIdx.x);
  if (lane >= 32) return;
  for (int i = lane; i < 256; i += 32) a[i / 16][i % 16] = Input(static_cast<float>(small(in[i])));
  for (int i = lane; i < 128; i += 32) b[i / 16][i % 16] = Input(static_cast<float>(small(in[256 + i])));
  __syncwarp();
  unsigned ra[4];
  unsigned rb[2];
  float d[4] = {};
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(&a[lane % 16][lane / 16 * 8]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(row)
               : "memory");
  const auto column = static_cast<unsigned>(__cvta_generic_to_shared(&b[lane % 8][lane / 8 % 2 * 8]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(column)
               : "memory");
  mma_16x8x16<Input>(d, ra, rb);
  for (int v = 0; v < 4; ++v) {
    out[(lane / 4 + v / 2 * 8) * 8 + lane % 4 * 2 + v % 2] = static_cast<int>(d[v]);
  }
}

}  // namespace

extern "C" __global__ void mma_half(int* out, const int* in) {
  if (blockIdx.x == 0) mma_tile<__half>(out, in);
}
extern "C" __global__ void mma_bfloat(int* out, const int* in) {
  if (blockIdx.x == 0) mma_tile<__nv_bfloat16>(out, in);
}

// D = 2 A B + 1 of 16 x 16 matrices: A row by row, B column by column.
extern "C" __global__ void wmma(int* out, const int* in) {
  using namespace nvcuda::wmma;
  __shared__ alignas(32) __half a[256];
  __shared__ alignas(32) __half b[256];
  __shared__ alignas(32) float d[256];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < 256; i += threads) {
    a[i] = __int2half_rn(small(in[i]));
    b[i] = __int2half_rn(small(in[256 + i]));
  }
  __syncthreads();
  if (t < 32) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fd;
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    fill_fragment(fd, 0.5F);
    mma_sync(fd, fa, fb, fd);
    for (int i = 0; i < fd.num_elements; ++i) fd.x[i] *= 2;
    store_matrix_sync(d, fd, 16, mem_row_major);
  }
  __syncthreads();
  if (blockIdx.x != 0) return;
  for (int i = t; i < 256; i += threads) out[i] = static_cast<int>(d[i]);
}

extern "C" __global__ void half_arithmetic(int* out, const int* in) {
  const int i = global_index();
  const __half2 x = __floats2half2_rn(static_cast<float>(small(in[i])), 0.25F);
  const __half2 y = __hfma2(x, __float2half2_rn(3.0F), __hmul2(x, x));
  const __nv_bfloat162 z = __hadd2(__float2bfloat162_rn(1.5F), __float2bfloat162_rn(static_cast<float>(small(i))));
  const __half largest = __hmax(__low2half(y), __high2half(y));
  const float sum = __half2float(largest) * 16 + __low2float(z) * 4;
  out[i] = static_cast<int>(sum) + (__hgt(__low2half(x), __high2half(x)) ? 1000 : 0);
}

// The sums of 8 neighbours.
extern "C" __global__ void groups(int* out, const int* in) {
  __shared__ int copy[threads];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  copy[block.thread_rank()] = in[global_index()];
  block.sync();
  int sum = copy[block.thread_rank()];
  for (int step = static_cast<int>(tile.size()) / 2; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
  out[global_index()] = sum + static_cast<int>(tile.meta_group_rank());
}

// Two stages of asynchronous copies; each CTA reverses its values.
extern "C" __global__ void pipeline(int* out, const int* in) {
  __shared__ alignas(16) int stage[2][threads / 2];
  const int t = static_cast<int>(threadIdx.x);
  const int base = static_cast<int>(blockIdx.x) * threads;
  for (int s = 0; s < 2; ++s) {
    if (t < 16) __pipeline_memcpy_async(&stage[s][4 * t], &in[base + s * 64 + 4 * t], 16);
    __pipeline_commit();
  }
  for (int s = 0; s < 2; ++s) {
    if (s == 0) {
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    if (t < 64) out[base + threads - 1 - (s * 64 + t)] = stage[s][t];
  }
}

// Instructions of a warp and of bits.
extern "C" __global__ void intrinsics(int* out, const int* in) {
  const int i = global_index();
  const auto v = static_cast<unsigned>(in[i]);
  unsigned sum = __popc(__ballot_sync(0xFFFFFFFF, (v & 1) != 0)) + __popc(__match_any_sync(0xFFFFFFFF, v & 3));
  sum += __reduce_add_sync(0xFFFFFFFF, static_cast<int>(v & 255)) + __any_sync(0xFFFFFFFF, (v & 63) == 0);
  sum += __ffs(static_cast<int>(v)) + static_cast<int>(__brev(v) >> 20) + __clzll(v);
  sum += static_cast<int>(__byte_perm(v, static_cast<unsigned>(i), 0x5140) & 0xFFFF);
  sum += static_cast<int>(__funnelshift_l(v, static_cast<unsigned>(i), 5) & 0xFF) +
         __dp4a(static_cast<int>(v), 0x01020304, 5);
  sum += static_cast<int>(__umulhi(v, 0x12345678U)) + __sad(static_cast<int>(v & 511), 100, 0U);
  sum += __syncthreads_count((v & 4) != 0) + __syncthreads_or(v == 0) * 3;
  out[i] = static_cast<int>(sum);
}

// Vectors, and memory of the launch's size.
extern "C" __global__ void vectors(int* out, const int* in) {
  extern __shared__ int4 quads[];
  const int t = static_cast<int>(threadIdx.x);
  const int base = static_cast<int>(blockIdx.x) * threads;
  if (t < threads / 4) quads[t] = __ldg(reinterpret_cast<const int4*>(in + base) + t);
  __syncthreads();
  const int4 q = quads[(t / 4 + 1) % (threads / 4)];
  const uchar4 c = *reinterpret_cast<const uchar4*>(&q.y);
  const int2 pair = make_int2(q.x - q.w, c.x + 2 * c.z);
  out[base + t] = pair.x + 3 * pair.y + (t % 4 == 2 ? q.z : c.w);
}
