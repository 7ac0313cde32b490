// SPDX-License-Identifier: Apache-2.0
// Small kernels, each with one fault and beside it the same without: one pair for each way in which an sm_80 kernel can
// leave memory unordered or misuse it. kernels.hpp says what is found in each; the lines that a finding must name end
// in
// `// here`. Every kernel is called with two buffers of 4096 ints, `in` set to 0, 1, 2, ... and `out` to zeros, or to
// nothing for those that are about that; kernels.ptx is made from this file as kernels.hpp says.

#define SHARED(p) static_cast<unsigned>(__cvta_generic_to_shared(p))
// Macros, so that the line of an asm is that of its use.
#define COPY16(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(to)), "l"(from) : "memory")
#define COPY4(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(to)), "l"(from) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")
#define BAR(id, threads) asm volatile("bar.sync " #id ", " #threads ";" ::: "memory")
#define ARRIVE(id, threads) asm volatile("bar.arrive " #id ", " #threads ";" ::: "memory")

__device__ __forceinline__ unsigned lane() {
  return threadIdx.x % 32;
}
#define KERNEL(name) extern "C" __global__ void name(int* out, int* in)
#define STORE(to, value) asm volatile("st.shared.b32 [%0], %1;" ::"r"(SHARED(to)), "r"(value) : "memory")
#define LOAD(value, from) asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(SHARED(from)) : "memory")
#define GSTORE(to, value) asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(value) : "memory")
#define GLOAD(value, from) asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(from) : "memory")

// -- Shared memory between warps
KERNEL(read_after_write_racy) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);        // here
  LOAD(x, s + (threadIdx.x ^ 32));  // here
  out[threadIdx.x] = x;
}
KERNEL(read_after_write_clean) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);
  __syncthreads();
  LOAD(x, s + (threadIdx.x ^ 32));
  out[threadIdx.x] = x;
}

KERNEL(write_after_read_racy) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);
  __syncthreads();
  LOAD(x, s + (threadIdx.x ^ 32));  // here
  STORE(s + threadIdx.x, 2);        // here
  out[threadIdx.x] = x;
}
KERNEL(write_after_read_clean) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);
  __syncthreads();
  LOAD(x, s + (threadIdx.x ^ 32));
  __syncthreads();
  STORE(s + threadIdx.x, 2);
  out[threadIdx.x] = x;
}

KERNEL(write_after_write_racy) {
  __shared__ int s[32];
  int x;
  STORE(s + lane(), static_cast<int>(threadIdx.x / 32));  // here
  __syncthreads();
  LOAD(x, s + lane());
  out[threadIdx.x] = x;
}
KERNEL(write_after_write_clean) {
  __shared__ int s[32];
  int x;
  if (threadIdx.x < 32) STORE(s + lane(), 0);
  __syncthreads();
  if (threadIdx.x >= 32) STORE(s + lane(), 1);
  __syncthreads();
  LOAD(x, s + lane());
  out[threadIdx.x] = x;
}

// -- Shared memory within a warp
KERNEL(warp_racy) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);       // here
  LOAD(x, s + (threadIdx.x ^ 1));  // here
  out[threadIdx.x] = x;
}
KERNEL(warp_clean) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);
  __syncwarp();
  LOAD(x, s + (threadIdx.x ^ 1));
  out[threadIdx.x] = x;
}

// A shuffle brings lanes together and orders no memory.
KERNEL(shuffle_racy) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);  // here
  const int y = __shfl_xor_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x), 1);
  LOAD(x, s + (threadIdx.x ^ 1));  // here
  out[threadIdx.x] = x + y;
}
KERNEL(shuffle_clean) {
  __shared__ int s[64];
  int x;
  STORE(s + threadIdx.x, 1);
  const int y = __shfl_xor_sync(0xFFFFFFFF, static_cast<int>(threadIdx.x), 1);
  __syncwarp();
  LOAD(x, s + (threadIdx.x ^ 1));
  out[threadIdx.x] = x + y;
}

