// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/fragment.hpp"

#include "tileloom/error.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Layout;
using layout::Policy;

FragmentSteps fragment_steps(const Layout& l, const Policy& policy) {
  if (l.rank() < 2) {
    throw Error(ErrorKind::bad_input,
                "fragment: " + to_string(l) + " has one mode, expected the atom's and its repeats");
  }
  const Layout atom = l[0];
  FragmentSteps steps;
  steps.block = Layout(atom.shape(), compact_major(filter_zeros(atom).shape(), layout::Major::left));
  const Layout repeats = take(l, 1, l.rank());
  steps.rest = make_ordered_layout(repeats.shape(), repeats.stride(), policy);
  steps.fragment = tiled_product(steps.block, steps.rest, policy);
  return steps;
}

Layout make_tensor_like(const AnyLayout& l, const Policy& policy) {
  return make_layout_like(domain(l), policy);
}

std::int64_t registers_of(const Layout& fragment, int value_bits) {
  return (cosize(fragment).value * value_bits + 31) / 32;
}

}  // namespace tileloom::trace
