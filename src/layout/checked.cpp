// SPDX-License-Identifier: Apache-2.0
// Composition, complement and inverses under the policy.
#include "layout/explain.hpp"
#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

std::string cute_says(const std::optional<Layout>& answer) {
  return answer ? "CuTe returns " + to_string(*answer) + " here, which is wrong (--cute shows it)"
                : "CuTe refuses it as well";
}

}  // namespace

Layout composition(const Layout& a, const Layout& b, const Policy& policy) {
  if (!is_cute(policy)) {
    check_sizes(a.shape());
    check_sizes(b.shape());
  }
  Layout r = answered(
      "composition", policy, [&] { return cute.composition(a, b); },
      [&](const Layout& l) { return composition_holds(a, b, l); },
      [&](const std::optional<Layout>& l) { return solve_composition(a, b, cute_says(l)); },
      "the answer here equals A o B on every coordinate");
  explain_composition(policy, a, b, r);
  return r;
}

Layout composition(const Layout& a, const Tiler& b, const Policy& policy) {
  if (b.is_modes()) {
    if (b.modes().size() > a.rank()) {
      fail("composition: the tiler " + to_string(b) + " has more modes than the layout " + to_string(a));
    }
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < b.modes().size(); ++i) {
      modes.push_back(composition(a[i], b.modes()[i], policy));
    }
    return make_layout(modes);
  }
  if (b.keeps_mode()) {
    return a;
  }
  return composition(a, b.is_layout() ? b.layout() : Layout(Tree(b.leaf()), Tree(static_1)), policy);
}

namespace {

std::optional<Layout> complement_of(const Layout& a, TreeRef cotarget, const Policy& policy, Refusal* why) {
  if (!is_cute(policy)) {
    check_sizes(a.shape());
    check_sizes(cotarget);
  }
  const std::int64_t target = product(cotarget).value;
  std::optional<Layout> r = choose(
      "complement", policy, why, [&](Refusal* w) { return cute.complement(a, cotarget, w); },
      [&](const Layout& l) { return complement_holds(a, l, target); },
      [&](const std::optional<Layout>&, Refusal* w) { return solve_complement(a, cotarget, w); },
      "the answer here is disjoint, ordered and reaches the target");
  if (r) {
    explain_complement(policy, a, cotarget);
    step(
        policy, [&] { return "complement(" + to_string(a) + ", " + to_string(cotarget) + ")"; }, *r);
  }
  return r;
}

std::optional<Layout> left_inverse_of(const Layout& a, const Policy& policy, Refusal* why) {
  return choose(
      "left_inverse", policy, why, [&](Refusal* w) { return cute.left_inverse(a, w); },
      [&](const Layout& l) { return left_inverse_holds(a, l); },
      [&](const std::optional<Layout>&, Refusal* w) -> std::optional<Layout> {
        const bool decided = all_static(a.shape()) && all_static(a.stride());
        std::optional<Layout> l = decided ? std::nullopt : attempt([&] { return by_value.left_inverse(a, nullptr); });
        return l && left_inverse_holds(a, *l) ? l : solve_left_inverse(a, w);
      },
      "the answer here leads from every offset back to it");
}

}  // namespace

Layout complement(const Layout& a, TreeRef cotarget, const Policy& policy) {
  return or_throw([&](Refusal* why) { return complement_of(a, cotarget, policy, why); });
}
Layout complement(const Layout& a, const Policy& policy) {
  return complement(a, Tree(cosize(is_cute(policy) ? filter(a) : a)), policy);
}
Result<Layout> try_complement(const Layout& a, TreeRef cotarget, const Policy& policy) {
  return or_error([&](Refusal* why) { return complement_of(a, cotarget, policy, why); });
}

Layout left_inverse(const Layout& a, const Policy& policy) {
  return or_throw([&](Refusal* why) { return left_inverse_of(a, policy, why); });
}
Result<Layout> try_left_inverse(const Layout& a, const Policy& policy) {
  return or_error([&](Refusal* why) { return left_inverse_of(a, policy, why); });
}

namespace {

// Of CuTe's answer and the one from the values, the larger; they differ only where something is dynamic.
template <class F>
Layout larger(const char* what, const Layout& a, const Policy& policy, const F& f) {
  const bool fixed = all_static(a.shape()) && all_static(a.stride());
  return answered(
      what, policy, [&] { return f(cute); },
      [&](const Layout& l) { return fixed || size(l).value >= size(f(by_value)).value; },
      [&](const std::optional<Layout>&) { return f(by_value); }, values_decide);
}

}  // namespace

Layout right_inverse(const Layout& a, const Policy& policy) {
  return larger("right_inverse", a, policy, [&](const Engine& e) { return e.right_inverse(a); });
}

Layout nullspace(const Layout& a, const Policy& policy) {
  return larger("nullspace", a, policy, [&](const Engine& e) { return e.nullspace(a); });
}

}  // namespace tileloom::layout
