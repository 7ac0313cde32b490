// SPDX-License-Identifier: Apache-2.0
// The laws of the unary operations as predicates on one layout. Each returns an empty string, or what is wrong; what is
// refused must have no answer.
//
// All of them depend on the numbers of a layout's leaves, not on how they are grouped or whether they are static. So
// what is known of the numbers (Facts), and which results hold for them (Verdicts), serves all layouts with the same
// numbers.
#pragma once

#include <algorithm>
#include <string>

#include "laws/layout/oracle.hpp"

namespace tileloom::layout::laws {

using Table = std::vector<std::int64_t>;

// The numbers of the leaves, in order.
inline Table leaves(TreeRef t) {
  Table v;
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p) {
    if (!p->is_tuple()) {
      v.push_back(p->value);
    }
  }
  return v;
}

// What brute force knows of a layout.
struct Facts {
  explicit Facts(const Layout& a)
      : sizes(leaves(a.shape())), strides(leaves(a.stride())), offsets(laws::offsets(a)), taken(as_set(offsets)) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      (strides[i] == 0 ? zeros : moves) *= sizes[i];
    }
    injective = taken.size() == offsets.size();
    injective_without_broadcast = static_cast<std::int64_t>(taken.size()) == moves;
    Table nonzero;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (strides[i] != 0 && sizes[i] != 1) {
        nonzero.push_back(strides[i]);
      }
    }
    std::sort(nonzero.begin(), nonzero.end());
    for (std::size_t i = 1; i < nonzero.size(); ++i) {
      strides_divide = strides_divide && nonzero[i] % nonzero[i - 1] == 0;
    }
  }

  Table sizes;
  Table strides;
  Table offsets;           // by 1-D coordinate
  Table taken;             // the different ones, in order
  std::int64_t zeros = 1;  // elements along modes of stride 0, and along the others
  std::int64_t moves = 1;
  bool injective = false;
  bool injective_without_broadcast = false;
  bool strides_divide = true;  // each non-zero one is a multiple of the one below it: CuTe's rule for left_inverse
};

// Results that a law holds for, by the numbers of their leaves.
class Verdicts {
 public:
  [[nodiscard]] bool holds(const Layout& r) const {
    return std::any_of(known_.begin(), known_.end(), [&](const Layout& x) {
      return same_numbers(x.shape(), r.shape()) && same_numbers(x.stride(), r.stride());
    });
  }
  // Notes that the law holds; returns that nothing is wrong.
  std::string add(const Layout& r) {
    known_.push_back(r);
    return "";
  }

 private:
  static bool same_numbers(TreeRef a, TreeRef b) {
    const Int* p = a.nodes();
    const Int* q = b.nodes();
    const Int* const last_p = p + a.node_count();
    const Int* const last_q = q + b.node_count();
    for (;; ++p, ++q) {
      while (p != last_p && p->is_tuple()) {
        ++p;
      }
      while (q != last_q && q->is_tuple()) {
        ++q;
      }
      if (p == last_p || q == last_q) {
        return p == last_p && q == last_q;
      }
      if (p->value != q->value) {
        return false;
      }
    }
  }

  std::vector<Layout> known_;
};

inline std::string coalesce_keeps_the_function(const Layout& a, const Facts& x, Verdicts& v) {
  const Layout r = coalesce(a);
  if (depth(r.shape()) > 1) {
    return "coalesce gives " + to_string(r);
  }
  return v.holds(r) ? "" : offsets(r) == x.offsets ? v.add(r) : "coalesce gives " + to_string(r);
}

inline std::string filter_keeps_the_offsets(const Layout& a, const Facts& x, Verdicts& v) {
  const Layout r = filter(a);
  return v.holds(r) ? "" : as_set(offsets(r)) == x.taken ? v.add(r) : "filter gives " + to_string(r);
}

inline std::string flatten_keeps_the_function(const Layout& a, const Facts& x, Verdicts& v) {
  const Layout r = flatten(a);
  if (depth(r.shape()) > 1) {
    return "flatten gives " + to_string(r);
  }
  return v.holds(r) ? "" : offsets(r) == x.offsets ? v.add(r) : "flatten gives " + to_string(r);
}

inline std::string complement_is_ordered_disjoint_and_reaches_the_target(const Layout& a, const Facts& x, Verdicts& v,
                                                                         std::int64_t target) {
  const Result<Layout> answer = try_complement(a, Tree(Int::make_dynamic(target)));
  if (!answer) {
    return x.injective_without_broadcast ? "complement refuses an injective layout" : "";
  }
  const Layout& r = answer.value();
  if (!x.injective_without_broadcast) {
    return "complement of a layout that is not injective: " + to_string(r);
  }
  if (v.holds(r)) {
    return "";
  }
  const Table g = offsets(r);
  if (!std::is_sorted(g.begin(), g.end(), std::less_equal<>())) {
    return "complement is not strictly increasing: " + to_string(r);
  }
  std::vector<char> reached(static_cast<std::size_t>(x.taken.back() + g.back() + 1), 0);
  for (const std::int64_t i : x.taken) {
    for (const std::int64_t j : g) {
      if (reached[static_cast<std::size_t>(i + j)]++ != 0) {
        return "copies overlap at complement " + to_string(r);
      }
    }
  }
  return static_cast<std::int64_t>(reached.size()) >= target
             ? v.add(r)
             : "complement stops short of " + std::to_string(target) + ": " + to_string(r);
}

