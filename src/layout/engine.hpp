// SPDX-License-Identifier: Apache-2.0
// CuTe's algorithms on run-time trees. With values_known, what CuTe can decide only for static integers is decided
// from the values; the kinds of the results still follow the arithmetic.
#pragma once

#include <optional>

#include "layout/refusal.hpp"
#include "tileloom/layout/layout.hpp"

namespace tileloom::layout {

struct Mode {
  Int shape;
  Int stride;
};
using Modes = SmallVector<Mode, 16>;

// Writes shape and stride together.
class LayoutBuilder {
 public:
  void open() {
    shape_.open();
    stride_.open();
  }
  void close() noexcept {
    shape_.close();
    stride_.close();
  }
  void mode(const Int& shape, const Int& stride) {
    shape_.leaf(shape);
    stride_.leaf(stride);
  }
  void append(LayoutRef l) {
    shape_.append(l.shape);
    stride_.append(l.stride);
  }
  [[nodiscard]] Layout take() { return Layout::from_parts(shape_.take(), stride_.take()); }

 private:
  TreeBuilder shape_;
  TreeBuilder stride_;
};

// Calls f(shape leaf, stride leaf) in order.
template <class F>
void for_each_mode(LayoutRef l, F&& f) {
  const Int* d = l.stride.nodes();
  for (const Int* s = l.shape.nodes(); s != l.shape.nodes() + l.shape.node_count(); ++s, ++d) {
    if (!s->is_tuple()) {
      f(*s, *d);
    }
  }
}

[[nodiscard]] Modes flat_modes(LayoutRef l);
// One mode becomes a leaf, several a flat tuple.
[[nodiscard]] Layout to_layout(const Modes& modes);
// (a, b)
[[nodiscard]] Layout pair(LayoutRef a, LayoutRef b);

class Engine {
 public:
  constexpr explicit Engine(bool values_known) : known_(values_known) {}

  // Merges neighbours where the stride shows that they are one. `extended` keeps the function beyond the size, too.
  [[nodiscard]] Modes coalesced(const Modes& flat, bool extended = false) const;
  [[nodiscard]] Modes coalesced(LayoutRef l, bool extended = false) const { return coalesced(flat_modes(l), extended); }
  [[nodiscard]] Layout coalesce(LayoutRef l) const { return to_layout(coalesced(l)); }
  [[nodiscard]] Layout coalesce(LayoutRef l, TreeRef profile, bool extended = false) const;
  [[nodiscard]] Layout filter_zeros(LayoutRef l) const;
  [[nodiscard]] Layout composition(LayoutRef a, LayoutRef b) const;
  [[nodiscard]] std::optional<Layout> complement(LayoutRef l, TreeRef cotarget, Refusal* why) const;
  [[nodiscard]] Layout right_inverse(LayoutRef l) const;
  [[nodiscard]] std::optional<Layout> left_inverse(LayoutRef l, Refusal* why) const;
  [[nodiscard]] Layout nullspace(LayoutRef l) const;
  [[nodiscard]] std::optional<Layout> upcast(LayoutRef l, std::int64_t factor, Refusal* why) const;
  [[nodiscard]] std::optional<Layout> downcast(LayoutRef l, std::int64_t factor, Refusal* why) const;

  [[nodiscard]] bool is(const Int& x, std::int64_t value) const noexcept {
    return x.value == value && (x.is_static() || (known_ && x.is_dynamic())) && !x.has_basis();
  }
  [[nodiscard]] bool decided(const Int& x) const noexcept { return x.is_static() || known_; }

 private:
  void compose_into(LayoutRef lhs, const Modes* flat_lhs, TreeRef shape, TreeRef stride, LayoutBuilder& out) const;
  void compose_leaf(const Modes& lhs, const Int& shape, const Int& stride, LayoutBuilder& out) const;
  [[nodiscard]] Tree coalesced_shape(TreeRef shape) const;
  void upcast_into(LayoutRef l, const Int& factor, LayoutBuilder& out) const;
  void downcast_into(LayoutRef l, const Int& factor, LayoutBuilder& out) const;

  bool known_;
};

}  // namespace tileloom::layout
