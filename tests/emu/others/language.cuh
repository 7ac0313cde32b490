// SPDX-License-Identifier: Apache-2.0
// What CUDA C++ needs of its compiler beside the language: nvcc has it, clang without the toolkit gets it here.
#pragma once

#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))

#define threadIdx_x __nvvm_read_ptx_sreg_tid_x()
#define blockIdx_x __nvvm_read_ptx_sreg_ctaid_x()
#define blockDim_x __nvvm_read_ptx_sreg_ntid_x()
#define gridDim_x __nvvm_read_ptx_sreg_nctaid_x()

__device__ inline void __syncwarp() {
  __nvvm_bar_warp_sync(0xFFFF'FFFF);
}
__device__ inline int __shfl_down_sync(unsigned mask, int value, unsigned delta) {
  return __nvvm_shfl_sync_down_i32(mask, value, static_cast<int>(delta), 0x1F);
}
__device__ inline int __shfl_xor_sync(unsigned mask, int value, int lane) {
  return __nvvm_shfl_sync_bfly_i32(mask, value, lane, 0x1F);
}
__device__ inline unsigned __ballot_sync(unsigned mask, bool predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
__device__ inline int __popc(unsigned value) {
  return __builtin_popcount(value);
}
__device__ inline int __clz(int value) {
  return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value));
}
__device__ inline int atomicAdd(int* at, int value) {
  return __nvvm_atom_add_gen_i(at, value);
}
__device__ inline float atomicAdd(float* at, float value) {
  return __nvvm_atom_add_gen_f(at, value);
}
__device__ inline int atomicMax(int* at, int value) {
  return __nvvm_atom_max_gen_i(at, value);
}
__device__ inline int atomicExch(int* at, int value) {
  return __nvvm_atom_xchg_gen_i(at, value);
}
__device__ inline int atomicOr(int* at, int value) {
  return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
__device__ inline int atomicCAS(int* at, int expected, int value) {
  return __nvvm_atom_cas_gen_i(at, expected, value);
}
__device__ inline void __threadfence() {
  __nvvm_membar_gl();
}
__device__ inline float __fmaf_rn(float a, float b, float c) {
  return __nvvm_fma_rn_f(a, b, c);
}
__device__ inline float __fsqrt_rn(float a) {
  return __nvvm_sqrt_rn_f(a);
}
#else
#define threadIdx_x threadIdx.x
#define blockIdx_x blockIdx.x
#define blockDim_x blockDim.x
#define gridDim_x gridDim.x
#endif
