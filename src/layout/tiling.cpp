// SPDX-License-Identifier: Apache-2.0
// Divides, products and what is built from them.
#include <algorithm>

#include "layout/engine.hpp"
#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

// Mode by mode; modes without a tiler stay.
template <class F>
Layout by_mode(const char* what, const Layout& a, const Tiler& t, const F& f) {
  if (t.modes().size() > a.rank()) {
    fail(std::string(what) + ": the tiler " + to_string(t) + " has more modes than the layout " + to_string(a));
  }
  LayoutBuilder b;
  b.open();
  for (std::size_t i = 0; i < a.rank(); ++i) {
    b.append(i < t.modes().size() ? f(a[i], t.modes()[i]) : a[i]);
  }
  b.close();
  return b.take();
}

Layout as_layout(const Tiler& t) {
  return t.is_layout() ? t.layout() : Layout(Tree(t.leaf()));
}

// ((A,a),((B,b),(C,c)),d) with a guide of profile (X,(X,X)) becomes ((A,(B,C)),(a,(b,c),d)).

void zip2_into(TreeRef t, const Tiler& guide, TreeBuilder& tile, TreeBuilder& rest) {
  if (!guide.is_modes()) {
    if (!t.is_tuple() || t.rank() != 2) {
      fail("tile: " + to_string(t) + " was not divided in two by the tiler " + to_string(guide),
           "every mode of the tiler must be a size or a layout here, not _");
    }
    tile.append(t[0]);
    rest.append(t[1]);
    return;
  }
  tile.open();
  rest.open();
  for (std::size_t i = 0; i < t.rank(); ++i) {
    if (i < guide.modes().size()) {
      zip2_into(t[i], guide.modes()[i], tile, rest);
    } else {
      rest.append(t[i]);
    }
  }
  tile.close();
  rest.close();
}

Tree zip2(TreeRef t, const Tiler& guide) {
  if (!guide.is_modes() && t.rank() == 2) {
    return Tree(t);
  }
  TreeBuilder tile;
  TreeBuilder rest;
  zip2_into(t, guide, tile, rest);
  TreeBuilder both;
  both.open();
  both.append(tile.take());
  both.append(rest.take());
  both.close();
  return both.take();
}

Layout tile_unzip(const Layout& l, const Tiler& t) {
  return Layout::from_parts(zip2(l.shape(), t), zip2(l.stride(), t));
}

// Unpacks mode 1 of a rank-2 layout, and mode 0 too if `both`. A mode that is no tuple stays as it is, and so does a
// tuple of one, as CuTe's repeat<1>(_) is not a tuple.
Layout unpack(const Layout& l, bool both) {
  LayoutBuilder b;
  b.open();
  for (std::size_t i = 0; i < 2; ++i) {
    const LayoutRef m = LayoutRef(l)[i];
    if ((i == 0 && !both) || m.rank() == 1) {
      b.append(m);
      continue;
    }
    for (std::size_t k = 0; k < m.rank(); ++k) {
      b.append(m[k]);
    }
  }
  b.close();
  return b.take();
}

}  // namespace

// --- Divides -----------------------------------------------------------------------------------------------------

namespace {

// Elements of a tile, of all tiles, and the last index that they reach (broadcasts in T aside).
struct Coverage {
  std::int64_t in_tile = 1;
  std::int64_t in_all = 1;
  std::int64_t last = 0;
};

Coverage coverage(const Layout& t, const Layout& rest) {
  Coverage c;
  const auto visit = [&](const Int& s, const Int& d) {
    if (d.value != 0) {
      c.in_all = checked_mul(c.in_all, s.value);
      c.last = checked_add(c.last, checked_mul(s.value - 1, abs(d).value));
    }
  };
  for_each_mode(t, visit);
  c.in_tile = c.in_all;
  for_each_mode(rest, visit);
  return c;
}

// T and its complement must map onto 0..size(A)-1, each once.
bool covers(const Coverage& c, std::int64_t total) {
  return c.in_all == total && checked_add(c.last, 1) == total;
}

[[noreturn]] void refuse_divide(const Layout& a, const Layout& t, const Coverage& c) {
  const std::int64_t total = size(a).value;
  fail(
      "logical_divide: the tiler " + to_string(t) + " does not divide the " + std::to_string(total) + " elements of " +
          to_string(a) + ": tiles of " + std::to_string(c.in_tile) + " times " + std::to_string(c.in_all / c.in_tile) +
          (c.in_all == total ? " reach index " + std::to_string(c.last) : " make " + std::to_string(c.in_all)),
      "pad the layout or choose a tiler that divides it; CuTe's answer, with tiles past the end, is what --cute shows");
}

Layout divide(const Layout& a, const Layout& t, const Policy& policy) {
  Layout rest = complement(t, cute.coalesce(a).shape(), policy);
  const std::int64_t total = size(a).value;
  if (!is_cute(policy) && !covers(coverage(t, rest), total)) {
    // Modes that CuTe keeps apart or keeps at all may be one or none by their values.
    const std::optional<Layout> whole = solve_complement(t, Tree(size(a)), nullptr);
    if (!whole || !covers(coverage(t, *whole), total)) {
      refuse_divide(a, t, coverage(t, rest));
    }
    note(policy, "logical_divide: CuTe divides " + to_string(a) + " mode by mode, with the rest " + to_string(rest) +
                     "; the answer here divides its " + std::to_string(total) + " elements");
    rest = *whole;
  }
  return composition(a, pair(t, rest), policy);
}

}  // namespace

