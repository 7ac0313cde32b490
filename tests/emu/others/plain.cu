// SPDX-License-Identifier: Apache-2.0
// Kernels as people write them, with what the language has and no header of the toolkit: nvcc and clang compile them.
// Each is `void name(int* out, const int* in)`; `in` has `elements` small ints, `out` 16 more, which are 0 before.
// expected.cpp says what each must write. remake.sh makes the committed PTX.
#include "language.cuh"

namespace {

constexpr int elements = 512;  // of a launch: 4 CTAs of 128 threads
constexpr int threads = 128;

__device__ int global_index() {
  return static_cast<int>(blockIdx_x * blockDim_x + threadIdx_x);
}

// -- Shared memory through a class template.
template <class T, int Rows, int Columns>
struct Tile {
  T values[Rows][Columns + 1];
  __device__ T& operator()(int row, int column) { return values[row][column]; }
};

// -- Device-side tables: constants, strings, pointers, functions.
struct Entry {
  short weight;
  unsigned char shift;
  bool negate;
  long long offset;
};
__constant__ Entry entries[4] = {{3, 1, false, 10}, {-5, 0, true, -(1LL << 20)}, {7, 2, true, 0}, {2, 3, false, 99}};
__device__ const char letters[] = "tileloom";
__device__ int first_values[4] = {1, 2, 3, 4};
__device__ int second_values[4] = {-10, -20, -30, -40};
__device__ int* const value_tables[3] = {first_values, second_values, first_values + 2};
__device__ float scale = 0.5F;
__device__ const double doubles[2] = {1.25, -2.5};

// -- Functions that stay functions.
struct Pair {
  int low, high;
};
struct Wide {
  double real;
  int parts[6];
  char tag;
};
__device__ __noinline__ Pair split(int value, int* remainder) {
  *remainder = value % 7;
  return {value / 7, value & 15};
}
__device__ __noinline__ Wide widen(Wide w, int by) {
  for (int& part : w.parts) part += by;
  w.real *= 2;
  w.tag = static_cast<char>(w.tag + 1);
  return w;
}
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

using Binary = int (*)(int, int);
__device__ int plus(int a, int b) {
  return a + b;
}
__device__ int minus(int a, int b) {
  return a - b;
}
__device__ int times(int a, int b) {
  return a * b;
}
__device__ Binary const operations[3] = {plus, minus, times};

// -- Virtual functions.
struct Shape {
  int side;
  __device__ explicit Shape(int s) : side(s) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 4; }
};
struct Square : Shape {
  using Shape::Shape;
  __device__ int area() const override { return side * side; }
};
struct Triangle : Shape {
  using Shape::Shape;
  __device__ int area() const override { return side * side / 2; }
  __device__ int corners() const override { return 3; }
};
__device__ __noinline__ int describe(const Shape& shape) {
  return 10 * shape.area() + shape.corners();
}

}  // namespace

// Transposes 8 x 16 values of each CTA.
extern "C" __global__ void transpose(int* out, const int* in) {
  __shared__ Tile<int, 8, 16> tile;
  const int t = static_cast<int>(threadIdx_x);
  const int base = static_cast<int>(blockIdx_x) * threads;
  tile(t / 16, t % 16) = in[base + t];
  __syncthreads();
  out[base + t] = tile(t % 8, t / 8);
}

// Each CTA's sum at its first element, zero elsewhere.
extern "C" __global__ void __launch_bounds__(128) reduce(int* __restrict__ out, const int* __restrict__ in) {
  __shared__ int partial[threads / 32];
  const int t = static_cast<int>(threadIdx_x);
  int sum = in[global_index()];
  for (unsigned delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, delta);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  sum = t < threads / 32 ? partial[t] : 0;
  if (t < 32) {
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, lane);
  }
  out[global_index()] = t == 0 ? sum : 0;
}

// A local array that is indexed by data, and functions with results in memory.
extern "C" __global__ void stack(int* out, const int* in) {
  int counts[16] = {};
  const int i = global_index();
  int remainder = 0;
  for (int k = 0; k < 8; ++k) {
    const Pair p = split(in[(i + k) % elements], &remainder);
    counts[p.high] += p.low + remainder;
  }
  Wide w{1.5, {0, 1, 2, 3, 4, 5}, 'a'};
  w = widen(widen(w, in[i]), 1);
  int sum = static_cast<int>(w.real) + w.parts[i % 6] + w.tag;
  for (int k = 0; k < 16; ++k) sum ^= counts[k] * (k + 1);
  out[i] = sum;
}

extern "C" __global__ void recursion(int* out, const int* in) {
  const int i = global_index();
  out[i] = ackermann(in[i] & 1, in[i] & 7) + ackermann(2, i & 3);
}

