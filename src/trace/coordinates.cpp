// SPDX-License-Identifier: Apache-2.0
#include "trace/coordinates.hpp"

namespace tileloom::trace {

using layout::Int;
using layout::Layout;
using layout::LayoutRef;
using layout::Tree;
using layout::TreeBuilder;
using layout::TreeRef;

Tree wildcards(std::size_t count) {
  TreeBuilder b;
  b.open();
  for (std::size_t i = 0; i < count; ++i) {
    b.leaf(Int::make_any());
  }
  b.close();
  return b.take();
}

namespace {

// Coordinate of `index` in one mode, tuple or not, as one number.
Int coordinate_in(TreeRef shape, TreeRef stride, const Int& index) {
  if (shape.is_tuple()) {
    Int sum = layout::static_0;
    Int before = layout::static_1;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      sum = add(sum, mul(before, coordinate_in(shape[i], stride[i], index)));
      before = mul(before, product(shape[i]));
    }
    return sum;
  }
  const bool one = shape.leaf() == layout::static_1;
  return one ? layout::static_0 : mod(div(index, stride.leaf()), shape.leaf());
}

}  // namespace

Tree flat_coordinate(const Layout& l, const Int& index) {
  TreeBuilder b;
  b.open();
  for (std::size_t i = 0; i < l.rank(); ++i) {
    b.leaf(coordinate_in(l.shape()[i], l.stride()[i], index));
  }
  b.close();
  return b.take();
}

Layout zip(const Layout& l) {
  const LayoutRef first = LayoutRef(l)[0];
  const LayoutRef second = LayoutRef(l)[1];
  return layout::make_layout({layout::make_layout({Layout(first[0]), Layout(second[0])}),
                              layout::make_layout({Layout(first[1]), Layout(second[1])})});
}

}  // namespace tileloom::trace
