// SPDX-License-Identifier: Apache-2.0
#include "tileloom/layout/layout.hpp"

#include "layout/engine.hpp"
#include "layout/fail.hpp"

namespace tileloom::layout {

Layout::Layout(Tree shape, Tree stride) : shape_(std::move(shape)), stride_(std::move(stride)) {
  if (!congruent(shape_, stride_)) {
    fail("layout " + to_string(shape_) + ":" + to_string(stride_) + ": shape and stride have different profiles",
         "every size needs one stride, in the same parentheses");
  }
  if (has_any(shape_) || has_any(stride_)) {
    fail("layout " + to_string(shape_) + ":" + to_string(stride_) + ": _ is not a size or stride");
  }
  if (has_basis(shape_)) {
    fail("layout " + to_string(shape_) + ":" + to_string(stride_) + ": a size cannot be a scaled basis");
  }
}

Layout::Layout(const Tree& shape) : Layout(shape, compact_major(shape, Major::left)) {}

std::int64_t Layout::operator()(std::int64_t index) const {
  const Tree offset = crd2idx(Tree(Int::make_dynamic(index)), shape_, stride_);
  if (offset.is_tuple() || offset.leaf().has_basis()) {
    fail("layout " + to_string(*this) + " gives coordinates, not offsets");
  }
  return offset.leaf().value;
}

void check_sizes(TreeRef shape) {
  for (const Int* p = shape.nodes(); p != shape.nodes() + shape.node_count(); ++p) {
    if (!p->is_tuple() && p->value < 1) {
      fail("shape " + to_string(shape) + " has the size " + std::to_string(p->value) + ", expected at least 1");
    }
  }
}

Modes flat_modes(LayoutRef l) {
  Modes modes;
  for_each_mode(l, [&](const Int& s, const Int& d) { modes.push_back({s, d}); });
  return modes;
}

Layout to_layout(const Modes& modes) {
  LayoutBuilder b;
  const bool tuple = modes.size() != 1;
  if (tuple) {
    b.open();
  }
  for (const Mode& m : modes) {
    b.mode(m.shape, m.stride);
  }
  if (tuple) {
    b.close();
  }
  return b.take();
}

Layout pair(LayoutRef a, LayoutRef b) {
  LayoutBuilder out;
  out.open();
  out.append(a);
  out.append(b);
  out.close();
  return out.take();
}

}  // namespace tileloom::layout
