// SPDX-License-Identifier: Apache-2.0
// Nodes, and what can be asked of one tree.
#include "tileloom/layout/tree.hpp"

#include <algorithm>
#include <numeric>

#include "layout/fail.hpp"

namespace tileloom::layout {

void throw_overflow(std::string_view what) {
  fail(std::string(what) + " does not fit in 64 bits", "use smaller sizes or strides");
}

void throw_zero_divisor(std::string_view what) {
  fail(std::string(what) + " has the divisor 0", "a size or stride of 0 cannot be divided by");
}

void throw_basis_operands(std::string_view what) {
  fail(std::string(what) + " mixes scaled basis strides with what they cannot be combined with",
       "a layout has either integer strides or basis strides such as _1@0");
}

Int gcd(const Int& a, const Int& b) {
  if (a.value == INT64_MIN || b.value == INT64_MIN) {
    throw_overflow("a greatest common divisor");
  }
  return {std::gcd(a.value, b.value), result_kind(a, b), 0, 0, {}};
}

TreeRef TreeRef::operator[](std::size_t i) const {
  if (i >= rank()) {
    fail("mode " + std::to_string(i) + " of " + to_string(*this) + ", which has " + std::to_string(rank()) + " modes");
  }
  if (is_leaf()) {
    return *this;
  }
  auto it = begin();
  for (; i > 0; --i) {
    ++it;
  }
  return *it;
}

Tree Tree::tuple(std::initializer_list<Tree> children) {
  TreeBuilder b;
  b.open();
  for (const Tree& child : children) {
    b.append(child);
  }
  b.close();
  return b.take();
}

bool Tree::same_text(TreeRef a, TreeRef b) noexcept {
  return a.node_count() == b.node_count() && std::equal(a.nodes(), a.nodes() + a.node_count(), b.nodes());
}

void TreeBuilder::throw_too_deep() {
  fail("tuples nested deeper than " + std::to_string(max_depth));
}
void TreeBuilder::throw_too_large() {
  fail("a tree of more than " + std::to_string(max_nodes) + " nodes");
}

void TreeBuilder::append_tuple(TreeRef subtree) {
  if (depth_ + depth(subtree) > max_depth) {
    throw_too_deep();
  }
  add_child(subtree.node_count());
  tree_.nodes_.append(subtree.nodes(), subtree.node_count());
}

Int product(TreeRef t) {
  if (t.is_leaf()) {
    return t.leaf();
  }
  Int r = static_1;
  for (const TreeRef child : t) {
    r = mul(r, product(child));
  }
  return r;
}

std::size_t depth(TreeRef t) {
  if (t.is_leaf()) {
    return 0;
  }
  std::size_t deepest = 0;
  for (const TreeRef child : t) {
    deepest = std::max(deepest, depth(child));
  }
  return deepest + 1;
}

std::size_t leaf_count(TreeRef t) noexcept {
  std::size_t n = 0;
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p) {
    n += p->is_tuple() ? 0 : 1;
  }
  return n;
}

namespace {
template <class Predicate>
bool any_leaf(TreeRef t, Predicate predicate) noexcept {
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p) {
    if (!p->is_tuple() && predicate(*p)) {
      return true;
    }
  }
  return false;
}
}  // namespace

bool all_static(TreeRef t) noexcept {
  return !any_leaf(t, [](const Int& x) { return !x.is_static(); });
}
bool has_any(TreeRef t) noexcept {
  return any_leaf(t, [](const Int& x) { return x.is_any(); });
}
bool has_basis(TreeRef t) noexcept {
  return any_leaf(t, [](const Int& x) { return x.has_basis(); });
}

Tree flatten(TreeRef t) {
  if (t.is_leaf()) {
    return Tree(t);
  }
  TreeBuilder b;
  b.open();
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p) {
    if (!p->is_tuple()) {
      b.leaf(*p);
    }
  }
  b.close();
  return b.take();
}

Tree product_each(TreeRef t) {
  TreeBuilder b;
  b.open();
  for (std::size_t i = 0; i < t.rank(); ++i) {
    b.leaf(product(t[i]));
  }
  b.close();
  return b.take();
}

namespace {
void product_like_into(TreeRef t, TreeRef guide, TreeBuilder& b) {
  if (guide.is_leaf()) {
    b.leaf(product(t));
    return;
  }
  if (!t.is_tuple() || t.rank() != guide.rank()) {
    fail(to_string(t) + " does not have the profile of " + to_string(guide));
  }
  b.open();
  auto child = t.begin();
  for (const TreeRef g : guide) {
    product_like_into(*child, g, b);
    ++child;
  }
  b.close();
}
}  // namespace

Tree product_like(TreeRef t, TreeRef guide) {
  TreeBuilder b;
  product_like_into(t, guide, b);
  return b.take();
}

}  // namespace tileloom::layout
