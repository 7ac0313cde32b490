// SPDX-License-Identifier: Apache-2.0
// Layouts: functions from coordinates to offsets, written shape:stride, evaluated at run time.
//
// A layout is a shape tree and a stride tree of the same profile. Its offset at a coordinate is the inner product of
// coordinate and stride; an integer coordinate is split over the modes, the first one fastest. The 4x8 row-major
// matrix (_4,_8):(_8,_1), as a table of offsets:
//
//                column 0   1   2   3   4   5   6   7
//        row 0          0   1   2   3   4   5   6   7
//        row 1          8   9  10  11  12  13  14  15        L(1,2) = 1*8 + 2*1 = 10
//        row 2         16  17  18  19  20  21  22  23        L(6)   = L(2,1)    = 17    6 = 2 + 4*1
//        row 3         24  25  26  27  28  29  30  31
//
//   Layout row = parse_layout("(_4,_8):(_8,_1)");
//   row(6)                                          // 17
//   coalesce(parse_layout("(_2,_4):(_1,_2)"))       // _8:_1            same function, fewer modes
//   composition(row, parse_layout("_4:_8"))         // _4:_2            row o B: every 8th element in order
//   complement(parse_layout("_4:_2"), static 24)    // (_2,_3):(_1,_8)  where to repeat _4:_2 to fill 24
//   logical_divide(parse_layout("_12:_1"), parse_layout("_4:_1"))   // (_4,_3):(_1,_4)    tile, rest
//   logical_product(parse_layout("_4:_1"), parse_layout("_3:_1"))   // (_4,_3):(_1,_4)    block, copies
//   right_inverse(row)                              // (_8,_4):(_4,_1)  offset -> 1-D coordinate
//
// Each operation in algebra.hpp states its law: a formula that holds at every coordinate of its result. The law is
// the definition; a rule for strides is only a way to get there.
//
// Policy. One engine follows CuTe, underscores included. Semantics::cute returns exactly that, right or wrong.
// Semantics::correct, the default, checks the law of what the engine returned. If it does not hold, or if CuTe would
// refuse only because a number is not static, the answer is worked out from the values; if there is none,
// tileloom::Error names the first coordinate at which no layout can be right and the two values that contradict.
//
// Differences from CuTe C++: sizes and strides are values, so nothing has to be static to be decided; offsets are
// 64-bit and an overflow is an error; tuples have bounded depth and size. Difference from Triton's linear layouts:
// those are linear over bits, hence powers of two only, with swizzles inside; here a layout is linear over integers
// in each mode, any size goes, and a swizzle is a function of its own composed on the left (composed.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tileloom/layout/tree.hpp"

namespace tileloom::layout {

class Layout;

// Views of a layout's two trees; valid as long as the layout lives unchanged.
struct LayoutRef {
  TreeRef shape;
  TreeRef stride;

  LayoutRef(TreeRef s, TreeRef d) noexcept : shape(s), stride(d) {}
  LayoutRef(const Layout& l) noexcept;  // NOLINT: a layout is usable wherever a view is
  [[nodiscard]] std::size_t rank() const noexcept { return shape.rank(); }
  [[nodiscard]] LayoutRef operator[](std::size_t i) const { return {shape[i], stride[i]}; }
};

class Layout {
 public:
  // _1:_0
  Layout() : shape_(static_1), stride_(static_0) {}
  // Throws if the profiles differ or a wildcard occurs. Sizes may be anything here, as in CuTe; text and tools check
  // them with check_sizes.
  Layout(Tree shape, Tree stride);
  // Compact, first mode fastest.
  explicit Layout(const Tree& shape);
  explicit Layout(LayoutRef view) : shape_(view.shape), stride_(view.stride) {}
  // Shape and stride of equal profile, known by construction.
  [[nodiscard]] static Layout from_parts(Tree shape, Tree stride) {
    return {std::move(shape), std::move(stride), Trusted{}};
  }

  [[nodiscard]] const Tree& shape() const noexcept { return shape_; }
  [[nodiscard]] const Tree& stride() const noexcept { return stride_; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape_.rank(); }
  // Mode i as a layout.
  [[nodiscard]] Layout operator[](std::size_t i) const { return Layout(LayoutRef(*this)[i]); }
  // Offset of the 1-D coordinate `index`; beyond size() the last mode goes on. Precondition: integer strides.
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const;

  // Same text.
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  struct Trusted {};
  Layout(Tree&& shape, Tree&& stride, Trusted) noexcept : shape_(std::move(shape)), stride_(std::move(stride)) {}

  Tree shape_;
  Tree stride_;
};

inline LayoutRef::LayoutRef(const Layout& l) noexcept : shape(l.shape()), stride(l.stride()) {}

[[nodiscard]] std::string to_string(LayoutRef layout);
[[nodiscard]] inline std::string to_string(const Layout& layout) {
  return to_string(LayoutRef(layout));
}

// Throws unless every size is at least 1.
void check_sizes(TreeRef shape);

// Which answer: the right one, or CuTe's.
enum class Semantics { correct, cute };

// One intermediate result of an operation: the expression it stands for, and its text.
struct Step {
  std::string what;
  std::string result;
};

// What happened on the way to a result.
struct Log {
  std::vector<Step> steps;         // filled if want_steps
  std::vector<std::string> notes;  // one sentence for each place where the correct answer is not CuTe's
  bool want_steps = false;
};

// How to evaluate. Converts from a Semantics.
struct Policy {
  Semantics semantics = Semantics::correct;
  Log* log = nullptr;

  Policy() = default;
  Policy(Semantics s, Log* l = nullptr) : semantics(s), log(l) {}  // NOLINT
};

}  // namespace tileloom::layout
