// SPDX-License-Identifier: Apache-2.0
#include "layout/explain.hpp"

#include <algorithm>

#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

void add_step(const Policy& policy, const std::string& what, const Layout& result) {
  policy.log->steps.push_back({what, to_string(result)});
}

}  // namespace

void explain_composition(const Policy& policy, const Layout& a, const Layout& b, const Layout& r) {
  if (!wants_steps(policy)) {
    return;
  }
  const std::string call = "composition(" + to_string(a) + ", ";
  const Layout simple = has_basis(a.stride()) || has_basis(b.stride()) ? a : coalesce(a);
  if (!(simple == a)) {
    add_step(policy, "coalesce(" + to_string(a) + ")", simple);
  }
  for (std::size_t i = 0; b.shape().is_tuple() && i < b.rank() && b.rank() > 1; ++i) {
    add_step(policy, "composition(" + to_string(simple) + ", " + to_string(b[i]) + ")", r[i]);
  }
  add_step(policy, call + to_string(b) + ")", r);
}

void explain_complement(const Policy& policy, const Layout& a, TreeRef cotarget) {
  if (!wants_steps(policy) || has_basis(a.stride())) {
    return;
  }
  const Layout simple = filter(a);
  if (!(simple == a)) {
    add_step(policy, "filter(" + to_string(a) + ")", simple);
  }
  Modes modes = flat_modes(simple);
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& x, const Mode& y) { return x.stride.value < y.stride.value; });
  Int reached = static_1;
  std::vector<Step> steps;
  for (const Mode& m : modes) {
    if (m.stride.value == 0) {
      continue;
    }
    if (m.stride.value < reached.value) {
      return;  // the modes interleave: no gap has a layout of its own
    }
    const std::string mode = to_string(Tree(m.shape)) + ":" + to_string(Tree(m.stride));
    const Layout gap(Tree(div(m.stride, reached)), Tree(reached));
    steps.push_back(
        {"offsets below the stride of " + mode + ", in steps of " + to_string(Tree(reached)), to_string(gap)});
    reached = mul(m.shape, m.stride);
  }
  const Layout rest(Tree(ceil_div(product(cotarget), reached)), Tree(reached));
  steps.push_back(
      {"offsets up to " + to_string(cotarget) + ", in steps of " + to_string(Tree(reached)), to_string(rest)});
  policy.log->steps.insert(policy.log->steps.end(), steps.begin(), steps.end());
}

}  // namespace tileloom::layout
