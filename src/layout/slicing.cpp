// SPDX-License-Identifier: Apache-2.0
// Fixing coordinates of swizzled layouts, and tiles and partitions, which are that.
//
// The bits of an offset that a swizzle reads or changes are its active bits. If what is left of the layout touches
// them only where they do not meet, the swizzle acts on it as a change of strides, and the result is a plain layout.
#include <bit>
#include <optional>

#include "layout/engine.hpp"
#include "layout/fail.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

// 32 bits, of which `dynamic` are not known statically.
struct Bits {
  std::uint32_t value = 0;
  std::uint32_t dynamic = 0;
};

Bits operator^(const Bits& a, const Bits& b) {
  const std::uint32_t value = a.value ^ b.value;
  return {value, a.dynamic | b.dynamic};
}

// The bits that coordinate c of one mode contributes.
Bits mode_bits(const Int& shape, const Int& stride, const Int& coord) {
  const Int span = mul(shape, stride);
  if (!span.is_static() || span.value < 0 ||
      (span.value != 0 && !std::has_single_bit(static_cast<std::uint64_t>(span.value)))) {
    fail("slice: the mode " + to_string(Tree(shape)) + ":" + to_string(Tree(stride)) +
         " meets the swizzle but is not a static power of two");
  }
  const Int offset = mul(coord, stride);
  const auto reach = static_cast<std::uint32_t>(mul(sub(shape, static_1), stride).value);
  if (offset.is_static()) {
    return {static_cast<std::uint32_t>(offset.value) & reach, 0};
  }
  return {static_cast<std::uint32_t>(offset.value) & reach, reach};
}

Bits layout_bits(const Layout& l, TreeRef coord) {
  const Tree full = idx2crd(coord, l.shape());
  if (!congruent(full, l.shape())) {
    fail("slice: coordinate " + to_string(coord) + " does not fit " + to_string(l));
  }
  Bits bits;
  const Int* c = full.nodes();
  for (const Int *s = l.shape().nodes(), *d = l.stride().nodes(); s != l.shape().nodes() + l.shape().node_count();
       ++s, ++d, ++c) {
    if (!s->is_tuple()) {
      bits = bits ^ mode_bits(*s, *d, *c);
    }
  }
  return bits;
}

Offset combine(const Offset& offset, const Bits& bits) {
  if (offset.mixed == 0 && !offset.value.is_static()) {
    return {Int::make_dynamic(offset.value.value ^ bits.value), 0};
  }
  const Bits sum = Bits{static_cast<std::uint32_t>(offset.value.value), offset.mixed} ^ bits;
  if (sum.dynamic == 0) {
    return {Int::make_static(sum.value), 0};
  }
  return {Int::make_dynamic(sum.value), sum.dynamic};
}

// Is `offset & mask` zero, and is that known statically?
struct Test {
  bool zero;
  bool fixed;
};
Test test(const Offset& offset, std::int64_t mask) {
  const bool fixed = offset.value.is_static() || (offset.mixed != 0 && (offset.mixed & mask) == 0);
  return {(offset.value.value & mask) == 0, fixed};
}

Int select(const Test& t, std::int64_t if_zero, std::int64_t otherwise) {
  const std::int64_t v = t.zero ? if_zero : otherwise;
  return t.fixed || if_zero == otherwise ? Int::make_static(v) : Int::make_dynamic(v);
}

// A layout of the swizzle's index space (below M, Z or Y, between, Y or Z, above) with these strides.
Layout index_space(const Swizzle& sw, const std::array<std::int64_t, 5>& strides) {
  const auto power = [](int e) { return Int::make_static(std::int64_t{1} << e); };
  const int distance = std::abs(sw.shift());
  const std::array<Int, 5> sizes = {power(sw.base()), power(sw.bits()), power(distance - sw.bits()), power(sw.bits()),
                                    static_1};
  LayoutBuilder b;
  b.open();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    b.mode(sizes[i], Int::make_static(strides[i]));
  }
  b.close();
  return b.take();
}

