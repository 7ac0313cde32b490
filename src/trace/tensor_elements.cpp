// SPDX-License-Identifier: Apache-2.0
#include "trace/tensor_elements.hpp"

namespace tileloom::trace {

TensorElements::TensorElements(const Kernel& kernel, const NamedLayout& tensor, std::int64_t thread)
    : rows_(kernel.path(tensor.operand).rows),
      columns_(kernel.path(tensor.operand).columns),
      thread_(static_cast<int>(thread)) {
  const OperandPath& p = kernel.path(tensor.operand);
  if (tensor.operand == Operand::c && tensor.memory == Memory::shared) {
    rows_ = mode_size(*p.shared, 0);
    columns_ = mode_size(*p.shared, 1);
  }
  switch (tensor.division) {
    case Division::none:
      break;
    case Division::mma:
      table_.emplace(kernel.mma, tensor.operand, rows_, columns_);
      break;
    case Division::fill_source:
    case Division::fill_destination:
      table_.emplace(*p.fill, tensor.division == Division::fill_source ? End::source : End::destination, rows_,
                     columns_);
      break;
    case Division::drain_source:
    case Division::drain_destination:
      table_.emplace(*p.drain, tensor.division == Division::drain_source ? End::source : End::destination, rows_,
                     columns_);
      break;
  }
  if (table_) {
    thread_ = table_->index_of(thread_);
  }
}

std::array<std::int64_t, 3> TensorElements::at(std::int64_t coordinate) const {
  if (!table_) {
    return {coordinate % rows_, coordinate / rows_ % columns_, coordinate / rows_ / columns_};
  }
  const std::int64_t values = table_->values();
  const hw::MatrixPosition p = table_->at(thread_, static_cast<int>(coordinate % values));
  return {p.row, p.column, coordinate / values};
}

}  // namespace tileloom::trace
