// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/gemm_walk.hpp"

#include <algorithm>

namespace tileloom::trace {

using layout::AnyLayout;

namespace {

WalkOrder order_of(int a_bytes, int b_bytes) {
  if (a_bytes == 8 && (b_bytes == 8 || b_bytes == 4)) {
    return WalkOrder::rows;
  }
  return a_bytes == 4 && b_bytes == 4 ? WalkOrder::row_pairs : WalkOrder::columns;
}

// `lines` lines of `length`; f(line, place), every second line backwards.
template <class F>
void serpentine(int lines, int length, const F& f) {
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < length; ++i) {
      f(line, line % 2 == 0 ? i : length - 1 - i);
    }
  }
}

int operand_bytes(const hw::MmaOperand& o) {
  return o.values * std::max(8, hw::bits(o.type)) / 8;
}

}  // namespace

int GemmWalk::number_at(int m, int n) const {
  return static_cast<int>(std::ranges::find(steps, GemmStep{m, n}) - steps.begin());
}

GemmWalk gemm_walk(int rows, int columns, int a_bytes, int b_bytes) {
  GemmWalk w;
  w.order = order_of(a_bytes, b_bytes);
  w.rows = rows;
  w.columns = columns;
  w.a_bytes = a_bytes;
  w.b_bytes = b_bytes;
  switch (w.order) {
    case WalkOrder::rows:
      serpentine(rows, columns, [&](int m, int n) { w.steps.push_back({m, n}); });
      break;
    case WalkOrder::row_pairs:
      serpentine((rows + 1) / 2, columns, [&](int pair, int n) {
        for (int m = 2 * pair; m < std::min(rows, 2 * pair + 2); ++m) {
          w.steps.push_back({m, n});
        }
      });
      break;
    case WalkOrder::columns:
      serpentine(columns, rows, [&](int n, int m) { w.steps.push_back({m, n}); });
      break;
  }
  for (std::size_t i = 1; i < w.steps.size(); ++i) {
    w.a_changes += w.steps[i].m != w.steps[i - 1].m ? 1 : 0;
    w.b_changes += w.steps[i].n != w.steps[i - 1].n ? 1 : 0;
  }
  return w;
}

GemmWalk gemm_walk(const Kernel& kernel) {
  const hw::MmaAtom& atom = kernel.mma.atom();
  const AnyLayout sums = kernel.path(Operand::c).fragment;
  GemmWalk w = gemm_walk(static_cast<int>(mode_size(sums, 1)), static_cast<int>(mode_size(sums, 2)),
                         operand_bytes(atom.a), operand_bytes(atom.b));
  const AnyLayout threads = kernel.mma.thr_layout_vmnk();
  w.block_m = mode_size(threads, 1) * atom.m;
  w.block_n = mode_size(threads, 2) * atom.n;
  return w;
}

}  // namespace tileloom::trace