inline std::string right_inverse_leads_to_every_offset_in_order(const Layout& a, const Facts& x, Verdicts& v) {
  const Layout r = right_inverse(a);
  if (v.holds(r)) {
    return "";
  }
  const Table g = offsets(r);
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (g[i] < 0 || g[i] >= static_cast<std::int64_t>(x.offsets.size()) ||
        x.offsets[static_cast<std::size_t>(g[i])] != static_cast<std::int64_t>(i)) {
      return "right_inverse gives " + to_string(r);
    }
  }
  return v.add(r);
}

// Whether a refusal beyond CuTe's rule is due is shown by existence_test.cpp, which tries all candidates.
inline std::string left_inverse_leads_back(const Layout& a, const Facts& x, Verdicts& v) {
  const Result<Layout> answer = try_left_inverse(a);
  if (!answer) {
    return x.strides_divide && x.injective ? "left_inverse refuses strides that divide" : "";
  }
  const Layout& r = answer.value();
  if (v.holds(r)) {
    return "";
  }
  const Table back = offsets(r, x.taken.back() + 1);
  const Table extended = offsets(a, *std::max_element(back.begin(), back.end()) + 1);
  for (std::size_t i = 0; i < x.offsets.size(); ++i) {
    const std::int64_t offset = x.offsets[i];
    const std::int64_t coordinate = back[static_cast<std::size_t>(offset)];
    if (coordinate < 0 || extended[static_cast<std::size_t>(coordinate)] != offset ||
        (x.injective && coordinate != static_cast<std::int64_t>(i))) {
      return "left_inverse gives " + to_string(r) + ", wrong at " + std::to_string(i);
    }
  }
  return v.add(r);
}

inline std::string nullspace_goes_to_zero(const Layout& a, const Facts& x, Verdicts& v) {
  const Layout r = nullspace(a);
  if (v.holds(r)) {
    return "";
  }
  const Table g = offsets(r);
  const Table f = offsets(a, g.back() + 1);
  const bool zero =
      std::all_of(g.begin(), g.end(), [&](std::int64_t i) { return f[static_cast<std::size_t>(i)] == 0; });
  return zero && static_cast<std::int64_t>(g.size()) == x.zeros ? v.add(r) : "nullspace gives " + to_string(r);
}

// floor(A(c) / factor), with c in units of `widths`, as a table by c'; none if elements of one unit differ.
inline std::optional<Table> floor_by_units(const Facts& x, const Table& widths, std::int64_t factor) {
  std::int64_t n = 1;
  for (std::size_t k = 0; k < x.sizes.size(); ++k) {
    n *= (x.sizes[k] + widths[k] - 1) / widths[k];
  }
  Table units(static_cast<std::size_t>(n), -1);
  for (std::size_t i = 0; i < x.offsets.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t unit = 0;
    std::int64_t before = 1;
    for (std::size_t k = 0; k < x.sizes.size(); ++k) {
      unit += rest % x.sizes[k] / widths[k] * before;
      rest /= x.sizes[k];
      before *= (x.sizes[k] + widths[k] - 1) / widths[k];
    }
    std::int64_t& value = units[static_cast<std::size_t>(unit)];
    if (value >= 0 && value != x.offsets[i] / factor) {
      return std::nullopt;
    }
    value = x.offsets[i] / factor;
  }
  return units;
}

// The one layout that can be upcast(A, factor), as sizes of its leaves and offsets; no offsets if there is none.
struct Upcast {
  Upcast(const Facts& x, std::int64_t factor) {
    bool divide = true;
    Table widths;
    for (std::size_t k = 0; k < x.sizes.size(); ++k) {
      const std::int64_t d = x.strides[k];
      divide = divide && (x.sizes[k] == 1 || d == 0 || d % factor == 0 || factor % d == 0);
      widths.push_back(d == 0 || d % factor == 0 || factor % d != 0 ? 1 : factor / d);
      sizes.push_back((x.sizes[k] + widths.back() - 1) / widths.back());
    }
    units = divide ? floor_by_units(x, widths, factor) : std::nullopt;
    for (std::size_t i = 0; units && i < units->size(); ++i) {
      std::size_t rest = i;
      std::size_t before = 1;
      std::int64_t sum = 0;
      for (const std::int64_t n : sizes) {
        const std::size_t c = rest % static_cast<std::size_t>(n);
        sum += c == 0 ? 0 : static_cast<std::int64_t>(c) * (*units)[before];
        rest /= static_cast<std::size_t>(n);
        before *= static_cast<std::size_t>(n);
      }
      if (sum != (*units)[i]) {
        units = std::nullopt;
      }
    }
  }

