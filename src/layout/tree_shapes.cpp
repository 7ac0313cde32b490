// SPDX-License-Identifier: Apache-2.0
// Trees as shapes and strides: how two of them relate, and trees made from a shape.
#include <algorithm>

#include "layout/fail.hpp"
#include "tileloom/layout/tree.hpp"

namespace tileloom::layout {

namespace {
void basis_into(TreeRef t, Int path, TreeBuilder& b) {
  if (t.is_leaf()) {
    b.leaf(path);
    return;
  }
  if (path.basis_depth == max_basis_depth || t.rank() > static_cast<std::size_t>(max_basis_mode) + 1) {
    fail("no scaled basis for " + to_string(t) + ": paths have at most " + std::to_string(max_basis_depth) +
         " mode numbers of at most " + std::to_string(max_basis_mode));
  }
  b.open();
  const std::size_t at = path.basis_depth++;
  std::size_t i = 0;
  for (const TreeRef child : t) {
    path.basis[at] = static_cast<std::uint8_t>(i++);
    basis_into(child, path, b);
  }
  b.close();
}
}  // namespace

Tree make_basis_like(TreeRef t) {
  TreeBuilder b;
  basis_into(t, static_1, b);
  return b.take();
}

bool congruent(TreeRef a, TreeRef b) noexcept {
  if (a.is_tuple() != b.is_tuple()) {
    return false;
  }
  if (a.is_leaf()) {
    return true;
  }
  return a.node_count() == b.node_count() &&
         std::equal(a.nodes(), a.nodes() + a.node_count(), b.nodes(), [](const Int& x, const Int& y) {
           return x.is_tuple() == y.is_tuple() && (!x.is_tuple() || (x.value == y.value && x.arity == y.arity));
         });
}

namespace {
// True if `b` refines `a` and leaf_ok(leaf of a, subtree of b) holds everywhere.
template <class LeafOk>
bool refines(TreeRef a, TreeRef b, LeafOk leaf_ok) {
  if (a.is_leaf()) {
    return leaf_ok(a.leaf(), b);
  }
  if (b.is_leaf() || a.rank() != b.rank()) {
    return false;
  }
  auto child = b.begin();
  for (const TreeRef x : a) {
    if (!refines(x, *child, leaf_ok)) {
      return false;
    }
    ++child;
  }
  return true;
}
}  // namespace

bool weakly_congruent(TreeRef a, TreeRef b) noexcept {
  return refines(a, b, [](const Int&, TreeRef) { return true; });
}
bool compatible(TreeRef a, TreeRef b) {
  return refines(a, b, [](const Int& x, TreeRef y) { return x.value == product(y).value; });
}

bool evenly_divides(TreeRef shape, TreeRef tiler) {
  if (tiler.is_leaf()) {
    return product(shape).value == checked_mul(tiler.leaf().value, product(ceil_div(shape, tiler)).value);
  }
  if (tiler.rank() > shape.rank()) {
    return false;
  }
  for (std::size_t i = 0; i < tiler.rank(); ++i) {
    if (!evenly_divides(shape[i], tiler[i])) {
      return false;
    }
  }
  return true;
}

namespace {
void ceil_div_into(TreeRef a, TreeRef b, TreeBuilder& out) {
  if (a.is_leaf()) {
    out.leaf(ceil_div(a.leaf(), product(b)));
    return;
  }
  out.open();
  if (b.is_tuple()) {
    if (b.rank() > a.rank()) {
      fail("ceil_div: " + to_string(b) + " has more modes than " + to_string(a));
    }
    std::size_t i = 0;
    for (const TreeRef child : a) {
      const Tree divisor = i < b.rank() ? Tree(b[i]) : Tree(static_1);
      ceil_div_into(child, divisor, out);
      ++i;
    }
  } else {
    Tree rest(b);
    for (const TreeRef child : a) {
      ceil_div_into(child, rest, out);
      rest = ceil_div(rest, child);
    }
  }
  out.close();
}
}  // namespace

Tree ceil_div(TreeRef a, TreeRef b) {
  TreeBuilder out;
  ceil_div_into(a, b, out);
  return out.take();
}

namespace {
void compact_left_into(TreeRef shape, Int& current, TreeBuilder& b) {
  if (shape.is_leaf()) {
    const bool one = shape.leaf().is_static() && shape.leaf().value == 1;
    b.leaf(one ? static_0 : current);
    if (!one) {
      current = mul(current, shape.leaf());
    }
    return;
  }
  b.open();
  for (const TreeRef child : shape) {
    compact_left_into(child, current, b);
  }
  b.close();
}
}  // namespace

Tree compact_major(TreeRef shape, Major major, const Int& first) {
  if (major == Major::left) {
    Int current = first;
    TreeBuilder b;
    compact_left_into(shape, current, b);
    return b.take();
  }
  Int current = first;
  SmallVector<Int, inline_nodes> strides;
  strides.append(shape.nodes(), shape.node_count());
  for (std::size_t i = strides.size(); i-- > 0;) {
    Int& node = strides[i];
    if (node.is_tuple()) {
      continue;
    }
    const Int size = node;
    const bool one = size.is_static() && size.value == 1;
    node = one ? static_0 : current;
    if (!one) {
      current = mul(current, size);
    }
  }
  return Tree(TreeRef(strides.data()));
}

}  // namespace tileloom::layout
