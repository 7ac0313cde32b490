// SPDX-License-Identifier: Apache-2.0
#include "tileloom/layout/tree.hpp"

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

namespace {
void check_range(const char* what, TreeRef t, std::size_t begin, std::size_t end) {
  if (begin > end || end > t.rank()) {
    fail(std::string(what) + ": modes [" + std::to_string(begin) + ", " + std::to_string(end) + ") of " + to_string(t) +
         ", which has " + std::to_string(t.rank()));
  }
}
}  // namespace

Tree take(TreeRef t, std::size_t begin, std::size_t end) {
  check_range("take", t, begin, end);
  TreeBuilder b;
  b.open();
  for (std::size_t i = begin; i < end; ++i) {
    b.append(t[i]);
  }
  b.close();
  return b.take();
}

Tree group(TreeRef t, std::size_t begin, std::size_t end) {
  check_range("group", t, begin, end);
  TreeBuilder b;
  b.open();
  for (std::size_t i = 0; i < t.rank(); ++i) {
    if (i == begin && begin < end) {
      b.open();
    }
    b.append(t[i]);
    if (i + 1 == end && begin < end) {
      b.close();
    }
  }
  b.close();
  return b.take();
}

namespace {
Tree extend(const char* what, TreeRef t, TreeRef x, std::size_t rank, bool at_end) {
  const std::size_t have = t.rank();
  if (rank < have) {
    fail(std::string(what) + ": " + to_string(t) + " has " + std::to_string(have) + " modes, more than the wanted " +
         std::to_string(rank));
  }
  if (rank == have) {
    return Tree(t);
  }
  TreeBuilder b;
  b.open();
  for (std::size_t i = have; !at_end && i < rank; ++i) {
    b.append(x);
  }
  for (std::size_t i = 0; i < have; ++i) {
    b.append(t[i]);
  }
  for (std::size_t i = have; at_end && i < rank; ++i) {
    b.append(x);
  }
  b.close();
  return b.take();
}
}  // namespace

Tree append(TreeRef t, TreeRef x, std::size_t rank) {
  return extend("append", t, x, rank, true);
}
Tree prepend(TreeRef t, TreeRef x, std::size_t rank) {
  return extend("prepend", t, x, rank, false);
}

Tree replace(TreeRef t, std::size_t at, TreeRef x) {
  check_range("replace", t, at, at + 1);
  if (t.is_leaf()) {
    return Tree(x);
  }
  TreeBuilder b;
  b.open();
  std::size_t i = 0;
  for (const TreeRef child : t) {
    b.append(i++ == at ? x : child);
  }
  b.close();
  return b.take();
}

namespace {
void check_coordinate_rank(TreeRef coord, TreeRef t) {
  if (!t.is_tuple() || t.rank() != coord.rank()) {
    fail("coordinate " + to_string(coord) + " does not fit " + to_string(t));
  }
}

// Appends the selected modes of `t`, without the tuples of `coord`.
void select_into(TreeRef coord, TreeRef t, bool keep_any, TreeBuilder& b) {
  if (coord.is_leaf()) {
    if (coord.leaf().is_any() == keep_any) {
      b.append(t);
    }
    return;
  }
  check_coordinate_rank(coord, t);
  auto child = t.begin();
  for (const TreeRef c : coord) {
    select_into(c, *child, keep_any, b);
    ++child;
  }
}

Tree select(TreeRef coord, TreeRef t, bool keep_any) {
  if (coord.is_leaf() && coord.leaf().is_any() == keep_any) {
    return Tree(t);
  }
  TreeBuilder b;
  b.open();
  select_into(coord, t, keep_any, b);
  b.close();
  return b.take();
}
}  // namespace

Tree slice(TreeRef coord, TreeRef t) {
  return select(coord, t, true);
}
Tree dice(TreeRef coord, TreeRef t) {
  return select(coord, t, false);
}

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