// The layout that the swizzle amounts to at `offset`, where at most one of Z and Y varies.
Layout unswizzled_space(const Swizzle& sw, const Offset& offset) {
  const std::int64_t z = sw.zzz() & -sw.zzz();
  const std::int64_t y = sw.yyy() & -sw.yyy();
  const auto bit_modes = [&](bool of_z, LayoutBuilder& b) {
    if (sw.bits() != 1) {
      b.open();
    }
    for (int i = 0; i < sw.bits(); ++i) {
      const std::int64_t bit = std::int64_t{1} << i;
      b.mode(Int::make_static(2), of_z ? select(test(offset, y << i), z * bit, -z * bit)
                                       : select(test(offset, z << i), (y + z) * bit, (y - z) * bit));
    }
    if (sw.bits() != 1) {
      b.close();
    }
  };
  const int distance = std::abs(sw.shift());
  const auto power = [](int e) { return Int::make_static(std::int64_t{1} << e); };
  LayoutBuilder b;
  b.open();
  b.mode(power(sw.base()), static_1);
  bit_modes(z < y, b);
  b.mode(power(distance - sw.bits()), power(sw.base() + sw.bits()));
  bit_modes(z > y, b);
  b.mode(static_1, power(sw.base() + sw.bits() + distance));
  b.close();
  return b.take();
}

bool all_any(TreeRef coord) {
  for (const Int* p = coord.nodes(); p != coord.nodes() + coord.node_count(); ++p) {
    if (!p->is_tuple() && !p->is_any()) {
      return false;
    }
  }
  return true;
}

Sliced slice_swizzled(TreeRef coord, const ComposedLayout& a) {
  const Swizzle& sw = a.swizzle();
  if (sw.bits() == 0) {
    Layout left = slice(coord, a.layout());
    const Layout fixed = dice(coord, a.layout());
    Tree rest = crd2idx(dice(coord, coord), fixed.shape(), fixed.stride());
    return {std::move(left), Tree(add(a.offset().value, rest.leaf()))};
  }
  const std::int64_t low = std::int64_t{1} << sw.base();
  const std::int64_t mid = std::int64_t{1} << (sw.base() + sw.bits());
  const std::int64_t high = std::int64_t{1} << (sw.base() + std::abs(sw.shift()));
  const Layout anti = index_space(sw, {1, 0, mid, 0, high << sw.bits()});
  const Layout only = index_space(sw, {0, low, 0, high, 0});

  const Layout left = slice(coord, a.layout());
  const Layout fixed = dice(coord, a.layout());
  const Tree fixed_coord = dice(coord, coord);
  const Engine cute(false);
  const Layout fixed_anti = cute.composition(anti, fixed);
  const Layout fixed_only = cute.composition(only, fixed);
  const Offset offset = combine(a.offset(), layout_bits(fixed_only, fixed_coord));
  const Tree passed = crd2idx(fixed_coord, fixed_anti.shape(), fixed_anti.stride());

  const Layout left_only = cute.composition(only, left);
  const Tree active = crd2idx(Tree(sub(size(left_only), static_1)), left_only.shape(), left_only.stride());
  const std::int64_t bits = active.leaf().value;
  if (active.leaf().is_static() && (bits & ~sw(bits)) != 0) {
    return {ComposedLayout(sw, offset, left), passed};
  }
  Int start = offset.value;
  start.value = sw(start.value);
  return {cute.composition(unswizzled_space(sw, offset), left), Tree(add(start, passed.leaf()))};
}

// Does layout(c) + offset equal A(coord with c filled in)?
bool slice_holds(TreeRef coord, const AnyLayout& a, const Sliced& s) {
  const Layout left = slice(coord, domain(a));
  const Layout fixed = dice(coord, domain(a));
  const Tree base = crd2idx(dice(coord, coord), fixed.shape(), fixed.stride());
  const std::int64_t n = size(left).value;
  if (n > (std::int64_t{1} << 22) || base.is_tuple() || s.offset.is_tuple()) {
    return true;
  }
  const auto& whole = std::get<ComposedLayout>(a);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t want = whole.swizzle()(whole.offset().value.value + base.leaf().value + left(i));
    const std::int64_t got = std::visit([&](const auto& l) { return l(i); }, s.layout) + s.offset.leaf().value;
    if (want != got) {
      return false;
    }
  }
  return true;
}

}  // namespace

