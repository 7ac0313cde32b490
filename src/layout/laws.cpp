// SPDX-License-Identifier: Apache-2.0
#include "layout/laws.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "layout/fail.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

// Modes of size > 1 and stride != 0, by the amount of the stride.
Modes active_modes(LayoutRef a) {
  Modes modes;
  for_each_mode(a, [&](const Int& s, const Int& d) {
    if (s.value != 1 && d.value != 0) {
      modes.push_back({s, abs(d)});
    }
  });
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& x, const Mode& y) { return x.stride.value < y.stride.value; });
  return modes;
}

// Each stride steps over everything that the smaller ones reach: distinct coordinates have distinct offsets.
bool nested(const Modes& sorted) {
  std::int64_t reach = 0;
  for (const Mode& m : sorted) {
    if (m.stride.value <= reach) {
      return false;
    }
    reach = checked_add(reach, checked_mul(m.shape.value - 1, m.stride.value));
  }
  return true;
}

std::int64_t checked_size(const char* what, LayoutRef a) {
  const std::int64_t n = size(a).value;
  if (n > enumeration_limit) {
    fail(std::string(what) + ": " + to_string(a) + " has " + std::to_string(n) +
             " elements, more than can be checked one by one (" + std::to_string(enumeration_limit) + ")",
         "use --cute to get CuTe's answer without a check");
  }
  return n;
}

}  // namespace

std::string coordinate_text(TreeRef shape, std::int64_t i) {
  std::string text = to_string(idx2crd(Tree(Int::make_dynamic(i)), shape));
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

std::optional<Collision> find_collision(LayoutRef a) {
  std::optional<Collision> zero;
  std::int64_t before = 1;
  for_each_mode(a, [&](const Int& s, const Int& d) {
    if (s.value > 1 && d.value == 0 && !zero) {
      zero = Collision{0, before};
    }
    before = checked_mul(before, s.value);
  });
  if (zero || nested(active_modes(a))) {
    return zero;
  }
  const std::int64_t n = checked_size("is_injective", a);
  const FlatMap map(a);
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;  // offset, coordinate
  seen.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    seen.emplace_back(map(i), i);
  }
  std::sort(seen.begin(), seen.end());
  std::optional<Collision> first;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (seen[i].first == seen[i - 1].first && (!first || seen[i].second < first->second)) {
      first = Collision{seen[i - 1].second, seen[i].second};
    }
  }
  return first;
}

bool complement_holds(LayoutRef a, LayoutRef r, std::int64_t cotarget) {
  std::int64_t reach = 0;
  bool ordered = true;
  for_each_mode(r, [&](const Int& s, const Int& d) {
    if (s.value != 1) {
      ordered = ordered && s.value > 0 && d.value > reach;
      reach = checked_add(reach, checked_mul(s.value - 1, d.value));
    }
  });
  if (!ordered) {
    return false;
  }
  Modes modes = active_modes(pair(a, r));
  std::int64_t last = 0;
  for (const Mode& m : modes) {
    last = checked_add(last, checked_mul(m.shape.value - 1, m.stride.value));
  }
  if (checked_add(last, 1) < cotarget) {
    return false;
  }
  return nested(modes) || !find_collision(to_layout(modes));
}

namespace {
// Each stride reaches past all the multiples of the one before, so that gaps between them can be filled.
bool stacked(const Modes& sorted) {
  std::int64_t reached = 1;
  for (const Mode& m : sorted) {
    if (m.stride.value < reached) {
      return false;
    }
    reached = checked_mul(m.stride.value, m.shape.value);
  }
  return true;
}
}  // namespace

Layout solve_complement(LayoutRef a, TreeRef cotarget) {
  const bool fixed = all_static(a.shape) && all_static(a.stride) && all_static(cotarget);
  const auto number = [&](std::int64_t v) { return fixed ? Int::make_static(v) : Int::make_dynamic(v); };
  const Modes modes = active_modes(a);
  const std::int64_t target = product(cotarget).value;
  Modes result;
  std::int64_t reached = 1;
  std::int64_t last = 0;
  if (stacked(modes)) {
    for (const Mode& m : modes) {
      const std::int64_t gap = m.stride.value / reached;
      if (gap > 1) {
        result.push_back({number(gap), number(reached)});
        last = checked_add(last, checked_mul(gap - 1, reached));
      }
      last = checked_add(last, checked_mul(m.shape.value - 1, m.stride.value));
      reached = checked_mul(m.shape.value, m.stride.value);
    }
  } else {
    if (const auto hit = find_collision(to_layout(modes))) {
      fail("complement: " + to_string(a) +
               " is not injective: " + coordinate_text(to_layout(modes).shape(), hit->first) + " and " +
               coordinate_text(to_layout(modes).shape(), hit->second) + " of its modes " + to_string(to_layout(modes)) +
               " have the same offset",
           "a complement exists only where every element of the layout has its own offset");
    }
    for (const Mode& m : modes) {
      last = checked_add(last, checked_mul(m.shape.value - 1, m.stride.value));
    }
    reached = checked_add(last, 1);
  }
  std::int64_t copies = std::max<std::int64_t>(1, (checked_add(target, reached - 1)) / reached);
  while (checked_add(checked_add(last, checked_mul(copies - 1, reached)), 1) < target) {
    ++copies;
  }
  if (copies > 1) {
    result.push_back({number(copies), number(reached)});
  }
  if (result.empty()) {
    return {};
  }
  return to_layout(Engine(true).coalesced(result));
}

