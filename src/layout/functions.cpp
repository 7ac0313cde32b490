// SPDX-License-Identifier: Apache-2.0
// The table of functions: names, arguments, and how they map to the operations.
#include "layout/functions.hpp"

#include <array>

#include "layout/function_bodies.hpp"
#include "layout/tensors.hpp"

namespace tileloom::layout {

namespace {

template <Layout (*Op)(const Layout&, const Tiler&, const Policy&)>
Value tiled(const Arguments& a) {
  return inside(a, 0, [&](const Layout& l) { return Op(l, a.tiler(1), a.policy()); });
}

template <Layout (*Op)(const Layout&, const Layout&, const Policy&)>
Value product_of(const Arguments& a) {
  return inside(a, 0, [&](const Layout& l) { return Op(l, a.layout(1), a.policy()); });
}

template <Layout (*Whole)(const Layout&), Layout (*ByProfile)(const Layout&, TreeRef)>
Value simplified(const Arguments& a) {
  return inside(a, 0, [&](const Layout& l) { return a.count() == 1 ? Whole(l) : ByProfile(l, a.tree(1)); });
}

template <Tree (*OnTree)(TreeRef, TreeRef, std::size_t), Layout (*OnLayout)(const Layout&, std::size_t, const Layout&)>
Value extended(const Arguments& a) {
  const bool by_one = a.count() == 1 || !a.is<Tree>(1) || (a.is<Tree>(0) && a.count() == 2);
  if (a.is<Tree>(0)) {
    if (a.count() == 1) {
      a.wrong(0, "a layout, or a tuple and what to add to it");
    }
    return by_one ? OnTree(a.tree(0), a.tree(1), a.tree(0).rank() + 1) : OnTree(a.tree(0), a.tree(2), a.index(1));
  }
  const Layout x = a.count() == 1 ? Layout() : by_one ? a.layout(1) : a.count() == 3 ? a.layout(2) : Layout();
  return inside(a, 0, [&](const Layout& l) { return OnLayout(l, by_one ? l.rank() + 1 : a.index(1), x); });
}

// By name.
const std::array table = {
    Function{{"append", "layout [, rank] [, mode]"}, 1, 3, extended<append, append>},
    Function{{"blocked_product", "layout, layout"}, 2, 2, product_of<blocked_product>},
    Function{{"ceil_div", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return ceil_div(a.shape(0), a.shape(1)); }},
    Function{{"coalesce", "layout [, profile]"}, 1, 2, simplified<coalesce, coalesce>},
    Function{{"compatible", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return compatible(a.shape(0), a.shape(1)); }},
    Function{{"complement", "layout [, size]"}, 1, 2, run_complement},
    Function{{"composition", "layout | swizzle, layout | tiler | swizzle"}, 2, 3, run_composition},
    Function{{"congruent", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return congruent(a.shape(0), a.shape(1)); }},
    Function{{"coshape", "layout [, mode...]"}, 1, any_number, [](const Arguments& a) -> Value { return coshape(mode_of(a)); }},
    Function{{"cosize", "layout [, mode...]"}, 1, any_number,
             [](const Arguments& a) -> Value { return Tree(cosize(mode_of(a))); }},
    Function{{"crd2crd", "coord, shape, shape"}, 3, 3,
             [](const Arguments& a) -> Value { return crd2crd(a.tree(0), a.shape(1), a.shape(2)); }},
    Function{{"crd2idx", "coord, layout | shape [, stride]"}, 2, 3, run_crd2idx},
    Function{{"depth", "layout | shape [, mode...]"}, 1, any_number,
             [](const Arguments& a) -> Value {
               return Tree(Int::make_static(static_cast<std::int64_t>(depth(mode_of(a).shape()))));
             }},
    Function{{"dice", "coord, layout | tuple"}, 2, 2, run_dice},
    Function{{"downcast", "layout | swizzle, factor"}, 2, 2, run_downcast},
    Function{{"eval", "layout, coord"}, 2, 2, run_eval},
    Function{{"evenly_divides", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return evenly_divides(a.shape(0), a.shape(1)); }},
    Function{{"filter", "layout [, profile]"}, 1, 2, simplified<filter, filter>},
    Function{{"filter_zeros", "layout"}, 1, 1,
             [](const Arguments& a) { return inside(a, 0, [](const Layout& l) { return filter_zeros(l); }); }},
    Function{{"flat_divide", "layout, tiler"}, 2, 2, tiled<flat_divide>},
    Function{{"flat_product", "layout, tiler"}, 2, 2, tiled<flat_product>},
    Function{{"flatten", "layout | tuple"}, 1, 1,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(flatten(TreeRef(a.tree(0))))
                                    : inside(a, 0, [](const Layout& l) { return flatten(l); });
             }},
    Function{{"get", "layout | tuple, mode..."}, 2, any_number, run_get},
    Function{{"group", "layout | tuple, begin, end"}, 3, 3,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(group(TreeRef(a.tree(0)), a.index(1), a.index(2)))
                                    : inside(a, 0, [&](const Layout& l) { return group(l, a.index(1), a.index(2)); });
             }},
    Function{{"idx2crd", "index, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return idx2crd(a.tree(0), a.shape(1)); }},
    Function{{"is_bijective", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return is_bijective(domain(a.any_layout(0))); }},
    Function{{"is_injective", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return is_injective(domain(a.any_layout(0))); }},
    Function{{"is_surjective", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return is_surjective(domain(a.any_layout(0))); }},
    Function{{"left_inverse", "layout | swizzle"}, 1, 1, run_left_inverse},
    Function{{"local_partition", "layout | tensor, threads, index [, projection]"}, 3, 4, run_local_partition},
    Function{{"local_tile", "layout | tensor, tiler, coord [, projection]"}, 3, 4, run_local_tile},
    Function{{"logical_divide", "layout, tiler"}, 2, 2, tiled<logical_divide>},
    Function{{"logical_product", "layout, tiler"}, 2, 2, tiled<logical_product>},
    Function{{"make_fragment_like", "layout | shape"}, 1, 1,
             [](const Arguments& a) -> Value {
               return a.is<Tree>(0) ? make_layout(a.shape(0)) : make_fragment_like(domain(a.any_layout(0)), a.policy());
             }},
    Function{{"make_identity_layout", "shape"}, 1, 1,
             [](const Arguments& a) -> Value { return make_identity_layout(a.shape(0)); }},
    Function{{"make_layout", "shape [, stride | LayoutLeft | LayoutRight] | layout..."}, 1, any_number, run_make_layout},
    Function{{"make_layout_like", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return make_layout_like(a.layout(0), a.policy()); }},
    Function{{"make_ordered_layout", "shape, order"}, 2, 2,
             [](const Arguments& a) -> Value { return make_ordered_layout(a.shape(0), a.order(1), a.policy()); }},
    Function{{"max_alignment", "layout | swizzle"}, 1, 1,
             [](const Arguments& a) -> Value {
               return a.is<Swizzle>(0) ? Tree(Int::make_static(std::int64_t{1} << a.swizzle(0).base()))
                                       : Tree(max_alignment(a.any_layout(0), a.policy()));
             }},
    Function{{"max_common_layout", "layout, layout"}, 2, 2,
             [](const Arguments& a) {
               return to_value(max_common_layout(a.any_layout(0), a.any_layout(1), a.policy()));
             }},
    Function{{"max_common_vector", "layout, layout"}, 2, 2,
             [](const Arguments& a) -> Value {
               return Tree(max_common_vector(a.any_layout(0), a.any_layout(1), a.policy()));
             }},
    Function{{"nullspace", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return nullspace(a.layout(0), a.policy()); }},
    Function{{"prepend", "layout [, rank] [, mode]"}, 1, 3, extended<prepend, prepend>},
    Function{{"product", "shape"}, 1, 1, [](const Arguments& a) -> Value { return Tree(product(a.shape(0))); }},
    Function{{"raked_product", "layout, layout"}, 2, 2, product_of<raked_product>},
    Function{{"rank", "layout | shape [, mode...]"}, 1, any_number,
             [](const Arguments& a) -> Value {
               return Tree(Int::make_static(static_cast<std::int64_t>(mode_of(a).rank())));
             }},
    Function{{"replace", "layout | tuple, mode, new"}, 3, 3,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(replace(TreeRef(a.tree(0)), a.index(1), a.tree(2)))
                                    : inside(a, 0, [&](const Layout& l) { return replace(l, a.index(1), a.layout(2)); });
             }},
    Function{{"right_inverse", "layout | swizzle"}, 1, 1, run_right_inverse},
    Function{{"shape", "layout [, mode...]"}, 1, any_number, [](const Arguments& a) -> Value { return mode_of(a).shape(); }},
    Function{{"size", "layout | shape [, mode...]"}, 1, any_number,
             [](const Arguments& a) -> Value { return Tree(size(mode_of(a))); }},
    Function{{"slice", "coord, layout | tensor | tuple"}, 2, 2, run_slice},
    Function{{"stride", "layout [, mode...]"}, 1, any_number,
             [](const Arguments& a) -> Value {
               if (!a.is<Layout>(0) && !a.is<Tensor>(0)) {
                 a.wrong(0, "a layout without a swizzle, as only those have strides");
               }
               return mode_of(a).stride();
             }},
    Function{{"take", "layout | tuple, begin, end"}, 3, 3,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(take(TreeRef(a.tree(0)), a.index(1), a.index(2)))
                                    : inside(a, 0, [&](const Layout& l) { return take(l, a.index(1), a.index(2)); });
             }},
    Function{{"tile_to_shape", "layout, shape [, order]"}, 2, 3,
             [](const Arguments& a) {
               return inside(a, 0, [&](const Layout& l) {
                 return tile_to_shape(l, a.shape(1), a.count() == 3 ? a.order(2) : Order(Major::left), a.policy());
               });
             }},
    Function{{"tiled_divide", "layout, tiler"}, 2, 2, tiled<tiled_divide>},
    Function{{"tiled_product", "layout, tiler"}, 2, 2, tiled<tiled_product>},
    Function{{"upcast", "layout | swizzle, factor"}, 2, 2, run_upcast},
    Function{{"weakly_congruent", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return weakly_congruent(a.shape(0), a.shape(1)); }},
    Function{{"zipped_divide", "layout, tiler"}, 2, 2, tiled<zipped_divide>},
    Function{{"zipped_product", "layout, tiler"}, 2, 2, tiled<zipped_product>},
};

}  // namespace

std::span<const Function> function_table() {
  return table;
}

}  // namespace tileloom::layout