Layout logical_divide(const Layout& a, const Tiler& t, const Policy& policy) {
  if (t.is_modes()) {
    return by_mode("logical_divide", a, t,
                   [&](const Layout& l, const Tiler& x) { return logical_divide(l, x, policy); });
  }
  return t.keeps_mode() ? a : divide(a, as_layout(t), policy);
}

Layout zipped_divide(const Layout& a, const Tiler& t, const Policy& policy) {
  const Layout l = logical_divide(a, t, policy);
  step(
      policy, [&] { return "logical_divide(" + to_string(a) + ", " + to_string(t) + ")"; }, l);
  return tile_unzip(l, t);
}

Layout tiled_divide(const Layout& a, const Tiler& t, const Policy& policy) {
  return unpack(zipped_divide(a, t, policy), false);
}
Layout flat_divide(const Layout& a, const Tiler& t, const Policy& policy) {
  return unpack(zipped_divide(a, t, policy), true);
}

// --- Products ----------------------------------------------------------------------------------------------------

namespace {

// Offsets for `count` copies of `a`. For an `a` with holes CuTe's target, size(a) * count, can give too few.
Layout places_for(const Layout& a, const Int& count, const Policy& policy) {
  Int target = mul(size(a), count);
  Layout places = complement(a, Tree(target), policy);
  if (is_cute(policy) || size(places).value >= count.value) {
    return places;
  }
  const Layout few = places;
  while (size(places).value < count.value) {
    target = mul(target, Int::make_static(2));
    places = complement(a, Tree(target), Policy(policy.semantics));
  }
  note(policy, "logical_product: CuTe places copies of " + to_string(a) + " by " + to_string(few) + ", which has " +
                   std::to_string(size(few).value) + " places for " + std::to_string(count.value) +
                   " copies; the answer here uses " + to_string(places));
  return places;
}

}  // namespace

Layout logical_product(const Layout& a, const Tiler& t, const Policy& policy) {
  if (t.is_modes()) {
    return by_mode("logical_product", a, t,
                   [&](const Layout& l, const Tiler& x) { return logical_product(l, x, policy); });
  }
  if (t.keeps_mode()) {
    return a;
  }
  const Layout tiler = as_layout(t);
  return pair(a, composition(places_for(a, cosize(tiler), policy), tiler, policy));
}

Layout zipped_product(const Layout& a, const Tiler& t, const Policy& policy) {
  const Layout l = logical_product(a, t, policy);
  step(
      policy, [&] { return "logical_product(" + to_string(a) + ", " + to_string(t) + ")"; }, l);
  return tile_unzip(l, t);
}
Layout tiled_product(const Layout& a, const Tiler& t, const Policy& policy) {
  return unpack(zipped_product(a, t, policy), false);
}
Layout flat_product(const Layout& a, const Tiler& t, const Policy& policy) {
  return unpack(zipped_product(a, t, policy), true);
}

namespace {

Layout zip_modes(const LayoutRef& x, const LayoutRef& y) {
  if (!x.shape.is_tuple()) {
    LayoutBuilder b;
    b.open();
    b.append(pair(x, y));
    b.close();
    return b.take();
  }
  if (!y.shape.is_tuple() || x.rank() != y.rank()) {
    fail("product: the modes of " + to_string(x) + " and " + to_string(y) + " do not pair up",
         "write the one-mode argument with or without parentheses like the other");
  }
  LayoutBuilder b;
  b.open();
  for (std::size_t i = 0; i < x.rank(); ++i) {
    b.append(pair(x[i], y[i]));
  }
  b.close();
  return b.take();
}

// Block and tiler with as many modes as the longer of them has, multiplied.
Layout padded_product(const Layout& a, const Layout& t, const Policy& policy) {
  const std::size_t rank = std::max(a.rank(), t.rank());
  const Layout block = append(a, rank);
  const Layout tiler = append(t, rank);
  Layout l = logical_product(block, tiler, policy);
  step(
      policy, [&] { return "logical_product(" + to_string(block) + ", " + to_string(tiler) + ")"; }, l);
  return l;
}

}  // namespace

Layout blocked_product(const Layout& a, const Layout& t, const Policy& policy) {
  const Layout l = padded_product(a, t, policy);
  return zip_modes(LayoutRef(l)[0], LayoutRef(l)[1]);
}

Layout raked_product(const Layout& a, const Layout& t, const Policy& policy) {
  const Layout l = padded_product(a, t, policy);
  return zip_modes(LayoutRef(l)[1], LayoutRef(l)[0]);
}

Layout tile_to_shape(const Layout& a, TreeRef shape, const Order& order, const Policy& policy) {
  if (a.rank() > shape.rank()) {
    fail("tile_to_shape: the layout " + to_string(a) + " has more modes than the shape " + to_string(shape));
  }
  check_sizes(shape);
  const Layout block = append(a, shape.rank());
  const Tree block_shape = product_each(block.shape());
  const Tree target = product_each(shape);
  if ((!is_cute(policy) || all_static(target)) && !evenly_divides(target, block_shape)) {
    fail("tile_to_shape: the block " + to_string(block_shape) + " does not divide the shape " + to_string(target),
         "choose a shape whose sizes are multiples of the block's");
  }
  if (is_cute(policy) && all_static(target) && !all_static(block_shape)) {
    fail("tile_to_shape: CuTe needs a static block for the static shape " + to_string(target));
  }
  const Layout tiler = make_ordered_layout(ceil_div(target, block_shape), order, policy);
  step(
      policy, [&] { return "make_ordered_layout(" + to_string(ceil_div(target, block_shape)) + ", order)"; }, tiler);
  return blocked_product(block, tiler, policy);
}

}  // namespace tileloom::layout
