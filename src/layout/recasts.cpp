// SPDX-License-Identifier: Apache-2.0
// Recasts to larger and smaller elements, and alignment.
#include <algorithm>

#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

bool divides(const Mode& m, std::int64_t factor) {
  const std::int64_t d = m.stride.value;
  return m.shape.value == 1 || d == 0 || d % factor == 0 || factor % d == 0;
}

// Elements of one mode that share a unit of `factor`.
std::int64_t elements_per_unit(const Mode& m, std::int64_t factor) {
  const std::int64_t d = m.stride.value;
  return d == 0 || d % factor == 0 || factor % d != 0 ? 1 : factor / (d < 0 ? -d : d);
}

}  // namespace

bool upcast_holds(LayoutRef a, LayoutRef r, std::int64_t factor) {
  const Modes from = flat_modes(a);
  const Modes to = flat_modes(r);
  SmallVector<std::int64_t, 16> widths;
  // Where all small strides span less than one unit together, the remainders never carry.
  std::int64_t small_reach = 0;
  bool plain = true;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t d = from[i].stride.value;
    const std::int64_t width = elements_per_unit(from[i], factor);
    if (!divides(from[i], factor) || to[i].shape.value != (from[i].shape.value + width - 1) / width) {
      return false;
    }
    widths.push_back(width);
    plain = plain && d >= 0 && (to[i].shape.value == 1 || to[i].stride.value == checked_mul(width, d) / factor);
    small_reach = checked_add(small_reach, width == 1 ? 0 : checked_mul(std::min(width, from[i].shape.value) - 1, d));
  }
  if (plain && small_reach < factor) {
    return true;
  }
  const std::int64_t n = checked_size("upcast", a);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    std::int64_t scaled = 0;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const std::int64_t c = remainder(rest, from[k].shape.value);
      rest = quotient(rest, from[k].shape.value);
      offset = checked_add(offset, checked_mul(c, from[k].stride.value));
      scaled = checked_add(scaled, checked_mul(c / widths[k], to[k].stride.value));
    }
    if (scaled != offset / factor - (offset % factor < 0 ? 1 : 0)) {
      return false;
    }
  }
  return true;
}

namespace {

// As CuTe's upcast by value; the stride of a mode of size 1 need not divide anything.
class Narrow {
 public:
  explicit Narrow(std::int64_t factor) : factor_(factor) {}

  void run(LayoutRef l, LayoutBuilder& out) const {
    if (l.shape.is_tuple()) {
      out.open();
      for (std::size_t i = 0; i < l.rank(); ++i) {
        run(l[i], out);
      }
      out.close();
      return;
    }
    const Int& size = l.shape.leaf();
    const Int& stride = l.stride.leaf();
    if (stride.value == 0) {
      out.mode(size, stride);
      return;
    }
    const Int factor = Int::make_static(factor_);
    const Int width = divides({Int::make_static(2), stride}, factor_) ? ceil_div(factor, abs(stride)) : static_1;
    out.mode(ceil_div(size, width), mul(signum(stride), ceil_div(abs(stride), factor)));
  }

 private:
  std::int64_t factor_;
};

}  // namespace

std::optional<Layout> solve_upcast(LayoutRef a, std::int64_t factor, Refusal* why) {
  bool possible = !has_basis(a.stride);
  for_each_mode(a, [&](const Int& s, const Int& d) { possible = possible && divides({s, d}, factor); });
  if (!possible) {  // in the words of CuTe's rule
    return by_value.upcast(a, factor, why);
  }
  LayoutBuilder out;
  Narrow(factor).run(a, out);
  Layout r = out.take();
  if (!upcast_holds(a, r, factor)) {
    return refuse(why, [&] {
      return Refusal{"upcast: groups of " + std::to_string(factor) + " elements of " + to_string(a) +
                         " do not move together: " + to_string(r) + " is not floor(A / " + std::to_string(factor) +
                         ") on every coordinate",
                     {}};
    });
  }
  return r;
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
    if (chosen_) {
      run(a);
    }
  }
  // None if there is no mode of stride 1.
  [[nodiscard]] std::optional<Layout> take() { return chosen_ ? std::optional<Layout>(out_.take()) : std::nullopt; }

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

void check_factor(const char* what, std::int64_t factor) {
  if (factor < 1) {
    fail(std::string(what) + ": the factor " + std::to_string(factor) + " is not at least 1");
  }
}

std::optional<Layout> upcast_of(const Layout& a, std::int64_t factor, const Policy& policy, Refusal* why) {
  check_factor("upcast", factor);
  if (!is_cute(policy)) {
    check_sizes(a.shape());
  }
  return choose(
      "upcast", policy, why, [&](Refusal* w) { return cute.upcast(a, factor, w); },
      [&](const Layout& l) { return upcast_holds(a, l, factor); },
      [&](const std::optional<Layout>&, Refusal* w) { return solve_upcast(a, factor, w); }, values_decide);
}

std::optional<Layout> downcast_of(const Layout& a, std::int64_t factor, const Policy& policy, Refusal* why) {
  check_factor("downcast", factor);
  if (is_cute(policy)) {
    return cute.downcast(a, factor, why);
  }
  std::size_t units = 0;
  std::size_t fixed_units = 0;
  for_each_mode(a, [&](const Int&, const Int& d) {
    units += d.value == 1 || d.value == -1 ? 1 : 0;
    fixed_units += d == static_1 ? 1 : 0;
  });
  if (units == 1 && fixed_units == 1) {
    return cute.downcast(a, factor, why);  // only one mode to widen
  }
  std::optional<Layout> right = Widen(a, factor).take();
  if (!right) {
    return refuse(why, [&] {
      return Refusal{
          "downcast: " + to_string(a) + " has no mode of stride 1, so the parts of an element have no mode to go to",
          "append a mode of size 1 and stride 1 for the parts"};
    });
  }
  return choose(
      "downcast", policy, why, [&](Refusal* w) { return cute.downcast(a, factor, w); },
      [&](const Layout& l) {
        const Modes x = flat_modes(l);
        const Modes y = flat_modes(*right);
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Mode& p, const Mode& q) {
          return p.shape.value == q.shape.value && (p.stride.value == q.stride.value || p.shape.value == 1);
        });
      },
      [&](const std::optional<Layout>&, Refusal*) { return right; },
      "exactly one mode of stride 1 takes the parts of an element");
}

}  // namespace

Layout upcast(const Layout& a, std::int64_t factor, const Policy& policy) {
  return or_throw([&](Refusal* why) { return upcast_of(a, factor, policy, why); });
}
Result<Layout> try_upcast(const Layout& a, std::int64_t factor, const Policy& policy) {
  return or_error([&](Refusal* why) { return upcast_of(a, factor, policy, why); });
}
Layout downcast(const Layout& a, std::int64_t factor, const Policy& policy) {
  return or_throw([&](Refusal* why) { return downcast_of(a, factor, policy, why); });
}
Result<Layout> try_downcast(const Layout& a, std::int64_t factor, const Policy& policy) {
  return or_error([&](Refusal* why) { return downcast_of(a, factor, policy, why); });
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
