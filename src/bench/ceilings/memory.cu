// SPDX-License-Identifier: Apache-2.0
// Device memory: read only and copied, 16 bytes an access, each byte once; and kernels that do nothing or wait.
#include "ceilings/shapes.hpp"

namespace {

using namespace tileloom::bench::ceilings;

// Neighbouring threads read neighbouring pieces; all loads of a thread are under way before the first is used.
__device__ void load(const uint4* from, uint4 (&v)[pieces]) {
  from += static_cast<unsigned long long>(blockIdx.x) * (threads * pieces) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < pieces; ++i) {
    v[i] = __ldcs(from + i * threads);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(threads) ceiling_fill(uint4* to) {
  to += static_cast<unsigned long long>(blockIdx.x) * (threads * pieces) + threadIdx.x;
  for (int i = 0; i < pieces; ++i) {
    const unsigned word = 4 * (blockIdx.x * (threads * pieces) + i * threads + threadIdx.x);
    to[i * threads] =
        make_uint4(word * word_step, (word + 1) * word_step, (word + 2) * word_step, (word + 3) * word_step);
  }
}

// One sum of words a warp.
extern "C" __global__ void __launch_bounds__(threads) ceiling_read(const uint4* from, unsigned* sums) {
  uint4 v[pieces];
  load(from, v);
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < pieces; ++i) {
    sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  }
  sum = __reduce_add_sync(~0U, sum);
  if (threadIdx.x % 32 == 0) {
    sums[blockIdx.x * (threads / 32) + threadIdx.x / 32] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(threads) ceiling_copy(const uint4* from, uint4* to) {
  uint4 v[pieces];
  load(from, v);
  to += static_cast<unsigned long long>(blockIdx.x) * (threads * pieces) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < pieces; ++i) {
    __stcs(to + i * threads, v[i]);
  }
}

extern "C" __global__ void ceiling_empty() {}

// Keeps the stream busy while the host enqueues what is timed.
extern "C" __global__ void ceiling_pause(unsigned nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}
