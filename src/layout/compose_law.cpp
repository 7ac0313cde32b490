// SPDX-License-Identifier: Apache-2.0
// The law of composition, R(c) = A(B(c)), checked.
#include <algorithm>

#include "layout/compose_pieces.hpp"

namespace tileloom::layout {

namespace {

bool same_function(const Pieces& a, const Pieces& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Piece& x, const Piece& y) {
           return x.size == y.size && x.stride == y.stride;
         });
}

// The modes of R at each leaf of B; false if R does not refine B's shape.
bool collect_pieces(TreeRef b_shape, LayoutRef r, const Int& basis, std::vector<Pieces>& out) {
  if (b_shape.is_leaf()) {
    Pieces pieces;
    std::int64_t n = 1;
    for (const Mode& m : projected(r, basis)) {
      push_piece(pieces, {m.shape.value, m.stride.value, 0});
      n = checked_mul(n, m.shape.value);
    }
    out.push_back(pieces);
    return n == b_shape.leaf().value;
  }
  if (r.shape.is_leaf() || r.rank() != b_shape.rank()) {
    return false;
  }
  for (std::size_t i = 0; i < b_shape.rank(); ++i) {
    if (!collect_pieces(b_shape[i], r[i], basis, out)) {
      return false;
    }
  }
  return true;
}

// Does the law hold for the strides along one basis of A?
bool projection_holds(LayoutRef a, LayoutRef b, LayoutRef r, const Int& basis) {
  std::vector<Pieces> have;
  if (!collect_pieces(b.shape, r, basis, have)) {
    return false;
  }
  const Problem problem = make_problem(a, b, basis);
  for (std::size_t p = 0; p < problem.parts.size(); ++p) {
    const FlatMap& map = problem.parts[p];
    Digits digits = no_digits(map);
    bool by_digits = true;
    for (std::size_t j = 0; j < problem.leaves.size(); ++j) {
      const Leaf& leaf = problem.leaves[j];
      if (leaf.part != p) {
        continue;
      }
      Pieces pieces;
      if (!pieces_by_division(map, leaf, pieces, digits)) {
        by_digits = false;
        pieces.clear();
        check_enumerable(leaf.size, a, b);
        if (pieces_by_values(map, leaf, pieces)) {
          return false;
        }
      }
      if (!same_function(pieces, have[j])) {
        return false;
      }
    }
    if (!additive(problem, p, digits, by_digits, have, a, b, [](auto&&...) { return true; })) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool composition_holds(LayoutRef a, LayoutRef b, LayoutRef r) {
  const std::vector<Int> bases = bases_of(a);
  return std::all_of(bases.begin(), bases.end(), [&](const Int& basis) { return projection_holds(a, b, r, basis); });
}

}  // namespace tileloom::layout
