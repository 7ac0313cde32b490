// SPDX-License-Identifier: Apache-2.0
// The laws of the unary operations as predicates on one layout. Each returns an empty string, or what is wrong.
#pragma once

#include <algorithm>
#include <string>

#include "laws/layout/oracle.hpp"

namespace tileloom::layout::laws {

using Table = std::vector<std::int64_t>;

inline std::string coalesce_keeps_the_function(const Layout& a, const Table& f) {
  const Layout r = coalesce(a);
  return depth(r.shape()) <= 1 && offsets(r) == f ? "" : "coalesce gives " + to_string(r);
}

inline std::string filter_keeps_the_offsets(const Layout& a, const Table& f) {
  const Layout r = filter(a);
  return as_set(offsets(r)) == as_set(f) ? "" : "filter gives " + to_string(r);
}

inline std::string flatten_keeps_the_function(const Layout& a, const Table& f) {
  const Layout r = flatten(a);
  return depth(r.shape()) <= 1 && offsets(r) == f ? "" : "flatten gives " + to_string(r);
}

// Whether to wait for an expected refusal: it is an exception, which takes ten times as long as an answer.
enum class Refusals { expect, skip };

// Size and offsets of A without its broadcast modes.
inline bool injective_without_broadcast(const Layout& a, const Table& f) {
  std::int64_t n = 1;
  const TreeRef shape(a.shape());
  const TreeRef stride(a.stride());
  for (std::size_t i = 0; i < shape.node_count(); ++i) {
    if (!shape.nodes()[i].is_tuple() && stride.nodes()[i].value != 0) {
      n *= shape.nodes()[i].value;
    }
  }
  return static_cast<std::int64_t>(as_set(f).size()) == n;
}

inline std::string complement_is_ordered_disjoint_and_reaches_the_target(const Layout& a, const Table& f,
                                                                         std::int64_t target,
                                                                         Refusals refusals = Refusals::expect) {
  const bool injective = injective_without_broadcast(a, f);
  if (!injective && refusals == Refusals::skip) {
    return "";
  }
  const auto r = unless_refused([&] { return complement(a, Tree(Int::make_dynamic(target))); });
  if (!r) {
    return injective ? "complement refuses an injective layout" : "";
  }
  if (!injective) {
    return "complement of a layout that is not injective: " + to_string(*r);
  }
  const Table g = offsets(*r);
  if (!std::is_sorted(g.begin(), g.end(), std::less_equal<>())) {
    return "complement is not strictly increasing: " + to_string(*r);
  }
  const Table of_a = as_set(f);
  std::vector<char> taken(static_cast<std::size_t>(of_a.back() + g.back() + 1), 0);
  for (const std::int64_t x : of_a) {
    for (const std::int64_t y : g) {
      if (taken[static_cast<std::size_t>(x + y)]++ != 0) {
        return "copies overlap at complement " + to_string(*r);
      }
    }
  }
  return of_a.back() + g.back() + 1 >= target
             ? ""
             : "complement stops short of " + std::to_string(target) + ": " + to_string(*r);
}

inline std::string right_inverse_leads_to_every_offset_in_order(const Layout& a, const Table& f) {
  const Layout r = right_inverse(a);
  const Table g = offsets(r);
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (g[i] < 0 || g[i] >= static_cast<std::int64_t>(f.size()) ||
        f[static_cast<std::size_t>(g[i])] != static_cast<std::int64_t>(i)) {
      return "right_inverse gives " + to_string(r);
    }
  }
  return "";
}

// The non-zero strides of A, each a multiple of the one below it: the rule by which left_inverse finds modes.
inline bool strides_divide(const Layout& a) {
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < a.shape().node_count(); ++i) {
    const Int& d = a.stride().nodes()[i];
    if (!d.is_tuple() && d.value != 0 && a.shape().nodes()[i].value != 1) {
      strides.push_back(d.value);
    }
  }
  std::sort(strides.begin(), strides.end());
  for (std::size_t i = 1; i < strides.size(); ++i) {
    if (strides[i] % strides[i - 1] != 0) {
      return false;
    }
  }
  return true;
}

inline std::string left_inverse_leads_back(const Layout& a, const Table& f, Refusals refusals = Refusals::expect) {
  const bool divide = strides_divide(a);
  if (!divide && refusals == Refusals::skip) {
    return "";
  }
  const auto r = unless_refused([&] { return left_inverse(a); });
  if (!r) {
    return divide && as_set(f).size() == f.size() ? "left_inverse refuses strides that divide" : "";
  }
  const std::int64_t last = *std::max_element(f.begin(), f.end());
  const Table back = offsets(*r, last + 1);
  std::int64_t reach = 0;
  for (const std::int64_t x : back) {
    reach = std::max(reach, x);
  }
  const Table extended = offsets(a, reach + 1);
  const bool injective = as_set(f).size() == f.size();
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto coordinate = static_cast<std::size_t>(back[static_cast<std::size_t>(f[i])]);
    if (extended[coordinate] != f[i] || (injective && coordinate != i)) {
      return "left_inverse gives " + to_string(*r) + ", wrong at " + std::to_string(i);
    }
  }
  return "";
}

