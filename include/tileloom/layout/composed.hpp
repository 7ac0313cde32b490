// SPDX-License-Identifier: Apache-2.0
// Swizzles and what can be composed with them: swizzled layouts, tilers, pointers and tensors as CuTe prints them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tileloom/layout/layout.hpp"

namespace tileloom::layout {

// Sw<B,M,S>: XOR `bits` bits of an offset, taken `shift` above (or below, if negative), into the bits from `base` up.
//
//   offset  ....yyy....zzz....   B = bits, the width of yyy and zzz
//                      |  '--'   M = base, bits below zzz that stay
//                yyy'--'         S = shift, distance from zzz to yyy; negative: yyy is below zzz
//   result  ....yyy....ZZZ....   ZZZ = zzz xor yyy
//
// A swizzle is its own inverse. Throws on construction unless B >= 0, M >= 0, |S| >= B and all bits fit in 31.
class Swizzle {
 public:
  Swizzle(int bits, int base, int shift);

  [[nodiscard]] int bits() const noexcept { return bits_; }
  [[nodiscard]] int base() const noexcept { return base_; }
  [[nodiscard]] int shift() const noexcept { return shift_; }
  // Masks of the source bits yyy and of the changed bits zzz.
  [[nodiscard]] std::int64_t yyy() const noexcept;
  [[nodiscard]] std::int64_t zzz() const noexcept;
  [[nodiscard]] std::int64_t operator()(std::int64_t offset) const noexcept;
  friend bool operator==(const Swizzle&, const Swizzle&) = default;

 private:
  int bits_;
  int base_;
  int shift_;
};

// An offset inside a composed layout. CuTe tracks which of its bits are known statically ("mixed bits"):
// `mixed` is the mask of the dynamic ones, 0 for a plain integer.
struct Offset {
  Int value = static_0;
  std::uint32_t mixed = 0;
  friend bool operator==(const Offset&, const Offset&) = default;
};

// Swizzle o offset o layout: the map c -> swizzle(offset + layout(c)).
class ComposedLayout {
 public:
  ComposedLayout(Swizzle swizzle, Offset offset, Layout layout)
      : swizzle_(swizzle), offset_(offset), layout_(std::move(layout)) {}

  [[nodiscard]] const Swizzle& swizzle() const noexcept { return swizzle_; }
  [[nodiscard]] const Offset& offset() const noexcept { return offset_; }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::int64_t operator()(std::int64_t index) const;
  friend bool operator==(const ComposedLayout&, const ComposedLayout&) = default;

 private:
  Swizzle swizzle_;
  Offset offset_;
  Layout layout_;
};

using AnyLayout = std::variant<Layout, ComposedLayout>;

// What a divide or a composition tiles by: `_` (keep the mode), a size, a layout, or a tuple of tilers, one a mode.
class Tiler {
 public:
  Tiler(Int leaf) : leaf_(leaf) {}                                           // NOLINT: a size or `_`
  Tiler(Layout layout) : kind_(Kind::layout), layout_(std::move(layout)) {}  // NOLINT
  explicit Tiler(std::vector<Tiler> modes) : kind_(Kind::modes), modes_(std::move(modes)) {}
  // A shape as a tiler: tuples tile by mode.
  [[nodiscard]] static Tiler from_tree(TreeRef shape);

  [[nodiscard]] bool is_modes() const noexcept { return kind_ == Kind::modes; }
  [[nodiscard]] bool is_layout() const noexcept { return kind_ == Kind::layout; }
  [[nodiscard]] bool keeps_mode() const noexcept { return kind_ == Kind::leaf && leaf_.is_any(); }
  [[nodiscard]] const std::vector<Tiler>& modes() const noexcept { return modes_; }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const Int& leaf() const noexcept { return leaf_; }

 private:
  enum class Kind { leaf, layout, modes };
  Kind kind_ = Kind::leaf;
  Int leaf_ = static_1;
  Layout layout_;
  std::vector<Tiler> modes_;
};

// A pointer as CuTe prints it, for example smem_ptr[16b](0x7f0000000000). `address` is the text in parentheses.
struct Pointer {
  std::string space;  // gmem_ptr, smem_ptr, rmem_ptr or ptr
  int bits = 0;       // of one element
  std::string address;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

// A tensor as CuTe prints it: an engine and a layout.
struct Tensor {
  // A pointer, a pointer behind a swizzle (Sw<2,3,3>_smem_ptr[16b](..)), or the start of a coordinate tensor
  // (ArithTuple(0,0)).
  struct SwizzledPointer {
    Swizzle swizzle;
    Pointer pointer;
    bool with_o = false;  // `Sw<..> o ptr`, the other printed form
    friend bool operator==(const SwizzledPointer&, const SwizzledPointer&) = default;
  };
  std::variant<Pointer, SwizzledPointer, Tree> engine;
  AnyLayout layout;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

[[nodiscard]] std::string to_string(const Swizzle& swizzle);
[[nodiscard]] std::string to_string(const Offset& offset);
[[nodiscard]] std::string to_string(const ComposedLayout& layout);
[[nodiscard]] std::string to_string(const AnyLayout& layout);
[[nodiscard]] std::string to_string(const Tiler& tiler);
[[nodiscard]] std::string to_string(const Pointer& pointer);
[[nodiscard]] std::string to_string(const Tensor& tensor);

}  // namespace tileloom::layout
