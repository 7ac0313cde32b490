// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/thread_elements.hpp"

#include "tileloom/error.hpp"
#include "trace/route_index.hpp"

namespace tileloom::trace {

ThreadElements thread_elements(const Kernel& kernel, Operand operand, std::int64_t thread) {
  const OperandPath& path = kernel.path(operand);
  const TileTable table(kernel.mma, operand, path.rows, path.columns);
  const int index = thread < 0 || thread > INT32_MAX ? table.threads() : table.index_of(static_cast<int>(thread));
  if (index == table.threads()) {
    throw Error(ErrorKind::bad_input, "thread " + std::to_string(thread) + ": the tiled MMA has no such thread",
                "it has " + std::to_string(table.threads()) + " threads");
  }
  const hw::MmaOperand& o = operand == Operand::c ? kernel.mma.atom().d : kernel.mma.operand(operand);
  const FragmentIndex fragment(path.fragment, o);
  ThreadElements all;
  all.operand = operand;
  all.thread = thread;
  all.per_register = o.per_register();
  for (int v = 0; v < fragment.values; v += o.per_register()) {
    all.registers.push_back(fragment.bits.at(static_cast<std::size_t>(v)).name);
  }
  for (int first = 0; first < table.values(); first += fragment.values) {
    MmaElements block;
    const std::array<int, 3> at = fragment.coordinate(first);
    block.repeat = {at[1], at[2]};
    for (int v = first; v < first + fragment.values; ++v) {
      block.slots.push_back(fragment.slots.at(static_cast<std::size_t>(v)));
      block.elements.push_back(table.at(index, v));
    }
    all.blocks.push_back(std::move(block));
  }
  return all;
}

}  // namespace tileloom::trace
