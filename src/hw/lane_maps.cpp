// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/lane_maps.hpp"

namespace tileloom::hw {

MatrixPosition mma_m16n8k16_a(int lane, int value) {
  return {lane / 4 + 8 * (value / 2 % 2), 2 * (lane % 4) + value % 2 + 8 * (value / 4)};
}

MatrixPosition mma_m16n8k16_b(int lane, int value) {
  return {2 * (lane % 4) + value % 2 + 8 * (value / 2), lane / 4};
}

MatrixPosition mma_m16n8k16_c(int lane, int value) {
  return {lane / 4 + 8 * (value / 2), 2 * (lane % 4) + value % 2};
}

MatrixPosition ldmatrix_8x8(int lane, int value, bool transposed) {
  const int along = 2 * (lane % 4) + value;
  const int across = lane / 4;
  return transposed ? MatrixPosition{along, across} : MatrixPosition{across, along};
}

}  // namespace tileloom::hw