bool left_inverse_holds(LayoutRef a, LayoutRef r) {
  const std::int64_t n = checked_size("left_inverse", a);
  if (std::any_of(r.shape.nodes(), r.shape.nodes() + r.shape.node_count(),
                  [](const Int& s) { return !s.is_tuple() && s.value < 1; })) {
    return false;
  }
  const FlatMap forward(a);
  const FlatMap back(r);
  const bool injective = !find_collision(a);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t offset = forward(i);
    const std::int64_t coordinate = back(offset);
    if (injective ? coordinate != i : forward(coordinate) != offset) {
      return false;
    }
  }
  return true;
}

Layout solve_left_inverse(LayoutRef a) {
  if (has_basis(a.stride)) {
    fail("left_inverse: " + to_string(a) + " has basis strides, expected integers");
  }
  const std::int64_t n = checked_size("left_inverse", a);
  const FlatMap map(a);
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    points.push_back({map(i), i});
  }
  std::sort(points.begin(), points.end(),
            [](const Point& p, const Point& q) { return p.x != q.x ? p.x < q.x : p.y < q.y; });
  if (points.front().x < 0) {
    fail("left_inverse: " + to_string(a) + " has the offset " + std::to_string(points.front().x) +
         ", and no layout has a coordinate below 0");
  }
  points.erase(std::unique(points.begin(), points.end(), [](const Point& p, const Point& q) { return p.x == q.x; }),
               points.end());
  const Interpolation found = interpolate(points);
  if (!found.modes) {
    const std::string coordinate =
        static_cast<std::int64_t>(points.size()) == n ? "its coordinate" : "its first coordinate";
    fail("left_inverse: " + to_string(a) +
         (found.gave_up ? ": none found, and there are too many candidates to try them all"
                        : " has none: no layout leads from each offset back to " + coordinate));
  }
  Modes modes = *found.modes;
  if (all_static(a.shape) && all_static(a.stride)) {
    for (Mode& m : modes) {
      m = {Int::make_static(m.shape.value), Int::make_static(m.stride.value)};
    }
  }
  return to_layout(Engine(true).coalesced(modes));
}

bool upcast_holds(LayoutRef a, LayoutRef r, std::int64_t factor) {
  const Modes from = flat_modes(a);
  const Modes to = flat_modes(r);
  // Where all small strides span less than one unit together, the remainders never carry.
  const auto floor_div = [](std::int64_t x, std::int64_t y) {
    return x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
  };
  std::int64_t small_reach = 0;
  bool plain = true;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t d = from[i].stride.value;
    if (d % factor == 0) {
      plain = plain && to[i].shape.value == from[i].shape.value && to[i].stride.value == d / factor;
    } else if (d > 0 && factor % d == 0) {
      const std::int64_t per_unit = factor / d;
      plain = plain && to[i].stride.value == 1 && to[i].shape.value == (from[i].shape.value + per_unit - 1) / per_unit;
      small_reach = checked_add(small_reach, checked_mul(std::min(per_unit, from[i].shape.value) - 1, d));
    } else {
      plain = plain && from[i].shape.value == 1;
    }
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
      const std::int64_t c = rest % from[k].shape.value;
      rest /= from[k].shape.value;
      const std::int64_t d = from[k].stride.value;
      offset = checked_add(offset, checked_mul(c, d));
      const std::int64_t width = d == 0 || d % factor == 0 ? 1 : std::max<std::int64_t>(1, factor / (d < 0 ? -d : d));
      if (c / width >= to[k].shape.value) {
        return false;
      }
      scaled = checked_add(scaled, checked_mul(c / width, to[k].stride.value));
    }
    if (scaled != floor_div(offset, factor)) {
      return false;
    }
  }
  return true;
}

}  // namespace tileloom::layout
