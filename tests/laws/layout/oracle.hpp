// SPDX-License-Identifier: Apache-2.0
// What a layout means, written down a second time and as plainly as possible, and generators of layouts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tileloom/layout/expression.hpp"

namespace tileloom::layout::laws {

// The offsets of a layout by 1-D coordinate, leaf by leaf; `extent` of them, beyond the size too.
inline std::vector<std::int64_t> offsets(const Layout& l, std::int64_t extent = -1) {
  const TreeRef shape(l.shape());
  const Int* sizes = shape.nodes();
  const Int* strides = l.stride().nodes();
  std::int64_t n = 1;
  std::size_t last = 0;
  for (std::size_t i = 0; i < shape.node_count(); ++i) {
    if (!sizes[i].is_tuple()) {
      n *= sizes[i].value;
      last = i;
    }
  }
  const auto wanted = static_cast<std::size_t>(extent < 0 ? n : extent);
  std::vector<std::int64_t> table;
  table.reserve(std::max<std::size_t>(wanted, 1));
  table.push_back(0);
  for (std::size_t i = 0; i <= last && table.size() < wanted; ++i) {
    if (sizes[i].is_tuple()) {
      continue;
    }
    const std::size_t block = table.size();
    for (std::int64_t c = 1; (i == last || c < sizes[i].value) && table.size() < wanted; ++c) {
      for (std::size_t k = 0; k < block && table.size() < wanted; ++k) {
        table.push_back(table[k] + c * strides[i].value);
      }
    }
  }
  table.resize(wanted);
  return table;
}

inline std::int64_t at(const Layout& l, std::int64_t i) {
  return offsets(l, i + 1).back();
}

// The different values of v, in order.
inline std::vector<std::int64_t> as_set(std::vector<std::int64_t> v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  return v;
}

// The fewest sizes and strides of a layout whose function on 0..n-1 is f, if there is one. Tries every size for the
// first mode, the largest first.
inline std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> modes_of(const std::vector<std::int64_t>& f) {
  const std::size_t n = f.size();
  if (n == 1) {
    return f[0] == 0 ? std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>>(std::in_place) : std::nullopt;
  }
  for (std::size_t s = n; s >= 2; --s) {
    if (n % s != 0) {
      continue;
    }
    bool fits = true;
    std::vector<std::int64_t> rest;
    for (std::size_t i = 0; i < n && fits; ++i) {
      fits = f[i] == f[i / s * s] + static_cast<std::int64_t>(i % s) * f[1];
      if (i % s == 0) {
        rest.push_back(f[i]);
      }
    }
    if (!fits) {
      continue;
    }
    if (auto modes = modes_of(rest)) {
      modes->insert(modes->begin(), {static_cast<std::int64_t>(s), f[1]});
      return modes;
    }
  }
  return std::nullopt;
}

inline bool is_a_layout(const std::vector<std::int64_t>& f) {
  return modes_of(f).has_value();
}

// The offsets below n that copies of the tile start at, if copies can cover all of 0..n-1 once: each must start at the
// first offset that is not covered yet.
inline std::optional<std::vector<std::int64_t>> starts_of_copies(const std::vector<std::int64_t>& tile,
                                                                 std::int64_t n) {
  std::vector<char> covered(static_cast<std::size_t>(n), 0);
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < n; ++i) {
    if (covered[static_cast<std::size_t>(i)] != 0) {
      continue;
    }
    starts.push_back(i);
    for (const std::int64_t x : tile) {
      if (i + x >= n || covered[static_cast<std::size_t>(i + x)]++ != 0) {
        return std::nullopt;
      }
    }
  }
  return starts;
}

