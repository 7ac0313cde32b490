// SPDX-License-Identifier: Apache-2.0
// Who holds which element of a warp-wide matrix instruction: closed formulas, each with its source.
#pragma once

namespace tileloom::hw {

// Row and column of an element: (m, k) in A, (k, n) in B, (m, n) in C and D.
struct MatrixPosition {
  int row = 0;
  int column = 0;
  bool operator==(const MatrixPosition&) const = default;
};

// mma.sync.aligned.m16n8k16, 16-bit A and B. PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
// `value` counts a lane's elements: two per 32-bit register for 16-bit types, the lower half first.
// Preconditions: 0 <= lane < 32; value < 8 for A, < 4 for B and C.
[[nodiscard]] MatrixPosition mma_m16n8k16_a(int lane, int value);
[[nodiscard]] MatrixPosition mma_m16n8k16_b(int lane, int value);
[[nodiscard]] MatrixPosition mma_m16n8k16_c(int lane, int value);  // f16 and f32 alike

// ldmatrix and stmatrix, one 8x8 matrix of 16-bit elements: the element in half `value` (0, 1) of the lane's register.
// PTX ISA, "Warp-level matrix load instruction: ldmatrix". The row addresses of matrix i are those of lanes 8i...8i+7.
[[nodiscard]] MatrixPosition ldmatrix_8x8(int lane, int value, bool transposed);

}  // namespace tileloom::hw
