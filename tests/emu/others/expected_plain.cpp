// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "emu/others/expected.hpp"

namespace tileloom::test {
namespace {

void transpose(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    const int t = i % others_threads;
    return at(in, i - t + t % 8 * 16 + t / 8);
  });
}

void reduce(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    if (i % others_threads != 0) return 0;
    return std::accumulate(in.begin() + i, in.begin() + i + others_threads, 0);
  });
}

void stack(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    std::array<int, 16> counts{};
    for (int k = 0; k < 8; ++k) {
      const int v = at(in, (i + k) % others_elements);
      counts[static_cast<std::size_t>(v & 15)] += v / 7 + v % 7;
    }
    int sum = 6 + (i % 6 + at(in, i) + 1) + ('a' + 2);
    for (int k = 0; k < 16; ++k) sum ^= counts[static_cast<std::size_t>(k)] * (k + 1);
    return sum;
  });
}

// ackermann(0, n) = n + 1, (1, n) = n + 2, (2, n) = 2 n + 3
void recursion(Ints& out, const Ints& in) {
  each(out, [&](int i) { return (at(in, i) & 7) + 1 + (at(in, i) & 1) + 2 * (i & 3) + 3; });
}

void jump_table(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    int v = at(in, i);
    for (int round = 0; round < 3; ++round) {
      const int c = v & 15;
      if (c == 0) v += i;
      if (c == 1) v = v * 5 + 1;
      if (c == 2) v ^= 0x55;
      if (c == 3) v = -v;
      if (c == 4) v /= 3;
      if (c == 5) v *= 4;
      if (c == 5 || c == 6) v -= 77;
      if (c == 7) v %= 1000;
      if (c == 8) v = -v - 1;
      if (c == 9) v >>= 3;
      if (c == 10) v = at(in, (v >> 4) & (others_elements - 1));
      if (c == 11) break;
      if (c > 11) v += 13;
    }
    return v;
  });
}

void tables(Ints& out, const Ints& in) {
  struct Entry {
    int weight, shift;
    bool negate;
    std::int64_t offset;
  };
  static constexpr std::array<Entry, 4> entries{
      {{3, 1, false, 10}, {-5, 0, true, -(1 << 20)}, {7, 2, true, 0}, {2, 3, false, 99}}};
  static constexpr std::string_view letters("tileloom\0", 9);
  static constexpr std::array values{std::array{1, 2}, std::array{-10, -20}, std::array{3, 4}};
  each(out, [&](int i) {
    const int x = at(in, i);
    const Entry& e = entries[static_cast<std::size_t>(x & 3)];
    std::int64_t v = (std::int64_t{x} * e.weight + e.offset) >> e.shift;
    if (e.negate) v = -v;
    v += letters[static_cast<std::size_t>(i % 9)];
    v += values[static_cast<std::size_t>(i % 3)][static_cast<std::size_t>(x & 1)];
    v += static_cast<std::int64_t>(x * 0.5 + (i % 2 == 0 ? 1.25 : -2.5));
    return static_cast<int>(v ^ (v >> 32));
  });
}

void indirect(Ints& out, const Ints& in) {
  const auto operation = [](int which, int a, int b) { return which == 0 ? a + b : which == 1 ? a - b : a * b; };
  each(out, [&](int i) { return operation((at(in, i) & 0xFFFF) % 3, at(in, i), i) + operation(i % 3, i, 3); });
}

void virtual_call(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    const int square = at(in, i) & 31;
    const int triangle = at(in, i) & 15;
    return i % 3 == 0 ? 10 * square * square + 4 : triangle * triangle / 2 * 10 + 3;
  });
}

void atomics(Ints& out, const Ints& in) {
  float halves = 0;
  for (const int v : in) {
    ++out[static_cast<std::size_t>(v & 15)];
    halves += 0.5F * static_cast<float>(v & 7);
    out[18] = static_cast<int>(static_cast<unsigned>(out[18]) | 1U << (v & 31));
  }
  out[16] = std::bit_cast<int>(halves);
  out[17] = *std::max_element(in.begin(), in.end());
  out[19] = 42;
  out[20] = 2 * others_elements;
}

void divergence(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    const auto bits = static_cast<unsigned>(at(in, i));
    int v = at(in, i) & 0xFFFF;
    int steps = 0;
    int odd = 0;
    for (; v != 1; odd += steps % 7 == 3 ? 0 : v & 1) {
      if (v == 0) return -1;
      v = v % 2 == 0 ? v / 2 : 3 * v + 1;
      if (++steps > 60) break;
    }
    return 4096 * steps + 64 * odd + std::popcount(bits) + std::countl_zero(bits & 0xFFFU);
  });
}

void arithmetic(Ints& out, const Ints& in) {
  each(out, [&](int i) {
    const int v = at(in, i);
    const auto byte = static_cast<std::int8_t>(v);
    const auto half = static_cast<std::uint16_t>(v * 3);
    const auto wide = static_cast<std::uint64_t>(v) * 0x9E3779B97F4A7C15ULL;
    const float real = static_cast<float>(v) / 3.0F;
    const double fine = static_cast<double>(v) / 7.0 - i;
    const float root = std::sqrt(static_cast<float>(v & 0xFFFF));
    auto sum = static_cast<unsigned>(byte * 17 + half / 5) + static_cast<unsigned>(wide >> 40);
    sum += static_cast<unsigned>(wide % 1000003ULL);
    sum += static_cast<unsigned>(static_cast<int>(std::fma(real, 8.0F, root)) + static_cast<int>(fine * 4.0));
    sum ^= (v > 0 && byte < 0) || half == 12 ? 1U << 20 : 0U;
    sum -= static_cast<unsigned>(std::int64_t{v} * v / (i + 1));
    return static_cast<int>(sum);
  });
}

void last_cta(Ints& out, const Ints& in) {
  each(out, [&](int i) { return 2 * at(in, i); });
  out[others_elements] = others_ctas;
  out[others_elements + 1] = std::accumulate(out.begin(), out.begin() + others_elements, 0);
}

constexpr std::array kernels{
    OthersKernel{"transpose", transpose},   OthersKernel{"reduce", reduce},
    OthersKernel{"stack", stack},           OthersKernel{"recursion", recursion},
    OthersKernel{"jump_table", jump_table}, OthersKernel{"tables", tables},
    OthersKernel{"indirect", indirect},     OthersKernel{"virtual_call", virtual_call},
    OthersKernel{"atomics", atomics},       OthersKernel{"divergence", divergence},
    OthersKernel{"arithmetic", arithmetic}, OthersKernel{"last_cta", last_cta},
};

}  // namespace

std::span<const OthersKernel> others_plain_kernels() {
  return kernels;
}

}  // namespace tileloom::test