// -- Named barriers
KERNEL(named_barrier_racy) {
  __shared__ int s[64];
  int x = 0;
  if (threadIdx.x < 32) {
    STORE(s + threadIdx.x, 1);  // here
    BAR(1, 32);
  } else {
    BAR(2, 32);
    LOAD(x, s + lane());  // here
  }
  out[threadIdx.x] = x;
}
KERNEL(named_barrier_clean) {
  __shared__ int s[64];
  int x = 0;
  if (threadIdx.x < 32) {
    STORE(s + threadIdx.x, 1);
    BAR(1, 64);
  } else {
    BAR(1, 64);
    LOAD(x, s + lane());
  }
  out[threadIdx.x] = x;
}

// Who only arrives may not reuse what the others still read.
KERNEL(arrive_racy) {
  __shared__ int s[64];
  int x = 0;
  STORE(s + threadIdx.x, 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    ARRIVE(1, 64);
    STORE(s + threadIdx.x, 2);  // here
  } else {
    LOAD(x, s + lane());  // here
    BAR(1, 64);
  }
  out[threadIdx.x] = x;
}
KERNEL(arrive_clean) {
  __shared__ int s[64];
  int x = 0;
  STORE(s + threadIdx.x, 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    BAR(1, 64);
    STORE(s + threadIdx.x, 2);
  } else {
    LOAD(x, s + lane());
    ARRIVE(1, 64);
  }
  out[threadIdx.x] = x;
}

// -- Asynchronous copies
KERNEL(no_wait_racy) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);  // here
  COMMIT();
  __syncthreads();
  LOAD(x, s + 4 * (threadIdx.x ^ 32));  // here
  out[threadIdx.x] = x;
  WAIT(0);
}
KERNEL(no_wait_clean) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);
  COMMIT();
  WAIT(0);
  __syncthreads();
  LOAD(x, s + 4 * (threadIdx.x ^ 32));
  out[threadIdx.x] = x;
}

// One group too many may be pending.
KERNEL(weak_wait_racy) {
  __shared__ __align__(16) int s[512];
  int x, y;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);
  COMMIT();
  COPY16(s + 256 + 4 * threadIdx.x, in + 256 + 4 * threadIdx.x);  // here
  COMMIT();
  WAIT(1);
  __syncthreads();
  LOAD(x, s + 4 * (threadIdx.x ^ 32));
  LOAD(y, s + 256 + 4 * (threadIdx.x ^ 32));  // here
  out[threadIdx.x] = x + y;
  WAIT(0);
}
KERNEL(weak_wait_clean) {
  __shared__ __align__(16) int s[512];
  int x, y;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);
  COMMIT();
  COPY16(s + 256 + 4 * threadIdx.x, in + 256 + 4 * threadIdx.x);
  COMMIT();
  WAIT(1);
  __syncthreads();
  LOAD(x, s + 4 * (threadIdx.x ^ 32));
  WAIT(0);
  __syncthreads();
  LOAD(y, s + 256 + 4 * (threadIdx.x ^ 32));
  out[threadIdx.x] = x + y;
}

// A group that was never committed is waited for by nobody.
KERNEL(no_commit_racy) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);  // here
  WAIT(0);
  __syncthreads();
  LOAD(x, s + 4 * (threadIdx.x ^ 32));  // here
  out[threadIdx.x] = x;
  WAIT_ALL();
}
KERNEL(no_commit_clean) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);
  WAIT_ALL();
  __syncthreads();
  LOAD(x, s + 4 * (threadIdx.x ^ 32));
  out[threadIdx.x] = x;
}

// Each thread has waited for its own copies, and reads another's.
KERNEL(wait_without_barrier_racy) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);  // here
  COMMIT();
  WAIT(0);
  LOAD(x, s + 4 * (threadIdx.x ^ 32));  // here
  out[threadIdx.x] = x;
}
KERNEL(wait_without_barrier_clean) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);
  COMMIT();
  WAIT(0);
  LOAD(x, s + 4 * threadIdx.x);
  out[threadIdx.x] = x;
}