Sliced slice_and_offset(TreeRef coord, const AnyLayout& a, const Policy& policy) {
  if (const auto* plain = std::get_if<Layout>(&a)) {
    const Layout fixed = dice(coord, *plain);
    const Tree fixed_coord = dice(coord, coord);
    Tree offset = static_0;
    if (fixed_coord.rank() != 0) {
      offset = crd2idx(fixed_coord, fixed.shape(), fixed.stride());
    }
    return {slice(coord, *plain), std::move(offset)};
  }
  const auto& composed = std::get<ComposedLayout>(a);
  if (all_any(coord)) {
    return {within(a, [&](const Layout& l) { return slice(coord, l); }), static_0};
  }
  Sliced s = slice_swizzled(coord, composed);
  if (policy.semantics == Semantics::correct && !slice_holds(coord, a, s)) {
    fail("slice: " + to_string(coord) + " of " + to_string(composed) + " is not layout plus offset in CuTe's form: " +
         to_string(s.layout) + " with offset " + to_string(s.offset) + " differs from the swizzled layout");
  }
  return s;
}

// --- Tiles and partitions ----------------------------------------------------------------------------------------

namespace {

// `coord` with `_` added up to `rank` modes; an integer stays an integer.
Tree with_wildcards(TreeRef coord, std::size_t rank) {
  return coord.is_tuple() ? append(coord, Tree(Int::make_any()), rank) : Tree(coord);
}

Tree wildcards(std::size_t rank) {
  return rank == 1 ? Tree(Int::make_any()) : append(Tree(Int::make_any()), Tree(Int::make_any()), rank);
}

bool is_inside(TreeRef coord, TreeRef shape) {
  if (coord.is_leaf()) {
    const Int& c = coord.leaf();
    return c.is_any() || (c.value >= 0 && c.value < product(shape).value);
  }
  if (!shape.is_tuple()) {
    return coord.rank() == 1 && is_inside(coord[0], shape);
  }
  if (coord.rank() > shape.rank()) {
    return false;
  }
  for (std::size_t i = 0; i < coord.rank(); ++i) {
    if (!is_inside(coord[i], shape[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

Sliced local_tile(const AnyLayout& a, const Tiler& tiler, TreeRef coord, const Policy& policy) {
  const AnyLayout tiled = within(a, [&](const Layout& l) { return zipped_divide(l, tiler, policy); });
  const LayoutRef both = domain(tiled);
  if (policy.semantics == Semantics::correct && !is_inside(coord, both[1].shape)) {
    fail("local_tile: expected a coordinate among tiles of shape " + to_string(both[1].shape) + ", found " +
         to_string(coord));
  }
  return slice_and_offset(Tree::tuple({wildcards(both[0].rank()), with_wildcards(coord, both[1].rank())}), tiled,
                          policy);
}

Sliced local_partition(const AnyLayout& a, const Layout& threads, const Int& index, const Policy& policy) {
  TreeBuilder position;
  position.open();
  for (std::size_t i = 0; i < threads.rank(); ++i) {
    // The coordinate of `index` in each mode; only compact thread layouts have one.
    const LayoutRef mode = LayoutRef(threads)[i];
    Int c = static_0;
    Int before = static_1;
    for_each_mode(mode, [&](const Int& s, const Int& d) {
      if (!(s.is_static() && s.value == 1)) {
        c = add(c, mul(before, mod(div(index, d), s)));
      }
      before = mul(before, s);
    });
    position.leaf(c);
  }
  position.close();
  const Tiler tiler = Tiler::from_tree(product_each(threads.shape()));
  const AnyLayout tiled = within(a, [&](const Layout& l) { return zipped_divide(l, tiler, policy); });
  const LayoutRef both = domain(tiled);
  return slice_and_offset(Tree::tuple({with_wildcards(position.take(), both[0].rank()), wildcards(both[1].rank())}),
                          tiled, policy);
}

}  // namespace tileloom::layout