inline std::string nullspace_goes_to_zero(const Layout& a, const Table&) {
  const Layout r = nullspace(a);
  std::int64_t zeros = 1;
  const TreeRef shape(a.shape());
  const TreeRef stride(a.stride());
  for (std::size_t i = 0; i < shape.node_count(); ++i) {
    if (!shape.nodes()[i].is_tuple() && stride.nodes()[i].value == 0) {
      zeros *= shape.nodes()[i].value;
    }
  }
  const Table g = offsets(r);
  const Table f2 = offsets(a, g.back() + 1);
  const bool zero =
      std::all_of(g.begin(), g.end(), [&](std::int64_t x) { return f2[static_cast<std::size_t>(x)] == 0; });
  return zero && static_cast<std::int64_t>(g.size()) == zeros ? "" : "nullspace gives " + to_string(r);
}

inline std::string upcast_divides_the_offsets(const Layout& a, const Table& f, std::int64_t factor,
                                              Refusals refusals = Refusals::expect) {
  bool divide = true;
  for (std::size_t i = 0; i < a.stride().node_count(); ++i) {
    const Int& d = a.stride().nodes()[i];
    divide = divide && (d.is_tuple() || d.value == 0 || d.value % factor == 0 || factor % d.value == 0);
  }
  if (!divide && refusals == Refusals::skip) {
    return "";
  }
  const auto r = unless_refused([&] { return upcast(a, factor); });
  if (!r) {
    return "";
  }
  const TreeRef s(a.shape());
  const TreeRef d(a.stride());
  const TreeRef s2(r->shape());
  const TreeRef d2(r->stride());
  for (std::size_t i = 0; i < f.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < s.node_count(); ++k) {
      if (s.nodes()[k].is_tuple()) {
        continue;
      }
      const std::int64_t c = rest % s.nodes()[k].value;
      rest /= s.nodes()[k].value;
      const std::int64_t step = d.nodes()[k].value;
      const std::int64_t width = step == 0 || step % factor == 0 ? 1 : std::max<std::int64_t>(1, factor / step);
      if (c / width >= s2.nodes()[k].value) {
        return "upcast loses elements: " + to_string(*r);
      }
      sum += c / width * d2.nodes()[k].value;
    }
    if (sum != f[i] / factor) {
      return "upcast gives " + to_string(*r) + ", wrong at " + std::to_string(i);
    }
  }
  return "";
}

inline std::string downcast_takes_the_parts_once(const Layout& a, const Table& f, std::int64_t factor,
                                                 Refusals refusals = Refusals::expect) {
  bool adjacent = false;
  for (std::size_t i = 0; i < TreeRef(a.stride()).node_count(); ++i) {
    adjacent = adjacent || (!a.stride().nodes()[i].is_tuple() && a.stride().nodes()[i].value == 1);
  }
  if (!adjacent && refusals == Refusals::skip) {
    return "";
  }
  const auto r = unless_refused([&] { return downcast(a, factor); });
  if (!r) {
    return adjacent ? "downcast refuses a layout with stride 1" : "";
  }
  std::vector<std::int64_t> want;
  for (const std::int64_t x : f) {
    for (std::int64_t j = 0; j < factor; ++j) {
      want.push_back(x * factor + j);
    }
  }
  Table got = offsets(*r);
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  return got == want ? "" : "downcast gives " + to_string(*r);
}

// 0..n-1, each once.
inline bool compact(const Table& f) {
  std::vector<char> taken(f.size(), 0);
  return std::all_of(f.begin(), f.end(), [&](std::int64_t x) {
    return x >= 0 && x < static_cast<std::int64_t>(f.size()) && taken[static_cast<std::size_t>(x)]++ == 0;
  });
}

inline std::string make_layout_like_is_compact(const Layout& a, const Table&) {
  const Layout r = make_layout_like(a);
  const Layout kept = filter_zeros(r);
  if (!compact(offsets(kept))) {
    return "make_layout_like gives " + to_string(r);
  }
  return r.shape() == a.shape() ? "" : "make_layout_like changes the shape";
}

inline std::string make_fragment_like_is_compact(const Layout& a, const Table&) {
  const auto r = unless_refused([&] { return make_fragment_like(a); });
  if (!r) {
    return "make_fragment_like refuses";
  }
  return compact(offsets(filter_zeros(*r))) ? "" : "make_fragment_like gives " + to_string(*r);
}

}  // namespace tileloom::layout::laws
