// SPDX-License-Identifier: Apache-2.0
// The laws, checked on values, and what to do where CuTe's rules break them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/engine.hpp"

namespace tileloom::layout {

// Most coordinates that a check by enumeration visits; above, only what algebra can settle is accepted.
inline constexpr std::int64_t enumeration_limit = std::int64_t{1} << 22;

// Offsets of a layout with integer strides, fast.
class FlatMap {
 public:
  explicit FlatMap(const Modes& modes) : modes_(modes) { check(); }
  explicit FlatMap(LayoutRef l) : FlatMap(flat_modes(l)) {}
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i + 1 < modes_.size(); ++i) {
      const std::int64_t size = modes_[i].shape.value;
      offset = checked_add(offset, checked_mul(remainder(index, size), modes_[i].stride.value));
      index = quotient(index, size);
    }
    return modes_.empty() ? 0 : checked_add(offset, checked_mul(index, modes_.back().stride.value));
  }
  [[nodiscard]] const Modes& modes() const noexcept { return modes_; }

 private:
  // CuTe's answers may have sizes below 1; those have no offsets to speak of.
  void check() const {
    for (const Mode& m : modes_) {
      check_sizes(Tree(m.shape));
    }
  }

  Modes modes_;
};

// size(a), or an Error if there are too many elements to check.
[[nodiscard]] std::int64_t checked_size(const char* what, LayoutRef a);

// Does R(c) = A(B(c)) hold on all of B, with R's shape refining B's? Integer or basis strides.
[[nodiscard]] bool composition_holds(LayoutRef a, LayoutRef b, LayoutRef r);
// The layout equal to A o B, or an Error that names the first coordinate where there is none. `cute_says` completes
// the hint. Integer strides.
[[nodiscard]] Layout solve_composition(LayoutRef a, LayoutRef b, const std::string& cute_says);

[[nodiscard]] bool complement_holds(LayoutRef a, LayoutRef r, std::int64_t cotarget);
// Refused where the offsets repeat, broadcast modes aside.
[[nodiscard]] std::optional<Layout> solve_complement(LayoutRef a, TreeRef cotarget, Refusal* why);

struct Point {
  std::int64_t x;
  std::int64_t y;
};
// A layout R with R(x) = y at each of the points, whose x increase strictly from 0 (where y is 0). `gave_up` says that
// there were too many candidates to try them all, so that none may not mean that there is none.
struct Interpolation {
  std::optional<Modes> modes;
  bool gave_up;
};
[[nodiscard]] Interpolation interpolate(const std::vector<Point>& points);

// A(R(A(i))) = A(i).
[[nodiscard]] bool left_inverse_holds(LayoutRef a, LayoutRef r);
// A layout that leads from each offset back to its first coordinate.
[[nodiscard]] std::optional<Layout> solve_left_inverse(LayoutRef a, Refusal* why);

// floor(A(c) / factor) = R(c').
[[nodiscard]] bool upcast_holds(LayoutRef a, LayoutRef r, std::int64_t factor);

// The layout that does, sizes and strides decided by value.
[[nodiscard]] std::optional<Layout> solve_upcast(LayoutRef a, std::int64_t factor, Refusal* why);

// If the offsets are pairwise distinct: none; otherwise two 1-D coordinates with the same offset.
struct Collision {
  std::int64_t first;
  std::int64_t second;
};
[[nodiscard]] std::optional<Collision> find_collision(LayoutRef a);

// The coordinate of 1-D index `i` in `shape`, as text without underscores.
[[nodiscard]] std::string coordinate_text(TreeRef shape, std::int64_t i);

}  // namespace tileloom::layout
