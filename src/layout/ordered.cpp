// SPDX-License-Identifier: Apache-2.0
// Compact layouts whose modes are walked in a given order.
#include <algorithm>

#include "layout/engine.hpp"
#include "layout/fail.hpp"
#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

using Ranks = SmallVector<std::int64_t, inline_nodes>;

// The rank of each leaf of `order`: static ones as they are, dynamic ones after them, left to right.
Ranks ranks_of(TreeRef order) {
  std::int64_t largest = 0;
  std::int64_t index = 0;
  for (const Int* p = order.nodes(); p != order.nodes() + order.node_count(); ++p) {
    if (!p->is_tuple()) {
      if (p->has_basis() || p->is_any()) {
        fail("the order " + to_string(order) + " has leaves that are not integers");
      }
      largest = p->is_static() ? std::max(largest, p->value) : largest;
    }
  }
  Ranks ranks;
  for (const Int* p = order.nodes(); p != order.nodes() + order.node_count(); ++p) {
    if (!p->is_tuple()) {
      ranks.push_back(p->is_static() ? p->value : largest + 1 + index);
      ++index;
    }
  }
  return ranks;
}

struct OrderedStrides {
  Ranks ranks;
  SmallVector<Int, inline_nodes> sizes;  // below each leaf of the order
  bool ties_left_to_right;

  // Two leaves of equal rank: CuTe starts both at the same stride.
  [[nodiscard]] bool has_ties() const {
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      if (std::find(ranks.begin(), ranks.begin() + i, ranks[i]) != ranks.begin() + i) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] Int start(std::size_t leaf) const {
    Int stride = static_1;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] < ranks[leaf] || (ties_left_to_right && ranks[i] == ranks[leaf] && i < leaf)) {
        stride = mul(stride, sizes[i]);
      }
    }
    return stride;
  }

  [[nodiscard]] Tree write(TreeRef shape, TreeRef order) const {
    TreeBuilder b;
    std::size_t leaf = 0;
    write(shape, order, leaf, b);
    return b.take();
  }

 private:
  void write(TreeRef shape, TreeRef order, std::size_t& leaf, TreeBuilder& b) const {
    if (order.is_leaf()) {
      b.append(compact_major(shape, Major::left, start(leaf++)));
      return;
    }
    b.open();
    auto s = shape.begin();
    for (const TreeRef o : order) {
      write(*s, o, leaf, b);
      ++s;
    }
    b.close();
  }
};

OrderedStrides ordered_strides(TreeRef shape, TreeRef order) {
  if (!weakly_congruent(order, shape)) {
    fail("the order " + to_string(order) + " does not fit the shape " + to_string(shape),
         "an order has one rank for each mode of the shape");
  }
  OrderedStrides strides{ranks_of(order), {}, false};
  const bool by_leaf = congruent(order, shape);
  const Tree products = by_leaf ? Tree() : product_like(shape, order);
  const TreeRef sizes = by_leaf ? shape : TreeRef(products);
  for (const Int* p = sizes.nodes(); p != sizes.nodes() + sizes.node_count(); ++p) {
    if (!p->is_tuple()) {
      strides.sizes.push_back(*p);
    }
  }
  return strides;
}

Layout in_order(const char* what, const Tree& layout_shape, const Tree& shape, TreeRef order, const Policy& policy) {
  OrderedStrides strides = ordered_strides(shape, order);
  Layout r = Layout::from_parts(layout_shape, strides.write(shape, order));
  if (is_cute(policy) || !strides.has_ties()) {
    return r;
  }
  strides.ties_left_to_right = true;
  Layout right = Layout::from_parts(layout_shape, strides.write(shape, order));
  const auto same = [](const Modes& x, const Modes& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Mode& p, const Mode& q) {
      return p.stride.value == q.stride.value || p.shape.value == 1;
    });
  };
  if (same(flat_modes(r), flat_modes(right))) {
    return r;
  }
  note(policy, std::string(what) + ": CuTe returns " + to_string(r) +
                   ", where elements share offsets; modes of equal rank are laid out left to right here");
  return right;
}

}  // namespace

Layout make_ordered_layout(TreeRef shape, const Order& order, const Policy& policy) {
  if (const Major* major = std::get_if<Major>(&order)) {
    return make_layout(shape, *major);
  }
  return in_order("make_ordered_layout", Tree(shape), Tree(shape), std::get<Tree>(order), policy);
}

Layout make_layout_like(const Layout& a, const Policy& policy) {
  return in_order("make_layout_like", a.shape(), filter_zeros(a).shape(), a.stride(), policy);
}

Layout make_fragment_like(const Layout& a, const Policy& policy) {
  if (a.rank() < 2 || !all_static(a.shape())) {
    return Layout(a.shape());
  }
  const Layout first = a[0];
  const Layout inner(first.shape(), compact_major(filter_zeros(first).shape(), Major::left));
  const Layout rest = take(a, 1, a.rank());
  const Layout outer = in_order("make_fragment_like", rest.shape(), rest.shape(), rest.stride(), policy);
  return tiled_product(inner, outer, Policy(Semantics::cute, policy.log));  // compact times compact: nothing to check
}

}  // namespace tileloom::layout