// Is there a layout R on a refinement of B's shape with R(c) = A(B(c))?
inline bool composition_exists(const Layout& a, const Layout& b) {
  std::vector<Layout> leaves;
  const TreeRef shape(b.shape());
  const TreeRef stride(b.stride());
  for (std::size_t i = 0; i < shape.node_count(); ++i) {
    if (!shape.nodes()[i].is_tuple()) {
      leaves.emplace_back(Tree(shape.nodes()[i]), Tree(stride.nodes()[i]));
    }
  }
  std::int64_t reach = 0;
  for (const std::int64_t x : offsets(b)) {
    reach = std::max(reach, x);
  }
  const auto table = offsets(a, reach + 1);
  std::vector<std::vector<std::int64_t>> along;
  for (const Layout& leaf : leaves) {
    std::vector<std::int64_t> f;
    for (const std::int64_t x : offsets(leaf)) {
      f.push_back(table[static_cast<std::size_t>(x)]);
    }
    if (!is_a_layout(f)) {
      return false;
    }
    along.push_back(std::move(f));
  }
  const auto of_b = offsets(b);
  for (std::size_t i = 0; i < of_b.size(); ++i) {
    std::size_t rest = i;
    std::int64_t sum = 0;
    for (const auto& f : along) {
      sum += f[rest % f.size()];
      rest /= f.size();
    }
    if (sum != table[static_cast<std::size_t>(of_b[i])]) {
      return false;
    }
  }
  return true;
}

// Random layouts: nested profiles, static, dynamic or mixed leaves, strides compact, permuted, padded or arbitrary.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }

  Int number(std::int64_t v) {
    const bool fixed = kind_ == 0 || (kind_ == 2 && below(2) == 0);
    return fixed ? Int::make_static(v) : Int::make_dynamic(v);
  }

  // Chooses for the next layouts whether leaves are static (0), dynamic (1) or mixed (2).
  void choose_kind() { kind_ = static_cast<int>(below(3)); }
  void set_kind(int kind) { kind_ = kind; }

  Layout layout(std::int64_t max_size, int max_leaves = 4) {
    std::vector<std::int64_t> sizes;
    std::int64_t n = 1;
    const auto leaves = 1 + below(max_leaves);
    static constexpr std::int64_t choices[] = {1, 2, 2, 3, 4, 4, 5, 6, 8, 9, 12, 16};
    for (std::int64_t i = 0; i < leaves; ++i) {
      const std::int64_t s = choices[below(12)];
      sizes.push_back(n * s <= max_size ? s : 1);
      n *= sizes.back();
    }
    std::vector<std::int64_t> strides(sizes.size(), 0);
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    const auto style = below(5);
    if (style >= 1) {
      std::shuffle(order.begin(), order.end(), random_);
    }
    std::int64_t current = 1;
    for (const std::size_t i : order) {
      strides[i] = style == 4 ? below(25) : current;
      current *= sizes[i];
      if (style == 2 && below(3) == 0) {
        current *= 1 + below(3);
      }
      if (style == 3 && below(4) == 0) {
        strides[i] = 0;
      }
    }
    TreeBuilder shape;
    TreeBuilder stride;
    std::size_t next = 0;
    write(sizes, strides, next, sizes.size(), sizes.size() == 1 && below(2) == 0, 0, shape, stride);
    return {shape.take(), stride.take()};
  }

 private:
  void write(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides, std::size_t& next,
             std::size_t end, bool bare, int depth, TreeBuilder& shape, TreeBuilder& stride) {
    if (bare) {
      shape.leaf(number(sizes[next]));
      stride.leaf(number(strides[next]));
      ++next;
      return;
    }
    shape.open();
    stride.open();
    while (next < end) {
      if (depth < 2 && below(3) == 0) {
        const auto some = next + 1 + static_cast<std::size_t>(below(static_cast<std::int64_t>(end - next)));
        write(sizes, strides, next, some, false, depth + 1, shape, stride);
      } else {
        write(sizes, strides, next, next + 1, true, depth, shape, stride);
      }
    }
    shape.close();
    stride.close();
  }

  std::mt19937_64 random_;
  int kind_ = 2;
};

// Runs f; none if it refuses.
template <class F>
auto unless_refused(const F& f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace tileloom::layout::laws
