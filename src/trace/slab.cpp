// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/slab.hpp"

namespace tileloom::trace {

SlabPlace slab_of(const Kernel& kernel, hw::MatrixPosition p) {
  const OperandPath& c = kernel.path(Operand::c);
  const auto rows = static_cast<int>(mode_size(*c.shared, 0));
  const auto columns = static_cast<int>(mode_size(*c.shared, 1));
  const std::int64_t pipes = mode_size(*c.shared, 2);
  const std::int64_t parts_m = c.rows / rows;
  const std::int64_t parts_n = c.columns / columns;
  const int m = p.row / rows;
  const int n = p.column / columns;
  SlabPlace s;
  s.part = kernel.config.epilogue_along == "M" ? m + parts_m * n : n + parts_n * m;
  s.round = s.part / pipes;
  s.pipe = s.part % pipes;
  s.rounds = (parts_m * parts_n + pipes - 1) / pipes;
  s.origin = {m * rows, n * columns};
  s.last = {s.origin.row + rows - 1, s.origin.column + columns - 1};
  s.in_part = {p.row - s.origin.row, p.column - s.origin.column};
  return s;
}

}  // namespace tileloom::trace
