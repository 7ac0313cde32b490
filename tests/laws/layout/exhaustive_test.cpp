// SPDX-License-Identifier: Apache-2.0
// The laws of the unary operations over every layout of at most 3 leaves, size at most 24 and strides 0..24, flat and
// nested, all static and all dynamic. Every answer is checked; expected refusals are waited for on a sixteenth of the
// layouts, an exception being slow. Sanitizer and debug builds visit a sample.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

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

using Law = std::string (*)(const Layout&, const Table&, bool with_refusals);

// Runs `law` over all layouts on all cores; fails with the first few that break it.
void check_over_all_layouts(Law law) {
  const std::vector<Sizes> sizes = all_sizes();
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> visited{0};
  std::mutex lock;
  std::vector<std::string> broken;
  const auto work = [&] {
    std::uint64_t mine = 0;
    for (std::size_t k = next++; k < sizes.size(); k = next++) {
      const Sizes& s = sizes[k];
      Sizes d(s.size(), 0);
      std::uint64_t count = k;
      bool done = false;
      while (!done) {
        if (count++ % every == 0) {
          const Table f = offsets(Layout(tree_of(s, 0, true), tree_of(d, 0, true)));
          // Flat and one nested profile, alternating where there are two.
          for (const int profile : {0, 1 + static_cast<int>(count % 2) * static_cast<int>(s.size() == 3)}) {
            for (const bool fixed : {true, false}) {
              const Layout a = Layout::from_parts(tree_of(s, profile, fixed), tree_of(d, profile, fixed));
              const bool with_refusals = count % 16 == 0;
              std::string wrong = law(a, f, with_refusals);
              ++mine;
              if (!wrong.empty()) {
                const std::scoped_lock guard(lock);
                broken.push_back(to_string(a) + ": " + wrong);
                done = broken.size() > 5;
              }
            }
          }
        }
        std::size_t i = 0;
        while (i < d.size() && ++d[i] > max_stride) {
          d[i++] = 0;
        }
        done = done || i == d.size();
      }
    }
    visited += mine;
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

TEST(AllSmallLayouts, coalesce_keeps_the_function) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool) { return coalesce_keeps_the_function(a, f); });
}
TEST(AllSmallLayouts, filter_keeps_the_offsets) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool) { return filter_keeps_the_offsets(a, f); });
}
TEST(AllSmallLayouts, flatten_keeps_the_function) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool) { return flatten_keeps_the_function(a, f); });
}
TEST(AllSmallLayouts, complement_is_ordered_disjoint_and_reaches_the_target) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool with_refusals) {
    return complement_is_ordered_disjoint_and_reaches_the_target(a, f, 96, with_refusals);
  });
}
TEST(AllSmallLayouts, right_inverse_leads_to_every_offset_in_order) {
  check_over_all_layouts(
      [](const Layout& a, const Table& f, bool) { return right_inverse_leads_to_every_offset_in_order(a, f); });
}
TEST(AllSmallLayouts, left_inverse_leads_back) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool w) { return left_inverse_leads_back(a, f, w); });
}
TEST(AllSmallLayouts, nullspace_goes_to_zero) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool) { return nullspace_goes_to_zero(a, f); });
}
TEST(AllSmallLayouts, upcast_divides_the_offsets) {
  check_over_all_layouts(
      [](const Layout& a, const Table& f, bool w) { return upcast_divides_the_offsets(a, f, 4, w); });
}
TEST(AllSmallLayouts, downcast_takes_the_parts_once) {
  check_over_all_layouts(
      [](const Layout& a, const Table& f, bool w) { return downcast_takes_the_parts_once(a, f, 2, w); });
}
TEST(AllSmallLayouts, make_layout_like_is_compact) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool) { return make_layout_like_is_compact(a, f); });
}
TEST(AllSmallLayouts, make_fragment_like_is_compact) {
  check_over_all_layouts([](const Layout& a, const Table& f, bool) { return make_fragment_like_is_compact(a, f); });
}

}  // namespace
}  // namespace tileloom::layout::laws