KERNEL(barrier_before_wait_racy) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);  // here
  COMMIT();
  __syncthreads();
  WAIT(0);
  LOAD(x, s + 4 * (threadIdx.x ^ 32));  // here
  out[threadIdx.x] = x;
}
KERNEL(barrier_before_wait_clean) {
  __shared__ __align__(16) int s[256];
  int x;
  COPY16(s + 4 * threadIdx.x, in + 4 * threadIdx.x);
  COMMIT();
  WAIT(0);
  __syncthreads();
  LOAD(x, s + 4 * (threadIdx.x ^ 32));
  out[threadIdx.x] = x;
}

// The next tile is copied over one that others still read.
KERNEL(stage_reuse_racy) {
  __shared__ __align__(16) int s[256];
  int x, sum = 0;
  for (int tile = 0; tile < 3; ++tile) {
    COPY16(s + 4 * threadIdx.x, in + 256 * tile + 4 * threadIdx.x);  // here
    WAIT_ALL();
    __syncthreads();
    LOAD(x, s + 4 * (threadIdx.x ^ 32));  // here
    sum += x;
  }
  out[threadIdx.x] = sum;
}
KERNEL(stage_reuse_clean) {
  __shared__ __align__(16) int s[256];
  int x, sum = 0;
  for (int tile = 0; tile < 3; ++tile) {
    COPY16(s + 4 * threadIdx.x, in + 256 * tile + 4 * threadIdx.x);
    WAIT_ALL();
    __syncthreads();
    LOAD(x, s + 4 * (threadIdx.x ^ 32));
    sum += x;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Two copies to the same bytes land in either order.
KERNEL(two_copies_racy) {
  __shared__ int s[64];
  int x;
  COPY4(s + threadIdx.x, in + threadIdx.x);       // here
  COPY4(s + threadIdx.x, in + threadIdx.x + 64);  // here
  WAIT_ALL();
  LOAD(x, s + threadIdx.x);
  out[threadIdx.x] = x;
}
KERNEL(two_copies_clean) {
  __shared__ int s[64];
  int x;
  COPY4(s + threadIdx.x, in + threadIdx.x);
  WAIT_ALL();
  COPY4(s + threadIdx.x, in + threadIdx.x + 64);
  WAIT_ALL();
  LOAD(x, s + threadIdx.x);
  out[threadIdx.x] = x;
}

// The source of a copy changes before the copy is over.
KERNEL(copy_source_racy) {
  __shared__ int s[64];
  int x;
  COPY4(s + threadIdx.x, out + threadIdx.x);  // here
  GSTORE(out + threadIdx.x, 5);               // here
  WAIT_ALL();
  LOAD(x, s + threadIdx.x);
  out[threadIdx.x + 64] = x;
}
KERNEL(copy_source_clean) {
  __shared__ int s[64];
  int x;
  COPY4(s + threadIdx.x, out + threadIdx.x);
  WAIT_ALL();
  GSTORE(out + threadIdx.x, 5);
  LOAD(x, s + threadIdx.x);
  out[threadIdx.x + 64] = x;
}

// -- Global memory
KERNEL(two_ctas_racy) {
  GSTORE(out + threadIdx.x, static_cast<int>(blockIdx.x));  // here
}
KERNEL(two_ctas_clean) {
  GSTORE(out + blockIdx.x * blockDim.x + threadIdx.x, static_cast<int>(blockIdx.x));
}

// The last CTA sums what all have stored: the counter needs a fence on either side.
KERNEL(last_cta_racy) {
  if (threadIdx.x != 0) return;
  int x, sum = 0;
  GSTORE(out + 1 + blockIdx.x, 7);  // here
  if (atomicAdd(out, 1) == 1) {
    __threadfence();
    for (int i = 1; i <= 2; ++i) {
      GLOAD(x, out + i);  // here
      sum += x;
    }
    out[8] = sum;
  }
}
KERNEL(last_cta_clean) {
  if (threadIdx.x != 0) return;
  int x, sum = 0;
  GSTORE(out + 1 + blockIdx.x, 7);
  __threadfence();
  if (atomicAdd(out, 1) == 1) {
    __threadfence();
    for (int i = 1; i <= 2; ++i) {
      GLOAD(x, out + i);
      sum += x;
    }
    out[8] = sum;
  }
}

// -- Stores whose lanes disagree
KERNEL(one_store_racy) {
  __shared__ int s[1];
  int x;
  if (threadIdx.x < 32) STORE(s, static_cast<int>(threadIdx.x));  // here
  __syncthreads();
  LOAD(x, s);
  out[threadIdx.x] = x;
}
KERNEL(one_store_clean) {
  __shared__ int s[1];
  int x;
  if (threadIdx.x == 31) STORE(s, static_cast<int>(threadIdx.x));
  __syncthreads();
  LOAD(x, s);
  out[threadIdx.x] = x;
}

// -- Memory that holds nothing
KERNEL(unwritten_shared_racy) {
  __shared__ int s[65];
  int x;
  STORE(s + threadIdx.x, 1);
  __syncthreads();
  LOAD(x, s + threadIdx.x + 1);  // here
  out[threadIdx.x] = x;
}
KERNEL(unwritten_shared_clean) {
  __shared__ int s[65];
  int x;
  STORE(s + threadIdx.x, 1);
  if (threadIdx.x == 0) STORE(s + 64, 1);
  __syncthreads();
  LOAD(x, s + threadIdx.x + 1);
  out[threadIdx.x] = x;
}

KERNEL(unwritten_global_racy) {
  int x;
  GLOAD(x, out + threadIdx.x);  // here
  GSTORE(out + threadIdx.x, x + in[threadIdx.x]);
}
KERNEL(unwritten_global_clean) {
  int x;
  GSTORE(out + threadIdx.x, 0);
  GLOAD(x, out + threadIdx.x);
  GSTORE(out + threadIdx.x, x + in[threadIdx.x]);
}

// -- What ends a launch
KERNEL(out_of_bounds_racy) {
  __shared__ int s[64];
  STORE(s + threadIdx.x + 1, 1);  // here
  out[threadIdx.x] = 0;
}
KERNEL(out_of_bounds_clean) {
  __shared__ int s[65];
  STORE(s + threadIdx.x + 1, 1);
  out[threadIdx.x] = 0;
}

KERNEL(misaligned_racy) {
  int x, y;
  asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(in + threadIdx.x));  // here
  out[threadIdx.x] = x + y;
}
KERNEL(misaligned_clean) {
  int x, y;
  asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(in + 2 * threadIdx.x));
  out[threadIdx.x] = x + y;
}

// Half of a warp waits at a barrier instead.
KERNEL(divergent_shuffle_racy) {
  int x = 0;
  if (lane() < 16) {
    asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, -1;" : "=r"(x) : "r"(in[threadIdx.x]));  // here
    BAR(1, 64);
  } else {
    BAR(1, 64);
  }
  out[threadIdx.x] = x;
}
KERNEL(divergent_shuffle_clean) {
  int x = 0;
  if (lane() < 16) {
    asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xFFFF;" : "=r"(x) : "r"(in[threadIdx.x]));
  }
  BAR(1, 64);
  out[threadIdx.x] = x;
}

// Two warps at two barriers of 64 threads each.
KERNEL(deadlock_racy) {
  if (threadIdx.x < 32) {
    BAR(1, 64);  // here
  } else {
    BAR(2, 64);
  }
  out[threadIdx.x] = 1;
}
KERNEL(deadlock_clean) {
  if (threadIdx.x < 32) {
    BAR(1, 64);
  } else {
    BAR(1, 64);
  }
  out[threadIdx.x] = 1;
}
