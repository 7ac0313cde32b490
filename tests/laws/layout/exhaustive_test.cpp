// SPDX-License-Identifier: Apache-2.0
// The laws of the unary operations over every layout of at most 3 leaves, size at most 24 and strides 0..24, flat and
// nested, all static and all dynamic, on all cores. Every answer is checked. A refusal where one is due, an exception
// being slow, is waited for on one function in four; existence_test.cpp waits for all of a smaller range. Sanitizer and
// debug builds visit a sample.
#include <gtest/gtest.h>

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <thread>
#include <utility>

#include "laws/layout/unary_laws.hpp"

namespace tileloom::layout::laws {
namespace {

constexpr std::int64_t max_size = 24;
constexpr std::int64_t max_stride = 24;

#if defined(NDEBUG) && !defined(TILELOOM_SANITIZED)
constexpr std::uint64_t every = 1;
#else
constexpr std::uint64_t every = 997;
#endif

using Sizes = std::vector<std::int64_t>;

std::vector<Sizes> all_sizes() {
  std::vector<Sizes> all;
  for (std::int64_t a = 1; a <= max_size; ++a) {
    all.push_back({a});
    for (std::int64_t b = 1; a * b <= max_size; ++b) {
      all.push_back({a, b});
      for (std::int64_t c = 1; a * b * c <= max_size; ++c) {
        all.push_back({a, b, c});
      }
    }
  }
  return all;
}

// Profile 0 is flat; 1 groups the last leaves, 2 the first; a single leaf is bare or in a tuple.
Tree tree_of(const Sizes& v, int profile, bool fixed) {
  const auto number = [&](std::int64_t x) { return Tree(fixed ? Int::make_static(x) : Int::make_dynamic(x)); };
  if (v.size() == 1) {
    return profile == 0 ? number(v[0]) : Tree::tuple({number(v[0])});
  }
  if (v.size() == 2) {
    return profile == 0 ? Tree::tuple({number(v[0]), number(v[1])})
                        : Tree::tuple({Tree::tuple({number(v[0]), number(v[1])})});
  }
  if (profile == 0) {
    return Tree::tuple({number(v[0]), number(v[1]), number(v[2])});
  }
  return profile == 1 ? Tree::tuple({number(v[0]), Tree::tuple({number(v[1]), number(v[2])})})
                      : Tree::tuple({Tree::tuple({number(v[0]), number(v[1])}), number(v[2])});
}

// What the laws say about one layout whose offsets are `f`; empty if all hold.
std::string broken_laws(const Layout& a, const Table& f, Refusals w) {
  for (const auto& [name, wrong] : std::initializer_list<std::pair<const char*, std::string>>{
           {"coalesce", coalesce_keeps_the_function(a, f)},
           {"filter", filter_keeps_the_offsets(a, f)},
           {"flatten", flatten_keeps_the_function(a, f)},
           {"complement", complement_is_ordered_disjoint_and_reaches_the_target(a, f, 96, w)},
           {"right_inverse", right_inverse_leads_to_every_offset_in_order(a, f)},
           {"left_inverse", left_inverse_leads_back(a, f, w)},
           {"nullspace", nullspace_goes_to_zero(a, f)},
           {"upcast", upcast_divides_the_offsets(a, f, 4, w)},
           {"downcast", downcast_takes_the_parts_once(a, f, 2, w)},
           {"make_layout_like", make_layout_like_is_compact(a, f)},
           {"make_fragment_like", make_fragment_like_is_compact(a, f)}}) {
    if (!wrong.empty()) {
      return to_string(a) + ": " + name + ": " + wrong;
    }
  }
  return "";
}

// All layouts of the given sizes, one in `every`, until `report` says stop. Returns how many.
template <class Report>
std::uint64_t visit_strides(const Sizes& sizes, std::uint64_t start, const Report& report) {
  const int profiles = sizes.size() == 3 ? 3 : 2;
  std::uint64_t visited = 0;
  Sizes d(sizes.size(), 0);
  for (std::uint64_t count = start;; ++count) {
    if (count % every == 0) {
      const Table f = offsets(Layout::from_parts(tree_of(sizes, 0, true), tree_of(d, 0, true)));
      for (int profile = 0; profile < profiles; ++profile) {
        for (const bool fixed : {true, false}) {
          ++visited;
          const bool waits = profile == 0 && (count / every) % 8 == static_cast<std::uint64_t>(fixed);
          const std::string wrong =
              broken_laws(Layout::from_parts(tree_of(sizes, profile, fixed), tree_of(d, profile, fixed)), f,
                          waits ? Refusals::expect : Refusals::skip);
          if (!wrong.empty() && !report(wrong)) {
            return visited;
          }
        }
      }
    }
    std::size_t i = 0;
    while (i < d.size() && ++d[i] > max_stride) {
      d[i++] = 0;
    }
    if (i == d.size()) {
      return visited;
    }
  }
}

TEST(AllSmallLayouts, obey_every_unary_law) {
  const std::vector<Sizes> sizes = all_sizes();
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> visited{0};
  std::mutex lock;
  std::vector<std::string> broken;
  const auto report = [&](const std::string& wrong) {
    const std::scoped_lock guard(lock);
    broken.push_back(wrong);
    return broken.size() <= 5;
  };
  const auto work = [&] {
    for (std::size_t k = next++; k < sizes.size(); k = next++) {
      visited += visit_strides(sizes[k], k, report);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& t : threads) {
    t.join();
  }
  for (const std::string& b : broken) {
    ADD_FAILURE() << b;
  }
  EXPECT_GT(visited, 1000U);
  ::testing::Test::RecordProperty("layouts", std::to_string(visited));
}

}  // namespace
}  // namespace tileloom::layout::laws
