// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "emu/others/expected.hpp"

namespace tileloom::test {
namespace {

std::uint32_t bits_at(const Ints& values, int i) {
  return static_cast<std::uint32_t>(at(values, i));
}
int small(int value) {
  return (value & 7) - 3;
}

// The dot product of row m of A, at in[0], and column n of B, at in[256], of 16 values each.
int dot(const Ints& in, int m, int n) {
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += small(at(in, 16 * m + k)) * small(at(in, 256 + 16 * n + k));
  return sum;
}

void mma(Ints& out, const Ints& in) {
  for (int i = 0; i < 128; ++i) out[static_cast<std::size_t>(i)] = dot(in, i / 8, i % 8);
}
void wmma(Ints& out, const Ints& in) {
  for (int i = 0; i < 256; ++i) out[static_cast<std::size_t>(i)] = 2 * dot(in, i / 16, i % 16) + 1;
}

void half_arithmetic(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    const int x = small(at(in, i));
    const double largest = std::max(3.0 * x + x * x, 0.8125);
    return static_cast<int>(largest * 16 + (1.5 + small(i)) * 4) + (x > 0 ? 1000 : 0);
  });
}

void groups(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    int sum = i % others_threads / 8;
    for (int k = 0; k < 8; ++k) sum += at(in, i / 8 * 8 + k);
    return sum;
  });
}

void pipeline(Ints& out, const Ints& in) {
  each(out, [&](int i) { return at(in, i + others_threads - 1 - 2 * (i % others_threads)); });
}

// Of the warp, or the CTA, that i is of: how many `is`.
template <class F>
int count(int i, int size, F is) {
  int n = 0;
  for (int k = i / size * size; k < i / size * size + size; ++k) n += is(k) ? 1 : 0;
  return n;
}

std::uint32_t reversed(std::uint32_t v) {
  std::uint32_t made = 0;
  for (unsigned b = 0; b < 32; ++b) made |= (v >> b & 1) << (31 - b);
  return made;
}

void intrinsics(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    const std::uint32_t v = bits_at(in, i);
    const auto n = static_cast<std::uint32_t>(i);
    const auto in_warp = [&](auto is) { return static_cast<std::uint32_t>(count(i, 32, is)); };
    std::uint32_t sum = in_warp([&](int k) { return (bits_at(in, k) & 1) != 0; });
    sum += in_warp([&](int k) { return (bits_at(in, k) & 3) == (v & 3); });
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) sum += bits_at(in, k) & 255;
    sum += in_warp([&](int k) { return (bits_at(in, k) & 63) == 0; }) > 0 ? 1 : 0;
    sum += v == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(v)) + 1;
    sum += (reversed(v) >> 20) + static_cast<std::uint32_t>(std::countl_zero(std::uint64_t{v}));
    sum += (n & 0xFF) << 8 | (v & 0xFF);  // bytes 0 and 4 of the pair
    sum += (n << 5 | v >> 27) & 0xFF;     // the high word of (n, v) << 5
    for (int b = 0; b < 4; ++b) {
      sum +=
          static_cast<std::uint32_t>(static_cast<std::int8_t>(v >> (8 * b)) * (4 - b));  // 4, 3, 2, 1 from the lowest
    }
    sum += 5 + static_cast<std::uint32_t>(std::uint64_t{v} * 0x12345678U >> 32);
    sum += static_cast<std::uint32_t>(std::abs(static_cast<int>(v & 511) - 100));
    sum += static_cast<std::uint32_t>(count(i, others_threads, [&](int k) { return (bits_at(in, k) & 4) != 0; }));
    sum += count(i, others_threads, [&](int k) { return at(in, k) == 0; }) > 0 ? 3 : 0;
    return static_cast<int>(sum);
  });
}

void vectors(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    const int t = i % others_threads;
    const int quad = i - t + (t / 4 + 1) % (others_threads / 4) * 4;
    const auto byte = [&](int b) { return static_cast<int>(bits_at(in, quad + 1) >> (8 * b) & 255); };
    return at(in, quad) - at(in, quad + 3) + 3 * (byte(0) + 2 * byte(2)) + (t % 4 == 2 ? at(in, quad + 2) : byte(3));
  });
}

constexpr std::array kernels{
    OthersKernel{"mma_half", mma},
    OthersKernel{"mma_bfloat", mma},
    OthersKernel{"wmma", wmma},
    OthersKernel{"half_arithmetic", half_arithmetic},
    OthersKernel{"groups", groups},
    OthersKernel{"pipeline", pipeline},
    OthersKernel{"intrinsics", intrinsics},
    OthersKernel{"vectors", vectors},
};

}  // namespace

std::span<const OthersKernel> others_toolkit_kernels() {
  return kernels;
}

}  // namespace tileloom::test