  Table sizes;
  std::optional<Table> units;
};

inline std::string upcast_divides_the_offsets(const Layout& a, const Upcast& wanted, Verdicts& v, std::int64_t factor) {
  const Result<Layout> r = try_upcast(a, factor);
  if (r.ok() != wanted.units.has_value()) {
    return r ? "upcast gives " + to_string(r.value()) : "upcast refuses: " + std::string(r.error().what());
  }
  if (!r) {
    return "";
  }
  if (!congruent(a.shape(), r.value().shape())) {
    return "upcast changes the profile: " + to_string(r.value());
  }
  return v.holds(r.value()) ? ""
         : leaves(r.value().shape()) == wanted.sizes && offsets(r.value()) == *wanted.units
             ? v.add(r.value())
             : "upcast gives " + to_string(r.value());
}

inline std::string downcast_takes_the_parts_once(const Layout& a, const Facts& x, Verdicts& v, std::int64_t factor) {
  const bool adjacent = std::find(x.strides.begin(), x.strides.end(), 1) != x.strides.end();
  const Result<Layout> answer = try_downcast(a, factor);
  if (answer.ok() != adjacent) {
    return adjacent ? "downcast refuses a layout with stride 1" : "downcast without a mode of stride 1";
  }
  if (!adjacent || v.holds(answer.value())) {
    return "";
  }
  Table want;
  for (const std::int64_t i : x.offsets) {
    for (std::int64_t j = 0; j < factor; ++j) {
      want.push_back(i * factor + j);
    }
  }
  Table got = offsets(answer.value());
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  return got == want ? v.add(answer.value()) : "downcast gives " + to_string(answer.value());
}

// All of 0..n-1, each once: from one stride to the next, a mode steps over exactly what the modes before it fill. Modes
// of static stride 0 do not count.
inline bool compact_without_broadcast(const Layout& r) {
  const auto each = [&](const auto& f) {
    const Int* d = r.stride().nodes();
    for (const Int* s = r.shape().nodes(); s != r.shape().nodes() + r.shape().node_count(); ++s, ++d) {
      if (!s->is_tuple() && s->value != 1 && !(*d == static_0)) {
        f(s->value, d->value);
      }
    }
  };
  std::int64_t all = 1;
  each([&](std::int64_t n, std::int64_t) { all *= n; });
  std::int64_t filled = 1;
  for (std::int64_t before = 0; filled != before && filled < all;) {
    before = filled;
    each([&](std::int64_t n, std::int64_t step) { filled = step == before ? before * n : filled; });
  }
  return filled == all;
}

inline std::string make_layout_like_is_compact(const Layout& a) {
  const Layout r = make_layout_like(a);
  return r.shape() == a.shape() && compact_without_broadcast(r) ? "" : "make_layout_like gives " + to_string(r);
}

inline std::string make_fragment_like_is_compact(const Layout& a) {
  const Layout r = make_fragment_like(a);
  return size(r).value == size(a).value && compact_without_broadcast(r) ? ""
                                                                        : "make_fragment_like gives " + to_string(r);
}

// All unary laws, for the layouts with the numbers that the facts are of.
class UnaryLaws {
 public:
  explicit UnaryLaws(const Facts& facts) : facts_(facts), upcast_(facts, 4) {}

  // The layout and what is wrong with it; empty if all laws hold.
  [[nodiscard]] std::string broken(const Layout& a) {
    const Facts& x = facts_;
    for (const std::string& wrong :
         {coalesce_keeps_the_function(a, x, verdicts_[0]), filter_keeps_the_offsets(a, x, verdicts_[1]),
          flatten_keeps_the_function(a, x, verdicts_[2]),
          complement_is_ordered_disjoint_and_reaches_the_target(a, x, verdicts_[3], 96),
          right_inverse_leads_to_every_offset_in_order(a, x, verdicts_[4]), left_inverse_leads_back(a, x, verdicts_[5]),
          nullspace_goes_to_zero(a, x, verdicts_[6]), upcast_divides_the_offsets(a, upcast_, verdicts_[7], 4),
          downcast_takes_the_parts_once(a, x, verdicts_[8], 2), make_layout_like_is_compact(a),
          make_fragment_like_is_compact(a)}) {
      if (!wrong.empty()) {
        return to_string(a) + ": " + wrong;
      }
    }
    return "";
  }

 private:
  const Facts& facts_;
  Upcast upcast_;
  std::array<Verdicts, 9> verdicts_;
};

}  // namespace tileloom::layout::laws
