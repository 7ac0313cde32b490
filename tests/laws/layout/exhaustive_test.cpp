// SPDX-License-Identifier: Apache-2.0
// The laws of the unary operations over every layout of at most 3 leaves, size at most 24 and strides 0..24, flat and
// nested, all static and all dynamic, on all cores: every answer is checked, and every refusal. Sanitizer and debug
// builds visit a sample.
#include <gtest/gtest.h>

#include <array>
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
  const std::size_t first = profile == 0 ? v.size() : profile == 1 && v.size() == 3 ? 1 : 0;  // leaf of the group
  const std::size_t last = profile == 2 ? 2 : v.size();                                       // leaf after it
  TreeBuilder b;
  if (v.size() > 1) {
    b.open();
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (i == first) {
      b.open();
    }
    b.leaf(fixed ? Int::make_static(v[i]) : Int::make_dynamic(v[i]));
    if (first < last && i + 1 == last) {
      b.close();
    }
  }
  if (v.size() > 1) {
    b.close();
  }
  return b.take();
}

// All layouts of the given sizes, one in `every`, until `report` says stop. Returns how many.
template <class Report>
std::uint64_t visit_strides(const Sizes& sizes, std::uint64_t start, const Report& report) {
  const int profiles = sizes.size() == 3 ? 3 : 2;
  std::vector<std::array<Tree, 2>> shapes;
  shapes.reserve(static_cast<std::size_t>(profiles));
  for (int profile = 0; profile < profiles; ++profile) {
    shapes.push_back({tree_of(sizes, profile, false), tree_of(sizes, profile, true)});
  }
  std::uint64_t visited = 0;
  Sizes d(sizes.size(), 0);
  for (std::uint64_t count = start;; ++count) {
    if (count % every == 0) {
      const Facts facts(Layout::from_parts(tree_of(sizes, 0, true), tree_of(d, 0, true)));
      UnaryLaws laws(facts);
      for (int profile = 0; profile < profiles; ++profile) {
        for (const bool fixed : {true, false}) {
          ++visited;
          const Layout a =
              Layout::from_parts(shapes[static_cast<std::size_t>(profile)][fixed ? 1 : 0], tree_of(d, profile, fixed));
          const std::string wrong = laws.broken(a);
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
