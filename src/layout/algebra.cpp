// SPDX-License-Identifier: Apache-2.0
// Sizes, reshaping, construction, questions: operations with one answer.
#include "tileloom/layout/algebra.hpp"

#include <unordered_set>

#include "layout/coordinate.hpp"
#include "layout/engine.hpp"
#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "layout/policy.hpp"

namespace tileloom::layout {

Int size(LayoutRef l) {
  return product(l.shape);
}

namespace {
void add_one_into(TreeRef t, TreeBuilder& b) {
  if (t.is_leaf()) {
    b.leaf(add(t.leaf(), static_1));
    return;
  }
  b.open();
  for (const TreeRef child : t) {
    add_one_into(child, b);
  }
  b.close();
}
}  // namespace

Tree coshape(LayoutRef l) {
  TreeBuilder terms;
  terms.open();
  for_each_mode(l, [&](const Int& s, const Int& d) { terms.leaf(mul(sub(s, static_1), abs(d))); });
  terms.close();
  TreeBuilder b;
  add_one_into(arithmetic_sum(terms.take()), b);
  return b.take();
}

Int cosize(LayoutRef l) {
  return product(coshape(l));
}

Layout coalesce(const Layout& a) {
  return cute.coalesce(a);
}
Layout coalesce(const Layout& a, TreeRef profile) {
  return cute.coalesce(a, profile);
}
Layout filter_zeros(const Layout& a) {
  return cute.filter_zeros(a);
}
Layout filter(const Layout& a) {
  return coalesce(filter_zeros(a));
}
Layout filter(const Layout& a, TreeRef profile) {
  return coalesce(filter_zeros(a), profile);
}

Layout flatten(const Layout& a) {
  return Layout::from_parts(flatten(TreeRef(a.shape())), flatten(TreeRef(a.stride())));
}
Layout group(const Layout& a, std::size_t begin, std::size_t end) {
  return Layout::from_parts(group(TreeRef(a.shape()), begin, end), group(TreeRef(a.stride()), begin, end));
}
Layout take(const Layout& a, std::size_t begin, std::size_t end) {
  if (begin >= end) {
    fail("take: modes [" + std::to_string(begin) + ", " + std::to_string(end) + ") are none");
  }
  return Layout::from_parts(take(TreeRef(a.shape()), begin, end), take(TreeRef(a.stride()), begin, end));
}
Layout append(const Layout& a, std::size_t rank, const Layout& x) {
  return Layout::from_parts(append(TreeRef(a.shape()), x.shape(), rank), append(TreeRef(a.stride()), x.stride(), rank));
}
Layout prepend(const Layout& a, std::size_t rank, const Layout& x) {
  return Layout::from_parts(prepend(TreeRef(a.shape()), x.shape(), rank),
                            prepend(TreeRef(a.stride()), x.stride(), rank));
}
Layout replace(const Layout& a, std::size_t mode, const Layout& x) {
  return Layout::from_parts(replace(TreeRef(a.shape()), mode, x.shape()),
                            replace(TreeRef(a.stride()), mode, x.stride()));
}
Layout slice(TreeRef coord, const Layout& a) {
  return Layout::from_parts(slice(coord, TreeRef(a.shape())), slice(coord, TreeRef(a.stride())));
}
Layout dice(TreeRef coord, const Layout& a) {
  return Layout::from_parts(dice(coord, TreeRef(a.shape())), dice(coord, TreeRef(a.stride())));
}

Layout make_layout(TreeRef shape, Major major) {
  return Layout(Tree(shape), compact_major(shape, major));
}

Layout make_layout(const std::vector<Layout>& modes) {
  LayoutBuilder b;
  b.open();
  for (const Layout& m : modes) {
    b.append(m);
  }
  b.close();
  return b.take();
}

Layout make_identity_layout(TreeRef shape) {
  return Layout(Tree(shape), make_basis_like(shape));
}

bool is_injective(const Layout& a) {
  return !find_collision(a);
}

bool is_surjective(const Layout& a) {
  const std::int64_t wanted = cosize(a).value;
  if (size(a).value < wanted) {
    return false;
  }
  if (!find_collision(filter(a))) {
    return size(filter(a)).value == wanted;
  }
  if (size(a).value > enumeration_limit) {
    fail("is_surjective: " + to_string(a) + " has " + std::to_string(size(a).value) +
         " elements, more than can be checked one by one (" + std::to_string(enumeration_limit) + ")");
  }
  const FlatMap map{LayoutRef(a)};
  std::unordered_set<std::int64_t> offsets;
  for (std::int64_t i = 0; i < size(a).value; ++i) {
    offsets.insert(map(i));
  }
  return static_cast<std::int64_t>(offsets.size()) == wanted;
}

bool is_bijective(const Layout& a) {
  return is_injective(a) && is_surjective(a);
}

}  // namespace tileloom::layout
