// SPDX-License-Identifier: Apache-2.0
// Coordinates to indices and back; sums of scaled basis vectors.
#include "layout/coordinate.hpp"

#include <algorithm>
#include <vector>

#include "layout/fail.hpp"

namespace tileloom::layout {

namespace {

// Calls term(coordinate, stride) for each leaf; a coordinate above a tuple is split, the last mode takes the rest.
template <class Term>
void for_each_term(TreeRef coord, TreeRef shape, TreeRef stride, const Term& term);

template <class Term>
void split_terms(Int coord, TreeRef shape, TreeRef stride, const Term& term) {
  if (coord.is_any()) {
    fail("coordinate _ where an integer is needed");
  }
  if (shape.is_leaf()) {
    term(coord, stride.leaf());
    return;
  }
  const bool zero = coord.is_static() && coord.value == 0;
  auto d = stride.begin();
  std::size_t left = shape.rank();
  for (const TreeRef s : shape) {
    if (--left == 0 || zero) {
      split_terms(coord, s, *d, term);
    } else {
      const Int size = product(s);
      split_terms(mod(coord, size), s, *d, term);
      coord = div(coord, size);
    }
    ++d;
  }
}

template <class Term>
void for_each_term(TreeRef coord, TreeRef shape, TreeRef stride, const Term& term) {
  if (coord.is_leaf()) {
    split_terms(coord.leaf(), shape, stride, term);
    return;
  }
  if (shape.is_leaf() || shape.rank() != coord.rank()) {
    fail("coordinate " + to_string(coord) + " does not fit shape " + to_string(shape));
  }
  auto s = shape.begin();
  auto d = stride.begin();
  for (const TreeRef c : coord) {
    for_each_term(c, *s, *d, term);
    ++s;
    ++d;
  }
}

// A sum of based terms as nested tuples; modes without a term are _0.
void sum_into(std::vector<Int>& terms, std::size_t level, std::size_t first, std::size_t last, TreeBuilder& b) {
  if (terms[first].basis_depth == level) {
    Int total = terms[first].scalar();
    for (std::size_t i = first + 1; i < last; ++i) {
      if (terms[i].basis_depth != level) {
        throw_basis_operands("a sum");
      }
      total = add(total, terms[i].scalar());
    }
    b.leaf(total);
    return;
  }
  b.open();
  unsigned mode = 0;
  while (first < last) {
    if (terms[first].basis_depth <= level) {
      throw_basis_operands("a sum");
    }
    for (; mode < terms[first].basis[level]; ++mode) {
      b.leaf(static_0);
    }
    std::size_t next = first;
    while (next < last && terms[next].basis_depth > level && terms[next].basis[level] == mode) {
      ++next;
    }
    sum_into(terms, level + 1, first, next, b);
    first = next;
    ++mode;
  }
  b.close();
}

Tree sum_of_bases(std::vector<Int>& terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const Int& x, const Int& y) {
    return std::lexicographical_compare(x.basis.begin(), x.basis.begin() + x.basis_depth, y.basis.begin(),
                                        y.basis.begin() + y.basis_depth);
  });
  TreeBuilder b;
  sum_into(terms, 0, 0, terms.size(), b);
  return b.take();
}

struct Sum {
  Int plain = static_0;
  std::vector<Int> based;

  void operator+=(const Int& term) {
    if (term.has_basis()) {
      based.push_back(term);
    } else {
      plain = add(plain, term);
    }
    if (!based.empty() && !(plain == static_0)) {
      throw_basis_operands("a sum");
    }
  }
};

void collect_leaves(TreeRef t, std::vector<Int>& out) {
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p) {
    if (!p->is_tuple()) {
      out.push_back(*p);
    }
  }
}

void idx2crd_into(TreeRef index, TreeRef shape, TreeBuilder& b) {
  if (index.is_leaf()) {
    if (shape.is_leaf()) {
      b.leaf(index.leaf());
      return;
    }
    const Tree bases = make_basis_like(shape);
    std::vector<Int> terms;
    for_each_term(index, shape, bases, [&](const Int& c, const Int& d) { terms.push_back(mul(c, d)); });
    if (terms.empty()) {
      fail("idx2crd: the empty shape () has no coordinates");
    }
    b.append(sum_of_bases(terms));
    return;
  }
  if (shape.is_leaf() || shape.rank() != index.rank()) {
    fail("idx2crd: index " + to_string(index) + " does not fit shape " + to_string(shape));
  }
  b.open();
  auto s = shape.begin();
  for (const TreeRef i : index) {
    idx2crd_into(i, *s, b);
    ++s;
  }
  b.close();
}

}  // namespace

Tree arithmetic_sum(TreeRef terms) {
  Sum sum;
  for (const Int* p = terms.nodes(); p != terms.nodes() + terms.node_count(); ++p) {
    if (!p->is_tuple()) {
      sum += *p;
    }
  }
  return sum.based.empty() ? Tree(sum.plain) : sum_of_bases(sum.based);
}

Tree crd2idx(TreeRef coord, TreeRef shape, TreeRef stride) {
  Sum sum;
  for_each_term(coord, shape, stride, [&](const Int& c, const Int& d) { sum += mul(c, d); });
  if (sum.based.empty()) {
    return Tree(sum.plain);
  }
  return sum.based.size() == 1 ? Tree(sum.based[0]) : sum_of_bases(sum.based);
}

Int crd2idx(TreeRef coord, TreeRef shape) {
  if (coord.is_leaf()) {
    return coord.leaf();
  }
  std::vector<Int> coords;
  std::vector<Int> sizes;
  collect_leaves(coord, coords);
  collect_leaves(product_like(shape, coord), sizes);
  if (coords.empty()) {
    fail("crd2idx: the empty coordinate () has no index");
  }
  Int index = coords.back();
  for (std::size_t i = coords.size() - 1; i-- > 0;) {
    index = add(coords[i], mul(sizes[i], index));
  }
  return index;
}

Tree idx2crd(TreeRef index, TreeRef shape) {
  TreeBuilder b;
  idx2crd_into(index, shape, b);
  return b.take();
}

Tree crd2crd(TreeRef coord, TreeRef from, TreeRef to) {
  if (coord.is_leaf() || from.is_leaf() || to.is_leaf()) {
    return idx2crd(Tree(crd2idx(coord, from)), to);
  }
  if (coord.rank() != from.rank() || coord.rank() != to.rank()) {
    fail("crd2crd: " + to_string(coord) + ", " + to_string(from) + " and " + to_string(to) + " differ in rank");
  }
  TreeBuilder b;
  b.open();
  for (std::size_t i = 0; i < coord.rank(); ++i) {
    b.append(crd2crd(coord[i], from[i], to[i]));
  }
  b.close();
  return b.take();
}

}  // namespace tileloom::layout
