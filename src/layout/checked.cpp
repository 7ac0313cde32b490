// SPDX-License-Identifier: Apache-2.0
// The policy: CuTe's answer, its law, and the override where the law does not hold.
#include <algorithm>

#include "layout/engine.hpp"
#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

const Engine cute(false);
const Engine by_value(true);

bool is_cute(const Policy& policy) {
  return policy.semantics == Semantics::cute;
}

// CuTe's own answer, or none where CuTe refuses.
template <class F>
std::optional<Layout> attempt(const F& f) {
  try {
    return f();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string cute_says(const std::optional<Layout>& answer) {
  return answer ? "CuTe returns " + to_string(*answer) + " here, which is wrong (--cute shows it)"
                : "CuTe refuses it as well";
}

// CuTe orders modes by their strides, and cannot where several are not all static.
bool order_undecided(const Layout& a) {
  std::size_t modes = 0;
  bool dynamic = false;
  for (const Mode& m : cute.coalesced(a)) {
    dynamic = dynamic || !m.stride.is_static();
    ++modes;
  }
  return dynamic && modes > 1;
}

bool has_static_unit_stride(const Layout& a) {
  bool found = false;
  for_each_mode(a,
                [&](const Int&, const Int& d) { found = found || (d.is_static() && d.value == 1 && !d.has_basis()); });
  return found;
}

// CuTe's answer if `holds`, else the one that `better` finds, with a note of the difference. `cute_refuses` saves
// asking where it is plain that CuTe cannot decide.
template <class Cute, class Holds, class Better>
Layout choose(const char* what, const Policy& policy, const Cute& cute_answer, const Holds& holds, const Better& better,
              const char* why, bool cute_refuses = false) {
  if (is_cute(policy)) {
    return cute_answer();
  }
  const std::optional<Layout> answer = cute_refuses ? std::nullopt : attempt(cute_answer);
  if (answer && holds(*answer)) {
    return *answer;
  }
  Layout result = better(answer);
  if (policy.log != nullptr) {
    note(policy,
         std::string(what) + ": CuTe " + (answer ? "returns " + to_string(*answer) : "refuses this") + "; " + why);
  }
  return result;
}

constexpr const char* values_decide = "the answer here is decided from the values, which are known";

}  // namespace

Layout composition(const Layout& a, const Layout& b, const Policy& policy) {
  if (!is_cute(policy)) {
    check_sizes(a.shape());
    check_sizes(b.shape());
  }
  const auto cute_answer = [&] { return cute.composition(a, b); };
  Layout r = choose(
      "composition", policy, cute_answer, [&](const Layout& l) { return composition_holds(a, b, l); },
      [&](const std::optional<Layout>& l) { return solve_composition(a, b, cute_says(l)); },
      "the answer here equals A o B on every coordinate");
  step(
      policy, [&] { return "composition(" + to_string(a) + ", " + to_string(b) + ")"; }, r);
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

Layout complement(const Layout& a, TreeRef cotarget, const Policy& policy) {
  if (!is_cute(policy)) {
    check_sizes(a.shape());
    check_sizes(cotarget);
  }
  const std::int64_t target = product(cotarget).value;
  Layout r = choose(
      "complement", policy, [&] { return cute.complement(a, cotarget); },
      [&](const Layout& l) { return complement_holds(a, l, target); },
      [&](const std::optional<Layout>&) {
        if (has_basis(a.stride())) {
          fail("complement: " + to_string(a) + " has basis strides, expected integers");
        }
        return solve_complement(a, cotarget);
      },
      "the answer here is disjoint, ordered and reaches the target",
      !is_cute(policy) && order_undecided(filter_zeros(a)));
  step(
      policy, [&] { return "complement(" + to_string(a) + ", " + to_string(cotarget) + ")"; }, r);
  return r;
}

Layout complement(const Layout& a, const Policy& policy) {
  return complement(a, Tree(cosize(is_cute(policy) ? filter(a) : a)), policy);
}

namespace {

// Of CuTe's answer and the one from the values, the larger; they differ only where something is dynamic.
template <class F>
Layout larger(const char* what, const Policy& policy, const F& f) {
  return choose(
      what, policy, [&] { return f(cute); }, [&](const Layout& l) { return size(l).value >= size(f(by_value)).value; },
      [&](const std::optional<Layout>&) { return f(by_value); }, values_decide);
}

}  // namespace

Layout right_inverse(const Layout& a, const Policy& policy) {
  return larger("right_inverse", policy, [&](const Engine& e) { return e.right_inverse(a); });
}

Layout nullspace(const Layout& a, const Policy& policy) {
  return larger("nullspace", policy, [&](const Engine& e) { return e.nullspace(a); });
}

Layout left_inverse(const Layout& a, const Policy& policy) {
  return choose(
      "left_inverse", policy, [&] { return cute.left_inverse(a); },
      [&](const Layout& l) { return left_inverse_holds(a, l); },
      [&](const std::optional<Layout>&) {
        const bool decided = all_static(a.shape()) && all_static(a.stride());
        const std::optional<Layout> l = decided ? std::nullopt : attempt([&] { return by_value.left_inverse(a); });
        return l && left_inverse_holds(a, *l) ? *l : solve_left_inverse(a);
      },
      "the answer here leads from every offset back to it", !is_cute(policy) && order_undecided(a));
}

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
  return choose(
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

Layout upcast(const Layout& a, std::int64_t factor, const Policy& policy) {
  if (factor < 1) {
    fail("upcast: the factor " + std::to_string(factor) + " is not at least 1");
  }
  if (!is_cute(policy)) {
    check_sizes(a.shape());
  }
  return choose(
      "upcast", policy, [&] { return cute.upcast(a, factor); },
      [&](const Layout& l) { return upcast_holds(a, l, factor); },
      [&](const std::optional<Layout>&) {
        Layout l = by_value.upcast(a, factor);
        if (!upcast_holds(a, l, factor)) {
          fail("upcast: groups of " + std::to_string(factor) + " elements of " + to_string(a) +
               " do not move together: " + to_string(l) + " is not floor(A / " + std::to_string(factor) +
               ") on every coordinate");
        }
        return l;
      },
      values_decide);
}

namespace {

// Widens one mode of stride 1: the first of size > 1, or else the first.
class Widen {
 public:
  Widen(LayoutRef a, std::int64_t factor) : factor_(Int::make_static(factor)) {
    std::size_t i = 0;
    for_each_mode(a, [&](const Int& s, const Int& d) {
      if (d.value == 1 && !d.has_basis() && (!chosen_ || (!large_ && s.value > 1))) {
        chosen_ = i;
        large_ = s.value > 1;
      }
      ++i;
    });
    if (!chosen_) {
      fail("downcast: " + to_string(a) + " has no mode of stride 1, so the parts of an element have no mode to go to",
           "append a mode of size 1 and stride 1 for the parts");
    }
    run(a);
  }
  [[nodiscard]] Layout take() { return out_.take(); }

 private:
  void run(LayoutRef l) {
    if (l.shape.is_tuple()) {
      out_.open();
      for (std::size_t i = 0; i < l.rank(); ++i) {
        run(l[i]);
      }
      out_.close();
    } else if (next_++ == *chosen_) {
      out_.mode(mul(l.shape.leaf(), factor_), l.stride.leaf());
    } else {
      out_.mode(l.shape.leaf(), mul(l.stride.leaf(), factor_));
    }
  }

  Int factor_;
  std::optional<std::size_t> chosen_;
  bool large_ = false;
  std::size_t next_ = 0;
  LayoutBuilder out_;
};

}  // namespace

Layout downcast(const Layout& a, std::int64_t factor, const Policy& policy) {
  if (factor < 1) {
    fail("downcast: the factor " + std::to_string(factor) + " is not at least 1");
  }
  return choose(
      "downcast", policy, [&] { return cute.downcast(a, factor); },
      [&](const Layout& l) {
        const Layout right = Widen(a, factor).take();
        const Modes x = flat_modes(l);
        const Modes y = flat_modes(right);
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Mode& p, const Mode& q) {
          return p.shape.value == q.shape.value && (p.stride.value == q.stride.value || p.shape.value == 1);
        });
      },
      [&](const std::optional<Layout>&) { return Widen(a, factor).take(); },
      "exactly one mode of stride 1 takes the parts of an element", !is_cute(policy) && !has_static_unit_stride(a));
}

Int max_alignment(const Layout& a, const Policy& policy) {
  Modes modes = flat_modes(cute.coalesce(a));
  for (Mode& m : modes) {
    if (m.stride.has_basis()) {
      fail("max_alignment: " + to_string(a) + " has basis strides, expected integers");
    }
    if (is_cute(policy)) {
      m.shape = m.shape.is_static() ? m.shape : static_1;
      m.stride = m.stride.is_static() ? m.stride : static_0;
    } else {
      m.shape = Int::make_static(m.shape.value);
      m.stride = Int::make_static(m.stride.value);
    }
  }
  const Layout fixed = to_layout(modes);
  const Layout permuted = logical_divide(fixed, Tiler(cute.right_inverse(fixed)), Semantics::cute);
  Int alignment = size(LayoutRef(permuted)[0]);
  for_each_mode(LayoutRef(permuted)[1], [&](const Int&, const Int& d) { alignment = gcd(alignment, d); });
  return alignment;
}

}  // namespace tileloom::layout
