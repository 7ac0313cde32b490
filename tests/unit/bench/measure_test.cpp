// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <array>
#include <map>
#include <set>

#include "bench/ceiling_kernel.hpp"
#include "unit/bench/session_fixture.hpp"

namespace tileloom::bench {
namespace {

// Over 2 n rounds each stands twice at each place, and follows each neighbour equally often.
TEST(RoundOrder, PlacesAndNeighboursAreShared) {
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 8U}) {
    std::map<std::pair<std::size_t, std::size_t>, int> at_place;
    std::map<std::pair<std::size_t, std::size_t>, int> follows;
    for (int round = 0; round < static_cast<int>(2 * count); ++round) {
      const std::vector<std::size_t> order = round_order(count, round);
      EXPECT_EQ(std::set(order.begin(), order.end()).size(), count);
      for (std::size_t place = 0; place < count; ++place) {
        ++at_place[{order[place], place}];
        ++follows[{order[place], order[(place + count - 1) % count]}];
      }
    }
    EXPECT_EQ(at_place.size(), count * count);
    for (const auto& [where, times] : at_place) {
      EXPECT_EQ(times, 2) << count << ": " << where.first << " at " << where.second;
    }
    for (const auto& [pair, times] : follows) {
      EXPECT_EQ(times, count > 2 ? static_cast<int>(count) : static_cast<int>(2 * count)) << count;
    }
  }
}

// One launch untimed and one timed a round: every other round is a slow one.
TEST_F(SessionTest, RoundsGoOnWhileAMedianIsNoisy) {
  plan.rounds = 12;
  plan.max_batch = 1;
  const auto with_wave = [&](const char* percent) {
    fake("FAKE_CUDA_WAVE", percent);
    return run({kernel("simple")}).contenders[0];
  };
  const ContenderResult smooth = with_wave("1");
  EXPECT_NEAR(smooth.spread, 0.01, 1e-3);
  EXPECT_EQ(smooth.timing.seconds.size(), 12U);
  EXPECT_FALSE(smooth.noisy);
  const ContenderResult longer = with_wave("3");
  EXPECT_NEAR(longer.spread, 0.03, 1e-3);
  EXPECT_GT(longer.timing.seconds.size(), 12U);
  EXPECT_LT(longer.timing.seconds.size(), 24U) << "no longer than it takes";
  EXPECT_FALSE(longer.noisy);
  const ContenderResult rough = with_wave("10");
  EXPECT_EQ(rough.timing.seconds.size(), 24U);
  EXPECT_TRUE(rough.noisy);
}

TEST_F(SessionTest, SettlingLastsAsLongAsAsked) {
  static constexpr std::array<std::byte, 4> code{};
  const Session session(false);
  const CeilingModule module(code);
  const CeilingKernel kernel = module.kernel("ceiling_empty");
  const Candidate candidate{"50 us", [&](cuda::CUstream s, int) { kernel.launch(1, 1, {}, s); }, 1};
  const auto gpu_seconds = [&](double settle_seconds) {
    plan.settle_seconds = settle_seconds;
    const Event begin;
    const Event end;
    begin.record(session.stream());
    (void)measure(std::vector{candidate}, plan, session.stream(), session.monitor());
    end.record(session.stream());
    return end.seconds_since(begin);
  };
  EXPECT_NEAR(gpu_seconds(0.2) - gpu_seconds(0), 0.4, 0.02) << "and as long untimed before each batch";
}

// Products of 50 us heat the GPU: 3 graphs of 20 last 3 ms, and half of them run untimed before.
TEST_F(SessionTest, LongProductsRunUntilTheyAreSustained) {
  plan.sustained_seconds = 3e-3;
  fake("FAKE_CUDA_KERNEL_US", "50");
  EXPECT_EQ(run({kernel("simple")}).contenders[0].timing.batch, 60);
  fake("FAKE_CUDA_KERNEL_US", "10");
  EXPECT_EQ(run({kernel("simple")}).contenders[0].timing.batch, 20);
}

}  // namespace
}  // namespace tileloom::bench
