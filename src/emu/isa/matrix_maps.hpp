// SPDX-License-Identifier: Apache-2.0
// Where the registers of mma.sync, ldmatrix and stmatrix stand; made once from the instruction table.
#pragma once

#include <array>
#include <cstdint>

#include "emu/machine/op.hpp"
#include "tileloom/hw/lane_maps.hpp"

namespace tileloom::emu {

// Of m16n8k16: where each register of each lane stands in the dense matrices. A 32-bit register of A or B holds two
// neighbours along K, so A and B are indexed by pairs. C is laid out alike for f16 and f32.
struct MmaIndex {
  static constexpr int m = 16, n = 8, k = 16;
  std::array<std::array<std::uint8_t, lanes>, 4> a;
  std::array<std::array<std::uint8_t, lanes>, 2> b;
  std::array<std::array<std::uint8_t, lanes>, 4> c;

  MmaIndex();
};
[[nodiscard]] const MmaIndex& mma_index();

// Of one ldmatrix or stmatrix: where the two halves of each lane's registers stand, by the lane whose address gives the
// row, and the byte within it.
struct HalfPlace {
  std::uint8_t giver, byte;
};
struct MatrixMove {
  std::uint32_t givers = 0;  // lanes whose addresses are read
  std::array<std::array<std::array<HalfPlace, 2>, lanes>, 4> places{};

  explicit MatrixMove(const hw::CopyAtom& atom);
};
enum class MatrixDirection : std::uint8_t { load, store };
[[nodiscard]] const MatrixMove& matrix_move(MatrixDirection direction, unsigned matrices, bool transposed);
// Lanes whose addresses this ldmatrix or stmatrix reads.
[[nodiscard]] std::uint32_t row_givers(const Op& op);

}  // namespace tileloom::emu
