// SPDX-License-Identifier: Apache-2.0
// The operations on layouts, named as in CuTe. Each comment gives the law that the result obeys at every coordinate.
//
// A(i) is the offset of layout A at the 1-D coordinate i; beyond size(A) its last mode goes on. `Policy` chooses
// between the right answer (default) and CuTe's; operations without one have only one answer. All throw
// tileloom::Error for what has no answer; try_x, where callers may expect that, returns the error and is ten times as
// fast then.
#pragma once

#include <functional>
#include <optional>

#include "tileloom/layout/composed.hpp"
#include "tileloom/layout/result.hpp"

namespace tileloom::layout {

// --- Sizes -------------------------------------------------------------------------------------------------------

// Number of coordinates.
[[nodiscard]] Int size(LayoutRef l);
// The smallest box of the codomain that holds every offset; an integer, or a tree for basis strides.
[[nodiscard]] Tree coshape(LayoutRef l);
// product(coshape): 1 + the largest offset, for positive strides.
[[nodiscard]] Int cosize(LayoutRef l);

// --- Same function, other modes ----------------------------------------------------------------------------------

// Fewest modes, depth at most 1.
// Law: size(R) = size(A), and R(i) = A(i) for all i < size(A).
[[nodiscard]] Layout coalesce(const Layout& a);
// The same at each leaf of `profile`, which has at most rank(A) modes.
[[nodiscard]] Layout coalesce(const Layout& a, TreeRef profile);
// Modes of static stride 0 get size 1.
// Law: R takes the same offsets as A; strides are unchanged.
[[nodiscard]] Layout filter_zeros(const Layout& a);
// coalesce(filter_zeros(A)).
[[nodiscard]] Layout filter(const Layout& a);
[[nodiscard]] Layout filter(const Layout& a, TreeRef profile);
// Depth at most 1, all leaves kept. Law: R(i) = A(i).
[[nodiscard]] Layout flatten(const Layout& a);
// Modes [begin, end) put into one. Law: R(i) = A(i).
[[nodiscard]] Layout group(const Layout& a, std::size_t begin, std::size_t end);
[[nodiscard]] Layout take(const Layout& a, std::size_t begin, std::size_t end);
// `rank` modes by adding copies of x at the end or the front; x defaults to _1:_0.
[[nodiscard]] Layout append(const Layout& a, std::size_t rank, const Layout& x = {});
[[nodiscard]] Layout prepend(const Layout& a, std::size_t rank, const Layout& x = {});
[[nodiscard]] Layout replace(const Layout& a, std::size_t mode, const Layout& x);
// The modes where `coord` has `_` (slice) or an integer (dice).
// Law: A(coord with the `_` filled in by c) = slice(coord, A)(c) + dice(coord, A)(integers of coord).
[[nodiscard]] Layout slice(TreeRef coord, const Layout& a);
[[nodiscard]] Layout dice(TreeRef coord, const Layout& a);

// --- Composition and inverses ------------------------------------------------------------------------------------

// Law: compatible(shape(B), shape(R)), and R(c) = A(B(c)) for all c in B.
// Refused, naming the first coordinate, where no layout of such a shape equals A o B.
[[nodiscard]] Layout composition(const Layout& a, const Layout& b, const Policy& policy = {});
// Mode by mode for a tuple tiler (modes of A without a tiler are dropped); a size n counts as n:1; `_` keeps a mode.
[[nodiscard]] Layout composition(const Layout& a, const Tiler& b, const Policy& policy = {});

// Where to repeat A so that the copies fill `cotarget` offsets.
// Law: R(i) < R(i+1); all A(j) + R(i) are distinct (j over filter(A)); cosize((A,R)) >= size(cotarget).
// Refused if A is not injective, broadcast modes (stride 0) aside.
[[nodiscard]] Layout complement(const Layout& a, TreeRef cotarget, const Policy& policy = {});
[[nodiscard]] Layout complement(const Layout& a, const Policy& policy = {});
[[nodiscard]] Result<Layout> try_complement(const Layout& a, TreeRef cotarget, const Policy& policy = {});

// Law: A(R(i)) = i for all i < size(R), and R is no smaller than for the same layout with static integers.
[[nodiscard]] Layout right_inverse(const Layout& a, const Policy& policy = {});
// Law: A(R(A(i))) = A(i) for all i < size(A); for an injective A, R(A(i)) = i.
// Refused where no layout does that; for an A that takes an offset twice, where neither CuTe's answer does nor any
// layout leads to the first coordinate of each offset.
[[nodiscard]] Layout left_inverse(const Layout& a, const Policy& policy = {});
[[nodiscard]] Result<Layout> try_left_inverse(const Layout& a, const Policy& policy = {});
// Law: A(R(i)) = 0 for all i < size(R); size(R) is the product of the sizes of the modes of stride 0.
[[nodiscard]] Layout nullspace(const Layout& a, const Policy& policy = {});
// Law: A(R(i)) = B(R(i)) = i for all i < size(R): the elements that are contiguous in both.
[[nodiscard]] Layout max_common_layout(const Layout& a, const Layout& b, const Policy& policy = {});
// size(max_common_layout(A, B)): the widest vector that both layouts allow.
[[nodiscard]] Int max_common_vector(const Layout& a, const Layout& b, const Policy& policy = {});

// --- Division ----------------------------------------------------------------------------------------------------

// A by tiles: mode 0 runs inside a tile, mode 1 over the tiles. A tuple of tilers divides mode by mode.
// Law: R = A o (T, S), S being the starts of the copies of T that cover 0..size(A)-1 once, in order; for static numbers
// S = complement(T, size(A)). Refused exactly where T does not divide A so, or A o (T, S) is no layout; CuTe returns
// tiles past A's end there.
[[nodiscard]] Layout logical_divide(const Layout& a, const Tiler& t, const Policy& policy = {});
// The same elements as logical_divide, with all tile modes in mode 0 and all rest modes in mode 1.
[[nodiscard]] Layout zipped_divide(const Layout& a, const Tiler& t, const Policy& policy = {});
// ((tile), rest, rest, ...)
[[nodiscard]] Layout tiled_divide(const Layout& a, const Tiler& t, const Policy& policy = {});
// (tile, tile, ..., rest, rest, ...)
[[nodiscard]] Layout flat_divide(const Layout& a, const Tiler& t, const Policy& policy = {});

// --- Products ----------------------------------------------------------------------------------------------------

// A repeated: mode 0 is A, mode 1 the offsets of its copies in the order of T.
// Law: R(i, j) = A(i) + C(T(j)) with C = complement(A, n), n = size(A) * cosize(T), doubled until C has cosize(T)
// places; so copies at different places of T never overlap.
[[nodiscard]] Layout logical_product(const Layout& a, const Tiler& t, const Policy& policy = {});
[[nodiscard]] Layout zipped_product(const Layout& a, const Tiler& t, const Policy& policy = {});
[[nodiscard]] Layout tiled_product(const Layout& a, const Tiler& t, const Policy& policy = {});
[[nodiscard]] Layout flat_product(const Layout& a, const Tiler& t, const Policy& policy = {});
// Mode i of the result is (A_i, T_i): blocks side by side.
// Law: R((a_i, t_i) for each mode i) = logical_product(A, T)(a, t).
[[nodiscard]] Layout blocked_product(const Layout& a, const Layout& t, const Policy& policy = {});
// Mode i of the result is (T_i, A_i): blocks interleaved.
[[nodiscard]] Layout raked_product(const Layout& a, const Layout& t, const Policy& policy = {});

// The order in which modes are walked: a tree of ranks, or first/last mode fastest.
using Order = std::variant<Major, Tree>;
// A repeated until its shape is `shape`, walking modes in `order`.
// Law: compatible(shape, shape(R)); the block at the origin is A; all offsets distinct if A's are.
// Refused if A's shape does not divide `shape`.
[[nodiscard]] Layout tile_to_shape(const Layout& a, TreeRef shape, const Order& order = Major::left,
                                   const Policy& policy = {});

// --- Construction ------------------------------------------------------------------------------------------------

[[nodiscard]] Layout make_layout(TreeRef shape, Major major = Major::left);
// The modes are the given layouts.
[[nodiscard]] Layout make_layout(const std::vector<Layout>& modes);
// Law: compact (offsets are 0..size-1, each once); strides grow in the order given, equal ranks left to right.
// Dynamic ranks count as larger than all static ones, left to right, as in CuTe.
[[nodiscard]] Layout make_ordered_layout(TreeRef shape, const Order& order, const Policy& policy = {});
// Law: compact, in the order of A's strides, stride-0 modes kept.
[[nodiscard]] Layout make_layout_like(const Layout& a, const Policy& policy = {});
// Law: as make_layout_like, but mode 0 comes first and is compact by itself: the layout of a thread's registers.
[[nodiscard]] Layout make_fragment_like(const Layout& a, const Policy& policy = {});
// Law: R(c) = c, as a coordinate (basis strides).
[[nodiscard]] Layout make_identity_layout(TreeRef shape);

// --- Recasts and alignment ---------------------------------------------------------------------------------------

// Offsets in units of `factor` elements.
// Law: R(c') = floor(A(c) / factor), where c' is c with each coordinate of a stride d < factor divided by factor/d.
// Refused if a stride, of a mode of size > 1, neither divides nor is divided by `factor`, or if the parts carry.
[[nodiscard]] Layout upcast(const Layout& a, std::int64_t factor, const Policy& policy = {});
[[nodiscard]] Result<Layout> try_upcast(const Layout& a, std::int64_t factor, const Policy& policy = {});
// Offsets in units of 1/factor element.
// Law: size(R) = factor * size(A); for the one widened mode, R(c with factor*c_m + j) = factor * A(c) + j.
// Refused if no mode has stride 1.
[[nodiscard]] Layout downcast(const Layout& a, std::int64_t factor, const Policy& policy = {});
[[nodiscard]] Result<Layout> try_downcast(const Layout& a, std::int64_t factor, const Policy& policy = {});
// The widest vector in elements. Law: the offsets come in runs of n consecutive ones that start at multiples of n; n is
// no smaller than for the same layout with static integers.
[[nodiscard]] Int max_alignment(const Layout& a, const Policy& policy = {});

// --- Questions ---------------------------------------------------------------------------------------------------

// All offsets distinct / all of 0..cosize-1 taken / both.
[[nodiscard]] bool is_injective(const Layout& a);
[[nodiscard]] bool is_surjective(const Layout& a);
[[nodiscard]] bool is_bijective(const Layout& a);

// --- Swizzles and swizzled layouts -------------------------------------------------------------------------------

// Applies f to the layout, inside the swizzle if there is one: most operations act on the domain only, so
// zipped_divide(Sw o L, T) is within(Sw o L, [&](const Layout& l) { return zipped_divide(l, T); }).
[[nodiscard]] AnyLayout within(const AnyLayout& l, const std::function<Layout(const Layout&)>& f);
// Sw o _0 o A; the identity swizzle (B = 0) gives A itself.
[[nodiscard]] AnyLayout composition(const Swizzle& sw, const Layout& a);
// Law: R(i) = P(Q(i)). Refused if no single swizzle does that.
[[nodiscard]] Swizzle composition(const Swizzle& p, const Swizzle& q, const Policy& policy = {});
// Law: R(i) = A(Sw(i)) for i < size(A).
[[nodiscard]] AnyLayout composition(const Layout& a, const Swizzle& sw, const Policy& policy = {});
[[nodiscard]] AnyLayout composition(const Layout& a, const ComposedLayout& b, const Policy& policy = {});
// Law as for layouts. A swizzle is its own inverse.
[[nodiscard]] AnyLayout right_inverse(const AnyLayout& a, const Policy& policy = {});
[[nodiscard]] AnyLayout left_inverse(const AnyLayout& a, const Policy& policy = {});
// The layout left after fixing the integers of `coord`, and the offset to add to the pointer.
// Law: A(coord with the `_` filled in by c) = layout(c) + offset. Where the swizzle no longer acts on what is left,
// the result is a plain layout, as in CuTe.
struct Sliced {
  AnyLayout layout;
  Tree offset;
};
[[nodiscard]] Sliced slice_and_offset(TreeRef coord, const AnyLayout& a, const Policy& policy = {});
[[nodiscard]] AnyLayout upcast(const AnyLayout& a, std::int64_t factor, const Policy& policy = {});
[[nodiscard]] AnyLayout downcast(const AnyLayout& a, std::int64_t factor, const Policy& policy = {});
[[nodiscard]] Swizzle upcast(const Swizzle& sw, std::int64_t factor);
[[nodiscard]] Swizzle downcast(const Swizzle& sw, std::int64_t factor);
[[nodiscard]] Int max_alignment(const AnyLayout& a, const Policy& policy = {});
[[nodiscard]] Int max_common_vector(const AnyLayout& a, const AnyLayout& b, const Policy& policy = {});
[[nodiscard]] AnyLayout max_common_layout(const AnyLayout& a, const AnyLayout& b, const Policy& policy = {});
// Tile number `coord` of A cut by `tiler`: what a CTA sees. Throws Error(bad_input) where there is no such tile, which
// CuTe does not notice.
[[nodiscard]] Sliced local_tile(const AnyLayout& a, const Tiler& tiler, TreeRef coord, const Policy& policy = {});
// The elements of thread `index` when the threads of layout `threads` share A evenly.
[[nodiscard]] Sliced local_partition(const AnyLayout& a, const Layout& threads, const Int& index,
                                     const Policy& policy = {});
// Offset at a coordinate.
[[nodiscard]] Tree evaluate(const AnyLayout& a, TreeRef coord);
[[nodiscard]] const Layout& domain(const AnyLayout& a);

}  // namespace tileloom::layout
