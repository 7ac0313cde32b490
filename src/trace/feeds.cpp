// SPDX-License-Identifier: Apache-2.0
// The results that an element of A or B is a factor of.
#include <vector>

#include "trace/route_index.hpp"

namespace tileloom::trace {

using hw::Holding;
using hw::MatrixPosition;

namespace {

// A set of small numbers, in order.
class NumberSet {
 public:
  explicit NumberSet(int size) : in_(static_cast<std::size_t>(size)) {}
  void insert(int i) { in_[static_cast<std::size_t>(i)] = 1; }
  [[nodiscard]] std::vector<int> numbers() const {
    std::vector<int> all;
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (in_[i] != 0) {
        all.push_back(static_cast<int>(i));
      }
    }
    return all;
  }

 private:
  std::vector<char> in_;
};

}  // namespace

Feeds RouteTracer::feeds(Operand operand, MatrixPosition p) const {
  const OperandPath& d = kernel_->path(Operand::c);
  const TileTable& table = registers(Operand::c);
  const bool row = operand == Operand::a;
  Feeds f;
  f.first = row ? MatrixPosition{p.row, 0} : MatrixPosition{0, p.row};
  f.last = row ? MatrixPosition{p.row, static_cast<int>(d.columns) - 1}
               : MatrixPosition{static_cast<int>(d.rows) - 1, p.row};
  const hw::MmaOperand& sums = kernel_->mma.atom().d;
  const int values = index_->fragments.at(2).values;
  const int per = sums.per_register();
  NumberSet warps(static_cast<int>(kernel_->mma.lanes().value) / warp_size + 1);
  NumberSet lanes(warp_size);
  NumberSet numbers(values);
  for (int row_of_d = f.first.row; row_of_d <= f.last.row; ++row_of_d) {
    for (int column = f.first.column; column <= f.last.column; ++column) {
      for (const Holding h : table.holders({row_of_d, column})) {
        const int thread = table.thread_id(h.thread);
        warps.insert(thread / warp_size);
        lanes.insert(thread % warp_size);
        numbers.insert(h.value % values / per);
      }
    }
  }
  f.warps = warps.numbers();
  f.lanes = lanes.numbers();
  for (const int r : numbers.numbers()) {
    f.registers.push_back(hw::register_bits(sums, r * per).name);
  }
  return f;
}

}  // namespace tileloom::trace
