// SPDX-License-Identifier: Apache-2.0
// The operands of one problem in device memory, as often as it takes that a launch finds none of its own in the L2.
#pragma once

#include <memory>
#include <vector>

#include "bench/gpu_work.hpp"
#include "bench/spot_check.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::bench {

// How many sets must rotate so that more than twice the L2 is touched between two uses of one; at most 8192, so that a
// graph of all of them can be made: products of less than twice the L2 / 8192 bytes find some of their operands there.
[[nodiscard]] int rotated_sets(const GemmProblem& problem, std::int64_t l2_bytes);

class OperandSets {
 public:
  // A and B are copied from `a` and `b`, which set 0 uses in place. The problem is dense. Throws Error(cannot_run)
  // where the GPU has not the memory.
  OperandSets(const GemmProblem& problem, int count, const cuda::Buffer& a, const cuda::Buffer& b,
              const Stream& stream);

  [[nodiscard]] int count() const { return static_cast<int>(sets_.size()); }
  // Launch number `launch` uses the sets in turn.
  [[nodiscard]] const GemmOperands& of_launch(int launch) const;

  // Fills every D with the poison.
  void poison_all(const Stream& stream) const;
  // D of one set, complete on return.
  [[nodiscard]] std::vector<std::uint16_t> product(int set, const Stream& stream) const;

 private:
  std::int64_t d_elements_;
  std::unique_ptr<cuda::Buffer> memory_;
  std::vector<GemmOperands> sets_;
};

}  // namespace tileloom::bench