extern "C" __global__ void jump_table(int* out, const int* in) {
  const int i = global_index();
  int v = in[i];
  for (int round = 0; round < 3; ++round) {
    switch (v & 15) {
      case 0:
        v += i;
        break;
      case 1:
        v = v * 5 + 1;
        break;
      case 2:
        v ^= 0x55;
        break;
      case 3:
        v = -v;
        break;
      case 4:
        v = v / 3;
        break;
      case 5:
        v <<= 2;
        [[fallthrough]];
      case 6:
        v -= 77;
        break;
      case 7:
        v = v % 1000;
        break;
      case 8:
        v = ~v;
        break;
      case 9:
        v >>= 3;
        break;
      case 10:
        v = in[(v >> 4) & (elements - 1)];
        break;
      case 11:
        round = 3;
        break;
      default:
        v += 13;
        break;
    }
  }
  out[i] = v;
}

extern "C" __global__ void tables(int* out, const int* in) {
  const int i = global_index();
  const Entry& e = entries[in[i] & 3];
  long long v = static_cast<long long>(in[i]) * e.weight + e.offset;
  v = e.negate ? -(v >> e.shift) : v >> e.shift;
  v += letters[i % 9];
  v += value_tables[i % 3][in[i] & 1];
  v += static_cast<long long>(static_cast<float>(in[i]) * scale + static_cast<float>(doubles[i & 1]));
  out[i] = static_cast<int>(v ^ (v >> 32));
}

extern "C" __global__ void indirect(int* out, const int* in) {
  const int i = global_index();
  Binary operation = operations[(in[i] & 0xFFFF) % 3];
  out[i] = operation(in[i], i) + operations[i % 3](i, 3);
}

extern "C" __global__ void virtual_call(int* out, const int* in) {
  const int i = global_index();
  const Square square(in[i] & 31);
  const Triangle triangle(in[i] & 15);
  out[i] = describe(i % 3 == 0 ? static_cast<const Shape&>(square) : triangle);
}

// A histogram of 16 bins in shared, then in global memory: out[0..15]; the largest value, a sum of halves, a chain of
// exchanges and compare-and-swaps after them.
extern "C" __global__ void atomics(int* out, const int* in) {
  __shared__ int bins[16];
  __shared__ float halves;
  const int t = static_cast<int>(threadIdx_x);
  const int v = in[global_index()];
  if (t < 16) bins[t] = 0;
  if (t == 16) halves = 0;
  __syncthreads();
  atomicAdd(&bins[v & 15], 1);
  atomicAdd(&halves, 0.5F * static_cast<float>(v & 7));
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], bins[t]);
  if (t == 0) atomicAdd(reinterpret_cast<float*>(&out[16]), halves);
  atomicMax(&out[17], v);
  atomicOr(&out[18], 1 << (v & 31));
  if (t == 1) atomicExch(&out[19], 42);
  int seen = atomicCAS(&out[20], 0, 0);
  for (int expected = seen - 1; expected != seen;) {
    expected = seen;
    seen = atomicCAS(&out[20], expected, expected + 2);
  }
}

// Lanes that leave loops and the kernel at different times.
extern "C" __global__ void divergence(int* out, const int* in) {
  const int i = global_index();
  int v = in[i] & 0xFFFF;
  int steps = 0;
  int odd = 0;
  while (v != 1) {
    if (v == 0) {
      out[i] = -1;
      return;
    }
    v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    if (++steps > 60) break;
    if (steps % 7 == 3) continue;
    odd += v & 1;
  }
  const int low = __popc(__ballot_sync(0xFFFFFFFF, steps < 20) | 1U);
  out[i] = 4096 * steps + 64 * odd + (low > 0 ? __popc(static_cast<unsigned>(in[i])) + __clz(in[i] & 0xFFF) : 0);
}

// Every width of integer, and numbers that are exact.
extern "C" __global__ void arithmetic(int* out, const int* in) {
  const int i = global_index();
  const int v = in[i];
  const auto byte = static_cast<signed char>(v);
  const auto half = static_cast<unsigned short>(v * 3);
  const auto wide = static_cast<unsigned long long>(v) * 0x9E3779B97F4A7C15ULL;
  const float real = static_cast<float>(v) / 3.0F;
  const double fine = static_cast<double>(v) / 7.0 - static_cast<double>(i);
  const float root = __fsqrt_rn(static_cast<float>(v & 0xFFFF));
  unsigned sum = static_cast<unsigned>(byte * 17 + half / 5) + static_cast<unsigned>(wide >> 40);
  sum += static_cast<unsigned>(wide % 1000003ULL);
  sum += static_cast<unsigned>(static_cast<int>(__fmaf_rn(real, 8.0F, root)) + static_cast<int>(fine * 4.0));
  sum ^= (v > 0 && byte < 0) || half == 12 ? 1U << 20 : 0U;
  sum -= static_cast<unsigned>(static_cast<long long>(v) * v / (i + 1));
  out[i] = static_cast<int>(sum);
}

// The last CTA adds what all have written.
extern "C" __global__ void last_cta(int* out, const int* in) {
  __shared__ volatile bool last;  // clang 14 moves a plain read up before the barrier
  const int i = global_index();
  out[i] = 2 * in[i];
  __threadfence();
  __syncthreads();
  if (threadIdx_x == 0) {
    __threadfence();
    last = atomicAdd(&out[elements], 1) == static_cast<int>(gridDim_x) - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx_x != 0) return;
  int sum = 0;
  for (int k = 0; k < elements; ++k) sum += out[k];
  out[elements + 1] = sum;
}
