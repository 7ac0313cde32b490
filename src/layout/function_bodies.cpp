// SPDX-License-Identifier: Apache-2.0
#include "layout/function_bodies.hpp"

#include "layout/fail.hpp"
#include "layout/tensors.hpp"

namespace tileloom::layout {

Value run_composition(const Arguments& a) {
  const Policy& p = a.policy();
  if (a.count() == 3) {
    const Int offset = a.integer(1);
    if (a.swizzle(0).bits() == 0 && offset == static_0) {
      return a.layout(2);
    }
    return ComposedLayout(a.swizzle(0), {offset, 0}, a.layout(2));
  }
  if (a.is<Swizzle>(0)) {
    if (a.is<Swizzle>(1)) {
      return composition(a.swizzle(0), a.swizzle(1), p);
    }
    return to_value(composition(a.swizzle(0), a.layout(1)));
  }
  if (a.is<Layout>(0) && a.is<Swizzle>(1)) {
    return to_value(composition(a.layout(0), a.swizzle(1), p));
  }
  if (a.is<Layout>(0) && a.is<ComposedLayout>(1)) {
    return to_value(composition(a.layout(0), std::get<ComposedLayout>(a[1]), p));
  }
  return inside(a, 0, [&](const Layout& l) { return composition(l, a.tiler(1), p); });
}

Value run_complement(const Arguments& a) {
  const Layout l = domain(a.any_layout(0));
  return a.count() == 1 ? complement(l, a.policy()) : complement(l, a.shape(1), a.policy());
}

Value run_make_layout(const Arguments& a) {
  if (a.is<Swizzle>(0)) {
    fail("make_layout: a swizzle alone has no shape", "use composition(Sw<...>, layout)");
  }
  if (a.is<Layout>(0)) {
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < a.count(); ++i) {
      modes.push_back(a.layout(i));
    }
    return make_layout(modes);
  }
  if (a.count() > 2) {
    a.wrong(2, "at most two arguments after a shape");
  }
  if (a.is<Tree>(1)) {
    return Layout(a.shape(0), a.tree(1));
  }
  return make_layout(a.shape(0), a.count() == 2 ? std::get<Major>(a.order(1)) : Major::left);
}

Value run_get(const Arguments& a) {
  const auto descend = [&](auto view) {
    for (std::size_t i = 1; i < a.count(); ++i) {
      view = view[a.index(i)];
    }
    return view;
  };
  if (a.is<Tree>(0)) {
    return Tree(descend(TreeRef(a.tree(0))));
  }
  return inside(a, 0, [&](const Layout& l) { return Layout(descend(LayoutRef(l))); });
}

Layout mode_of(const Arguments& a) {
  const Layout whole = a.is<Tree>(0) ? Layout(a.tree(0)) : domain(a.any_layout(0));
  LayoutRef view = whole;
  for (std::size_t i = 1; i < a.count(); ++i) {
    view = view[a.index(i)];
  }
  return Layout(view);
}

Value run_slice(const Arguments& a) {
  const Tree& coord = a.tree(0);
  if (a.is<Tree>(1)) {
    return slice(coord, a.tree(1));
  }
  return cut(a, 1, [&](const AnyLayout& l) { return slice_and_offset(coord, l, a.policy()); });
}

Value run_dice(const Arguments& a) {
  if (a.is<Tree>(1)) {
    return dice(a.tree(0), a.tree(1));
  }
  return inside(a, 1, [&](const Layout& l) { return dice(a.tree(0), l); });
}

namespace {
// A projection keeps the modes where it has an integer.
Tiler projected(const Tree& projection, const Tiler& t) {
  if (!t.is_modes() || !projection.is_tuple() || projection.rank() != t.modes().size()) {
    fail("local_tile: the projection " + to_string(projection) + " does not fit the tiler " + to_string(t));
  }
  std::vector<Tiler> kept;
  for (std::size_t i = 0; i < projection.rank(); ++i) {
    if (projection[i].is_tuple() || !projection[i].leaf().is_any()) {
      kept.push_back(t.modes()[i]);
    }
  }
  return Tiler(std::move(kept));
}
}  // namespace

Value run_local_tile(const Arguments& a) {
  const Tiler tiler = a.count() == 4 ? projected(a.tree(3), a.tiler(1)) : a.tiler(1);
  const Tree coord = a.count() == 4 ? dice(a.tree(3), a.tree(2)) : a.tree(2);
  return cut(a, 0, [&](const AnyLayout& l) { return local_tile(l, tiler, coord, a.policy()); });
}

Value run_local_partition(const Arguments& a) {
  const Layout threads = a.count() == 4 ? dice(a.tree(3), a.layout(1)) : a.layout(1);
  return cut(a, 0, [&](const AnyLayout& l) { return local_partition(l, threads, a.integer(2), a.policy()); });
}

Value run_eval(const Arguments& a) {
  const Tree& coord = a.tree(1);
  if (!has_any(coord)) {
    Tree offset = evaluate(a.any_layout(0), coord);
    if (a.is<Tensor>(0) && std::holds_alternative<Tree>(std::get<Tensor>(a[0]).engine)) {
      return sum_of_coordinates(std::get<Tree>(std::get<Tensor>(a[0]).engine), offset);
    }
    return offset;
  }
  return cut(a, 0, [&](const AnyLayout& l) { return slice_and_offset(coord, l, a.policy()); });
}

Value run_crd2idx(const Arguments& a) {
  if (a.count() == 3) {
    const Layout checked(a.shape(1), a.tree(2));
    return crd2idx(a.tree(0), checked.shape(), checked.stride());
  }
  if (a.is<Tree>(1)) {
    return Tree(crd2idx(a.tree(0), a.shape(1)));
  }
  return evaluate(a.any_layout(1), a.tree(0));
}

Value run_upcast(const Arguments& a) {
  const std::int64_t n = a.factor(1);
  return a.is<Swizzle>(0) ? Value(upcast(a.swizzle(0), n)) : to_value(upcast(a.any_layout(0), n, a.policy()));
}

Value run_downcast(const Arguments& a) {
  const std::int64_t n = a.factor(1);
  return a.is<Swizzle>(0) ? Value(downcast(a.swizzle(0), n)) : to_value(downcast(a.any_layout(0), n, a.policy()));
}

Value run_right_inverse(const Arguments& a) {
  return a.is<Swizzle>(0) ? a[0] : to_value(right_inverse(a.any_layout(0), a.policy()));
}

Value run_left_inverse(const Arguments& a) {
  return a.is<Swizzle>(0) ? a[0] : to_value(left_inverse(a.any_layout(0), a.policy()));
}

}  // namespace tileloom::layout
