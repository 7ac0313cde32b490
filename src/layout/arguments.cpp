// SPDX-License-Identifier: Apache-2.0
#include "layout/arguments.hpp"

#include "layout/fail.hpp"

namespace tileloom::layout {

AnyLayout Arguments::any_layout(std::size_t i) const {
  if (is<ComposedLayout>(i)) {
    return std::get<ComposedLayout>(values_[i]);
  }
  if (is<Tensor>(i)) {
    return std::get<Tensor>(values_[i]).layout;
  }
  return layout(i);
}

Tree Arguments::shape(std::size_t i) const {
  Tree t = is<Tree>(i) ? tree(i) : domain(any_layout(i)).shape();
  if (has_any(t) || has_basis(t)) {
    wrong(i, "a shape");
  }
  check_sizes(t);
  return t;
}

Int Arguments::integer(std::size_t i) const {
  const Tree& t = tree(i);
  if (t.is_tuple() || !t.leaf().is_integer() || t.leaf().has_basis()) {
    wrong(i, "an integer");
  }
  return t.leaf();
}

std::size_t Arguments::index(std::size_t i) const {
  const Int v = integer(i);
  if (v.value < 0 || v.value > static_cast<std::int64_t>(max_nodes)) {
    wrong(i, "a mode number");
  }
  return static_cast<std::size_t>(v.value);
}

std::int64_t Arguments::factor(std::size_t i) const {
  const Int v = integer(i);
  if (v.value < 1) {
    wrong(i, "a factor of at least 1");
  }
  return v.value;
}

Tiler Arguments::tiler(std::size_t i) const {
  if (is<Tiler>(i)) {
    return std::get<Tiler>(values_[i]);
  }
  if (is<Layout>(i)) {
    return std::get<Layout>(values_[i]);
  }
  if (!is<Tree>(i)) {
    wrong(i, "a tiler: a layout, a shape or <...>");
  }
  return Tiler::from_tree(std::get<Tree>(values_[i]));
}

Order Arguments::order(std::size_t i) const {
  if (is<Major>(i)) {
    return std::get<Major>(values_[i]);
  }
  return get<Tree>(i, "an order: Step<...>, LayoutLeft or LayoutRight");
}

void Arguments::wrong(std::size_t i, const std::string& wanted) const {
  fail(std::string(function_.name) + ": argument " + std::to_string(i + 1) + " is " + kind_of(values_[i]) + ", " +
           to_string(values_[i]) + "; expected " + wanted,
       "usage: " + std::string(function_.name) + "(" + std::string(function_.arguments) + ")");
}

}  // namespace tileloom::layout
