// SPDX-License-Identifier: Apache-2.0
#include "layout/laws.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "layout/fail.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

// Modes of size > 1 and stride != 0 of the layouts, by the amount of the stride.
template <class... Layouts>
Modes active_modes(const Layouts&... layouts) {
  Modes modes;
  const auto add = [&](const Int& s, const Int& d) {
    if (s.value == 1 || d.value == 0) {
      return;
    }
    modes.push_back({s, abs(d)});
    for (std::size_t i = modes.size() - 1; i > 0 && modes[i].stride.value < modes[i - 1].stride.value; --i) {
      std::swap(modes[i], modes[i - 1]);
    }
  };
  (for_each_mode(layouts, add), ...);
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

}  // namespace

std::int64_t checked_size(const char* what, LayoutRef a) {
  const std::int64_t n = size(a).value;
  if (n > enumeration_limit) {
    fail(std::string(what) + ": " + to_string(a) + " has " + std::to_string(n) +
             " elements, more than can be checked one by one (" + std::to_string(enumeration_limit) + ")",
         "use --cute to get CuTe's answer without a check");
  }
  return n;
}

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
  const Modes modes = active_modes(a, r);
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

std::optional<Layout> solve_complement(LayoutRef a, TreeRef cotarget, Refusal* why) {
  if (has_basis(a.stride)) {
    return refuse(why, [&] {
      return Refusal{"complement: " + to_string(a) + " has basis strides, expected integers", {}};
    });
  }
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
      return refuse(why, [&] {
        const Layout active = to_layout(modes);
        return Refusal{"complement: " + to_string(a) +
                           " is not injective: " + coordinate_text(active.shape(), hit->first) + " and " +
                           coordinate_text(active.shape(), hit->second) + " of its modes " + to_string(active) +
                           " have the same offset",
                       "a complement exists only where every element of the layout has its own offset"};
      });
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
    return Layout();
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

std::optional<Layout> solve_left_inverse(LayoutRef a, Refusal* why) {
  if (has_basis(a.stride)) {
    return refuse(why, [&] {
      return Refusal{"left_inverse: " + to_string(a) + " has basis strides, expected integers", {}};
    });
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
    return refuse(why, [&] {
      return Refusal{"left_inverse: " + to_string(a) + " has the offset " + std::to_string(points.front().x) +
                         ", and no layout has a coordinate below 0",
                     {}};
    });
  }
  points.erase(std::unique(points.begin(), points.end(), [](const Point& p, const Point& q) { return p.x == q.x; }),
               points.end());
  const Interpolation found = interpolate(points);
  if (!found.modes) {
    return refuse(why, [&] {
      const bool injective = static_cast<std::int64_t>(points.size()) == n;
      return Refusal{"left_inverse: " + to_string(a) +
                         (found.gave_up ? ": none found, and there are too many candidates to try them all"
                                        : " has none: no layout leads from each offset back to its " +
                                              std::string(injective ? "coordinate" : "first coordinate")),
                     {}};
    });
  }
  Modes modes = *found.modes;
  if (all_static(a.shape) && all_static(a.stride)) {
    for (Mode& m : modes) {
      m = {Int::make_static(m.shape.value), Int::make_static(m.stride.value)};
    }
  }
  return to_layout(Engine(true).coalesced(modes));
}

}  // namespace tileloom::layout
