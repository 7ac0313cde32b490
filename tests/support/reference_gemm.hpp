// SPDX-License-Identifier: Apache-2.0
// What a kernel must compute, bit for bit: one accumulator an element, K ascending by 16, each step the tensor core's.
// Built on the instruction model alone: no PTX, no kernel, no driver.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "gemm/half.hpp"
#include "tileloom/emu/tensor_core.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::test {

inline void reference_gemm(const GemmProblem& p, hw::Arch arch, const std::uint16_t* a, const std::uint16_t* b,
                           std::uint16_t* d) {
  constexpr int rows = 16;
  constexpr int cols = 8;
  constexpr int depth = 16;
  const hw::MmaNumerics numerics = hw::mma_numerics_k16(arch);
  const bool f32 = p.accumulate == Accumulate::f32;
  const auto load = [&](const std::uint16_t* from, std::int64_t ld, std::int64_t row0, std::int64_t row_count,
                        std::int64_t k0, int tile_rows, std::vector<std::uint16_t>& tile) {
    for (int r = 0; r < tile_rows; ++r) {
      for (int i = 0; i < depth; ++i) {
        const bool inside = row0 + r < row_count && k0 + i < p.k;
        tile[static_cast<std::size_t>(r * depth + i)] = inside ? from[(row0 + r) * ld + k0 + i] : std::uint16_t{0};
      }
    }
  };
  std::vector<std::uint16_t> ta(rows * depth);
  std::vector<std::uint16_t> tb(cols * depth);
  for (std::int64_t row = 0; row < p.m; row += rows) {
    for (std::int64_t col = 0; col < p.n; col += cols) {
      std::vector<std::uint32_t> sums(rows * cols, 0);
      for (std::int64_t k = 0; k < p.k; k += depth) {
        load(a, p.lda, row, p.m, k, rows, ta);
        load(b, p.ldb, col, p.n, k, cols, tb);
        emu::mma_k16(numerics, emu::MmaInput::f16, f32 ? emu::MmaAccumulator::f32 : emu::MmaAccumulator::f16, rows,
                     cols, ta.data(), tb.data(), sums.data(), sums.data());
      }
      for (int r = 0; r < rows && row + r < p.m; ++r) {
        for (int c = 0; c < cols && col + c < p.n; ++c) {
          const std::uint32_t sum = sums[static_cast<std::size_t>(r * cols + c)];
          d[(row + r) * p.ldd + col + c] = f32 ? half_from(std::bit_cast<float>(sum)) : static_cast<std::uint16_t>(sum);
        }
      }
    }
  }
}

}  // namespace tileloom::test
