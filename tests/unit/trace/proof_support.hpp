// SPDX-License-Identifier: Apache-2.0
// What the committed configurations are in plain numbers.
#pragma once

#include <algorithm>

#include "tileloom/hw/lane_maps.hpp"
#include "tileloom/trace/route.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {

using hw::MatrixPosition;

// What the configurations have in common: warps side by side along M, then N; K-major rows of a tile in shared memory,
// one after the other, swizzled with Sw<3,3,3>; row-major matrices; copies of 8 values.
struct Numbers {
  explicit Numbers(const Kernel& k) : kernel(k), atom(k.mma.atom()) {
    const AnyLayout threads = k.mma.thr_layout_vmnk();
    warps = {static_cast<int>(mode_size(threads, 1)), static_cast<int>(mode_size(threads, 2))};
    const bool shipped = k.config.name.find("_s3_") == std::string::npos;
    const std::int64_t a = k.path(Operand::a).elements();
    const std::int64_t b = k.path(Operand::b).elements();
    stage_elements = {shipped ? a + b : a, shipped ? a + b : b};
    swizzled = k.path(Operand::c).shared || k.path(Operand::a).fill;
  }

  [[nodiscard]] std::int64_t swizzle(std::int64_t offset) const {
    return swizzled ? offset ^ ((offset >> 6 & 7) << 3) : offset;
  }
  // The leading dimension of an operand's matrix.
  [[nodiscard]] std::int64_t leading(Operand o) const {
    const std::string own = o == Operand::a ? "lda" : o == Operand::b ? "ldb" : "ldd";
    const auto found = kernel.sizes.find(own);
    return found != kernel.sizes.end() ? found->second : kernel.sizes.at(o == Operand::c ? "N" : "K");
  }

  const Kernel& kernel;
  const hw::MmaAtom& atom;
  std::array<int, 2> warps;
  std::array<std::int64_t, 2> stage_elements;
  bool swizzled;
};

// Visits of (thread, slot).
class Slots {
 public:
  Slots(const Kernel& kernel, Operand o)
      : slots_(static_cast<std::size_t>(size(kernel.path(o).fragment).value)),
        visits_(static_cast<std::size_t>(kernel.threads()) * slots_) {}
  void visit(const RegisterPlace& p) {
    ++visits_.at(static_cast<std::size_t>(p.thread) * slots_ + static_cast<std::size_t>(p.slot));
  }
  [[nodiscard]] bool each_once() const {
    return std::ranges::all_of(visits_, [](int n) { return n == 1; });
  }

 private:
  std::size_t slots_;
  std::vector<int> visits_;
};

inline std::string name_of(const Kernel& kernel, Operand o, MatrixPosition p) {
  return kernel.config.name + " " + letter(o) + "(" + std::to_string(p.row) + "," + std::to_string(p.column) + ")";
}

// The CTA and the k-tile that are looked at: of every second kernel others than the first.
struct Where {
  CtaIndex cta;
  std::int64_t k_tile = 0;
};
inline Where place_to_look(const Kernel& kernel, std::size_t number) {
  const bool other = kernel.path(Operand::a).global && number % 2 == 0;
  return other ? Where{{2, 3}, 2 * kernel.config.stages - 1} : Where{};
}

}  // namespace tileloom::trace::test
