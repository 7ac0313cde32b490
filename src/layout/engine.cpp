// SPDX-License-Identifier: Apache-2.0
#include "layout/engine.hpp"

#include <algorithm>

#include "layout/coordinate.hpp"
#include "layout/fail.hpp"

namespace tileloom::layout {

Modes Engine::coalesced(const Modes& flat, bool extended) const {
  if (flat.empty()) {
    fail("coalesce: the empty layout ():() has no modes");
  }
  // Backwards, as CuTe does: `reversed` ends with the mode that the next one may merge with.
  Modes reversed;
  Mode last = flat.back();
  if (extended && is(last.shape, 1)) {
    last.shape = Int::make_static(2);  // any size but 1: beyond the layout's size this stride goes on
  }
  reversed.push_back(last);
  for (std::size_t i = flat.size() - 1; i-- > 0;) {
    const Mode& m = flat[i];
    Mode& front = reversed.back();
    if (is(m.shape, 1)) {
      continue;
    }
    if (reversed.size() == 1 && is(front.shape, 1)) {
      front = m;
      continue;
    }
    const Int step = mul(m.shape, m.stride);
    const bool joins = decided(front.shape) && decided(step) && decided(front.stride) &&
                       step.value == front.stride.value && step.same_basis(front.stride);
    if (joins) {
      front = {mul(m.shape, front.shape), m.stride};
    } else {
      reversed.push_back(m);
    }
  }
  if (reversed.size() == 1 && is(reversed[0].shape, 1)) {
    reversed[0] = {static_1, static_0};
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

Layout Engine::coalesce(LayoutRef l, TreeRef profile, bool extended) const {
  if (profile.is_leaf()) {
    return to_layout(coalesced(l, extended));
  }
  if (profile.rank() > l.rank()) {
    fail("coalesce: the profile " + to_string(profile) + " has more modes than the layout " + to_string(l));
  }
  LayoutBuilder b;
  b.open();
  for (std::size_t i = 0; i < l.rank(); ++i) {
    if (i < profile.rank()) {
      b.append(coalesce(l[i], profile[i], extended));
    } else {
      b.append(l[i]);
    }
  }
  b.close();
  return b.take();
}

Layout Engine::filter_zeros(LayoutRef l) const {
  TreeBuilder b;
  const Int* d = l.stride.nodes();
  SmallVector<Int, inline_nodes> shape;
  shape.append(l.shape.nodes(), l.shape.node_count());
  for (Int& s : shape) {
    if (!s.is_tuple() && is(*d, 0)) {
      s = static_1;
    }
    ++d;
  }
  return Layout::from_parts(Tree(TreeRef(shape.data())), Tree(l.stride));
}

// --- composition -------------------------------------------------------------------------------------------------

Layout Engine::composition(LayoutRef a, LayoutRef b) const {
  LayoutBuilder out;
  if (!has_basis(b.stride)) {
    const Modes flat = coalesced(a, true);
    compose_into(a, &flat, b.shape, b.stride, out);
  } else {
    const Layout lhs = coalesce(a, arithmetic_sum(b.stride), true);
    compose_into(lhs, nullptr, b.shape, b.stride, out);
  }
  return out.take();
}

// `flat_lhs` is null if strides with a basis select the part of `lhs` to compose with.
void Engine::compose_into(LayoutRef lhs, const Modes* flat_lhs, TreeRef shape, TreeRef stride,
                          LayoutBuilder& out) const {
  if (shape.is_tuple()) {
    out.open();
    auto d = stride.begin();
    for (const TreeRef s : shape) {
      compose_into(lhs, flat_lhs, s, *d, out);
      ++d;
    }
    out.close();
    return;
  }
  const Int step = stride.leaf();
  if (flat_lhs != nullptr) {
    compose_leaf(*flat_lhs, shape.leaf(), step, out);
    return;
  }
  LayoutRef part = lhs;
  for (std::size_t i = 0; i < step.basis_depth; ++i) {
    part = part[step.basis[i]];
  }
  if (depth(part.shape) > 1 && !is(step.scalar(), 0)) {
    fail("composition: the stride " + to_string(stride) + " selects " + to_string(part) + ", which is not flat");
  }
  compose_leaf(flat_modes(part), shape.leaf(), step.scalar(), out);
}

void Engine::compose_leaf(const Modes& lhs, const Int& shape, const Int& stride, LayoutBuilder& out) const {
  if (is(stride, 0)) {
    out.mode(shape, stride);
    return;
  }
  if (lhs.size() == 1) {
    out.mode(shape, mul(stride, lhs[0].stride));
    return;
  }
  Modes result;
  Int rest_shape = shape;
  Int rest_stride = stride;
  for (std::size_t i = 0; i + 1 < lhs.size(); ++i) {
    const Int& size = lhs[i].shape;
    if (decided(size) && decided(rest_stride) && rest_stride.value >= size.value && mod(rest_stride, size).value != 0) {
      fail("composition: the stride " + to_string(Tree(rest_stride)) + " is neither below nor a multiple of " +
           to_string(Tree(size)) + ", the size of a mode of the left layout");
    }
    const Int next_shape = ceil_div(size, abs(rest_stride));
    const Int next_stride = mul(ceil_div(abs(rest_stride), size), signum(rest_stride));
    if (!is(next_shape, 1) && !is(rest_shape, 1)) {
      const Int new_shape = min(next_shape, rest_shape);
      if (decided(new_shape) && decided(rest_shape) && mod(rest_shape, new_shape).value != 0) {
        fail("composition: the size " + to_string(Tree(rest_shape)) + " is not a multiple of " +
             to_string(Tree(new_shape)) + ", what is left of a mode of the left layout");
      }
      result.push_back({new_shape, mul(rest_stride, lhs[i].stride)});
      rest_shape = div(rest_shape, new_shape);
    }
    rest_stride = next_stride;
  }
  if (result.empty()) {
    out.mode(rest_shape, mul(rest_stride, lhs.back().stride));
    return;
  }
  if (!is(rest_shape, 1)) {
    result.push_back({rest_shape, mul(rest_stride, lhs.back().stride)});
  }
  if (result.size() == 1) {
    out.mode(result[0].shape, result[0].stride);
    return;
  }
  out.open();
  for (const Mode& m : result) {
    out.mode(m.shape, m.stride);
  }
  out.close();
}

// --- complement --------------------------------------------------------------------------------------------------

Tree Engine::coalesced_shape(TreeRef shape) const {
  if (shape.is_leaf()) {
    return Tree(shape);
  }
  SmallVector<Int, inline_nodes> sizes;
  for (const Int* p = shape.nodes(); p != shape.nodes() + shape.node_count(); ++p) {
    if (p->is_tuple()) {
      continue;
    }
    if (!sizes.empty() && sizes.back().is_static() == p->is_static()) {
      sizes.back() = mul(sizes.back(), *p);
    } else {
      sizes.push_back(*p);
    }
  }
  if (sizes.size() == 1) {
    return Tree(sizes[0]);
  }
  TreeBuilder b;
  b.open();
  for (const Int& s : sizes) {
    b.leaf(s);
  }
  b.close();
  return b.take();
}

std::optional<Layout> Engine::complement(LayoutRef l, TreeRef cotarget, Refusal* why) const {
  Modes nonzero;
  for_each_mode(l, [&](const Int& s, const Int& d) { nonzero.push_back({is(d, 0) ? static_1 : s, d}); });
  Modes modes = coalesced(nonzero);
  if (modes.size() == 1 && is(modes[0].stride, 0)) {
    return Layout(coalesced_shape(cotarget));
  }
  for (const Mode& m : modes) {
    if (m.stride.has_basis()) {
      return refuse(why, [&] {
        return Refusal{"complement: " + to_string(l) + " has basis strides, expected integers", {}};
      });
    }
    if (modes.size() > 1 && !decided(m.stride)) {
      return refuse(why, [&] {
        return Refusal{
            "complement: " + to_string(l) + " has several modes with dynamic strides, whose order is not known", {}};
      });
    }
  }
  Modes result;
  Int reached = static_1;
  while (!modes.empty()) {
    std::size_t least = 0;
    for (std::size_t i = 1; i < modes.size(); ++i) {
      least = modes[i].stride.value < modes[least].stride.value ? i : least;
    }
    const Mode& m = modes[least];
    const Int gap = div(m.stride, reached);
    if (is(gap, 0)) {
      return refuse(why, [&] {
        return Refusal{"complement: " + to_string(l) + " is not injective: its stride " + to_string(Tree(m.stride)) +
                           " falls inside the " + std::to_string(reached.value) +
                           " elements that the smaller strides span",
                       "a complement exists only where every element of the layout has its own offset"};
      });
    }
    result.push_back({gap, reached});
    reached = mul(m.stride, m.shape);
    modes.erase(least);
  }
  if (cotarget.is_leaf()) {
    result.push_back({ceil_div(cotarget.leaf(), reached), reached});
    return to_layout(coalesced(result));
  }
  const Tree rest_shape = coalesced_shape(ceil_div(cotarget, Tree(reached)));
  const Tree rest_stride = compact_major(rest_shape, Major::left, reached);
  for_each_mode({rest_shape, rest_stride}, [&](const Int& s, const Int& d) { result.push_back({s, d}); });
  return to_layout(coalesced(result));
}

}  // namespace tileloom::layout
