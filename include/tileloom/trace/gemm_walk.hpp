// SPDX-License-Identifier: Apache-2.0
// The MMAs of one warp in a k-block, in the order in which cute::gemm issues them.
//
//   const GemmWalk walk = gemm_walk(kernel);
//   walk.number_at(1, 0)     // 1: the second MMA is that of D's sub-block (m = 1, n = 0)
#pragma once

#include <cstdint>
#include <vector>

#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace {

// cute/algorithm/gemm.hpp, dispatch (V,M) x (V,N) => (V,M,N), chooses by the bytes of one MMA's A and B of a thread.
// All are serpentines: every second line runs backwards, so that one operand stays from one line to the next.
enum class WalkOrder {
  rows,       // A of 8 bytes, B of 8 or 4: along n, then the next m
  row_pairs,  // A and B of 4 bytes: along n with m and m + 1 at each, then the next two m
  columns     // all others: down m, then the next n
};

struct GemmStep {
  int m = 0;
  int n = 0;
  bool operator==(const GemmStep&) const = default;
};

struct GemmWalk {
  WalkOrder order = WalkOrder::columns;
  int rows = 0;     // MMA_M: as often is a fragment of B, tCrB(_,n,k), used
  int columns = 0;  // MMA_N: as often is a fragment of A, tCrA(_,m,k), used
  int a_bytes = 0;  // of one MMA's A of a thread, as CuTe counts: at least a byte a value
  int b_bytes = 0;
  std::vector<GemmStep> steps;  // each sub-block once
  int a_changes = 0;            // steps whose A is another than that of the step before
  int b_changes = 0;
  std::int64_t block_m = 0;  // of D, which all warps' MMAs of one step make together
  std::int64_t block_n = 0;

  // Place of a sub-block in the order, from 0. Precondition: m < rows, n < columns.
  [[nodiscard]] int number_at(int m, int n) const;
};

[[nodiscard]] GemmWalk gemm_walk(const Kernel& kernel);
// The order alone, of operands of so many bytes.
[[nodiscard]] GemmWalk gemm_walk(int rows, int columns, int a_bytes, int b_bytes);

}  // namespace tileloom::trace
