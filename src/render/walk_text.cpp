// SPDX-License-Identifier: Apache-2.0
// The order of the MMAs of a k-block.
#include "render/atom_table.hpp"
#include "render/trace_text.hpp"

namespace tileloom::render {

using std::to_string;
using trace::GemmWalk;
using trace::WalkOrder;

namespace {

const char* order_text(WalkOrder order) {
  switch (order) {
    case WalkOrder::rows:
      return "Along n, then the next m, every second row backwards";
    case WalkOrder::row_pairs:
      return "Along n with two m at each, then the next two m, every second pair backwards";
    case WalkOrder::columns:
      break;
  }
  return "Down m, then the next n, every second column upwards";
}

}  // namespace

void walk_text(std::ostream& out, const GemmWalk& w) {
  out << "One cute::gemm, MMA by MMA of a warp: tCrC(_,m,n) += tCrA(_,m,k) * tCrB(_,n,k), numbered\n";
  TextTable table{{"  m \\ n"}, {}};
  for (int n = 0; n < w.columns; ++n) {
    table.head.push_back(to_string(n));
  }
  for (int m = 0; m < w.rows; ++m) {
    std::vector<std::string>& row = table.rows.emplace_back(1, "      " + to_string(m));
    for (int n = 0; n < w.columns; ++n) {
      row.push_back(to_string(w.number_at(m, n) + 1));
    }
  }
  print_table(out, table, TableFormat::text);
  const std::size_t pairs = w.steps.size() - 1;
  out << order_text(w.order) << ": CuTe's order for " << w.a_bytes << " bytes of A and " << w.b_bytes
      << " of B.\nA row shares tCrA(_,m,k), used " << w.columns << " times; a column shares tCrB(_,n,k), used "
      << w.rows << " times.\nFrom one MMA to the next A stays " << pairs - static_cast<std::size_t>(w.a_changes)
      << " times, B " << pairs - static_cast<std::size_t>(w.b_changes) << " times. All warps' MMAs of one number make "
      << w.block_m << " x " << w.block_n << " of D.\n";
}

}  // namespace tileloom::render
