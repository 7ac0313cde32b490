// SPDX-License-Identifier: Apache-2.0
// A o B taken apart: the values along each leaf of B as modes, and whether they add up over the leaves.
//
// A o B has a layout on a refinement of B's shape exactly if (1) along each leaf of B the values are those of some
// layout of that leaf's size, and (2) the values add up over the leaves. A one-dimensional function has at most one
// coalesced layout: its first run fixes the first mode, and so on. Both parts are settled by divisibility where
// possible and by visiting every coordinate otherwise.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "layout/laws.hpp"

namespace tileloom::layout {

// Size and stride of a mode of the values along one leaf of B, found by `generator`, the leaf index of its stride.
struct Piece {
  std::int64_t size;
  std::int64_t stride;
  std::int64_t generator;
};
using Pieces = SmallVector<Piece, 8>;

struct Leaf {
  std::int64_t size;
  std::int64_t step;
  std::size_t part;  // index into Problem::parts
};

// A o B, B's leaves in order. Without basis strides there is one part, A itself; a basis stride selects a mode of A.
struct Problem {
  std::vector<FlatMap> parts;
  SmallVector<Leaf, 16> leaves;
};

using Digits = SmallVector<std::int64_t, 16>;  // largest digit used in each mode of a part but the last
[[nodiscard]] Digits no_digits(const FlatMap& map);

// Adds a mode, merged with the last one where the two are one.
void push_piece(Pieces& pieces, const Piece& p);

// The values along a leaf where divisibility settles them. Adds to `digits` what the leaf uses of each mode.
[[nodiscard]] bool pieces_by_division(const FlatMap& a, const Leaf& leaf, Pieces& pieces, Digits& digits);

// Why the values along a leaf are those of no layout: at `index` they are not what `fixed_by` implies.
struct Contradiction {
  std::int64_t index = 0;
  std::int64_t given = 0;
  std::vector<std::int64_t> fixed_by;
};

// The one coalesced layout with the values along a leaf, or the first index where there can be none.
[[nodiscard]] std::optional<Contradiction> pieces_by_values(const FlatMap& a, const Leaf& leaf, Pieces& pieces);

// Throws if there are too many coordinates to visit.
void check_enumerable(std::int64_t n, LayoutRef a, LayoutRef b);

// The modes of `l` with the strides along `basis` only, or all of them if `basis` is plain.
[[nodiscard]] Modes projected(LayoutRef l, const Int& basis);
// The bases of A's strides, plain integers being one.
[[nodiscard]] std::vector<Int> bases_of(LayoutRef a);
[[nodiscard]] Problem make_problem(LayoutRef a, LayoutRef b, const Int& basis);

// A coordinate where the values do not add up: the leaves and their coordinates, and the sum. True stops the search.
using Visit = std::function<bool(const std::vector<std::size_t>& leaves, const std::vector<std::int64_t>& coord,
                                 std::int64_t sum)>;
// Do the values of part `p` add up over its leaves? `digits` are the largest digits the leaves use together, exact
// unless `by_digits` is false.
[[nodiscard]] bool additive(const Problem& problem, std::size_t p, const Digits& digits, bool by_digits,
                            const std::vector<Pieces>& pieces, LayoutRef a, LayoutRef b, const Visit& visit);

}  // namespace tileloom::layout
