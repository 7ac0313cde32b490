// SPDX-License-Identifier: Apache-2.0
// What is contiguous in two layouts.
#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

// a(r(i)) = b(r(i)) = i.
bool common_holds(const Layout& a, const Layout& b, const Layout& r) {
  const FlatMap fa{LayoutRef(a)};
  const FlatMap fb{LayoutRef(b)};
  const FlatMap fr{LayoutRef(r)};
  const std::int64_t n = size(r).value;
  if (n > enumeration_limit) {
    fail("max_common_layout: " + to_string(r) + " is too large to be checked");
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (fa(fr(i)) != i || fb(fr(i)) != i) {
      return false;
    }
  }
  return true;
}

// The contiguous start of a o b^-1, if it has one: its first mode, of stride 1.
std::optional<Layout> common_start(const Layout& a, const Layout& inverse, const Engine& e) {
  const Layout common = e.coalesce(e.composition(a, inverse));
  const LayoutRef first = LayoutRef(common)[0];
  if (e.decided(first.shape.leaf()) && e.is(first.stride.leaf(), 1)) {
    return Layout(first);
  }
  return std::nullopt;
}

Layout common_layout(const Layout& a, const Layout& b, const Engine& e) {
  const Layout inverse = e.right_inverse(b);
  const std::optional<Layout> start = common_start(a, inverse, e);
  return start ? e.composition(inverse, *start) : Layout();
}

}  // namespace

Layout max_common_layout(const Layout& a, const Layout& b, const Policy& policy) {
  return answered(
      "max_common_layout", policy, [&] { return common_layout(a, b, cute); },
      [&](const Layout& l) {
        const std::optional<Layout> v = attempt([&] { return common_layout(a, b, by_value); });
        return common_holds(a, b, l) && (!v || size(*v).value <= size(l).value || !common_holds(a, b, *v));
      },
      [&](const std::optional<Layout>&) {
        const std::optional<Layout> v = attempt([&] { return common_layout(a, b, by_value); });
        return v && common_holds(a, b, *v) ? *v : Layout();
      },
      values_decide);
}

Int max_common_vector(const Layout& a, const Layout& b, const Policy& policy) {
  if (is_cute(policy)) {
    const std::optional<Layout> start = common_start(a, cute.right_inverse(b), cute);
    return start ? start->shape().leaf() : static_1;
  }
  return size(max_common_layout(a, b, policy));
}

}  // namespace tileloom::layout
