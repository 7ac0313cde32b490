// SPDX-License-Identifier: Apache-2.0
#include "bench/operand_sets.hpp"

#include "unit/bench/session_fixture.hpp"

namespace tileloom::bench {
namespace {

constexpr std::int64_t mib = 1 << 20;

// Between two uses of a set, the others move more than twice the L2.
TEST(RotatedSets, MoreThanTwiceTheL2LiesBetweenTwoUses) {
  for (const std::int64_t size : {128, 256, 1000, 4096, 16384}) {
    const GemmProblem problem = dense_problem(size, size, size);
    const std::int64_t sets = rotated_sets(problem, 60 * mib);
    EXPECT_GT((sets - 1) * 3 * size * size * 2, 120 * mib - 3 * 256 * sets) << size;
    EXPECT_GE(sets, 2);
    EXPECT_LE((sets - 2) * 3 * size * size * 2, 120 * mib) << size << ": no more than it takes";
  }
}

TEST(RotatedSets, AreBoundedForTinyProducts) {
  EXPECT_EQ(rotated_sets(dense_problem(8, 8, 8), 60 * mib), 8192);
}

// Sets do not overlap, and each is aligned as cublasLt's algorithms expect.
TEST_F(SessionTest, SetsAreApart) {
  const Session session(false);
  const cuda::Buffer device_a(2 * 100 * 40);
  const cuda::Buffer device_b(2 * 70 * 40);
  device_a.fill(a.data(), 2 * 100 * 40, session.stream().get());
  device_b.fill(b.data(), 2 * 70 * 40, session.stream().get());
  const OperandSets sets(dense_problem(100, 70, 40), 5, device_a, device_b, session.stream());
  std::map<std::uintptr_t, std::uintptr_t> ranges;
  const auto add = [&](const void* at, std::int64_t elements) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    EXPECT_TRUE(ranges.emplace(begin, begin + static_cast<std::uintptr_t>(2 * elements)).second);
  };
  for (int set = 0; set < sets.count(); ++set) {
    const GemmOperands& o = sets.of_launch(set);
    add(o.a, 100 * 40), add(o.b, 70 * 40), add(o.d, 100 * 70);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), static_cast<const std::uint16_t*>(o.a))) << set;
    EXPECT_TRUE(std::equal(b.begin(), b.end(), static_cast<const std::uint16_t*>(o.b))) << set;
    const auto offset = reinterpret_cast<std::uintptr_t>(o.a) - reinterpret_cast<std::uintptr_t>(sets.of_launch(1).a);
    EXPECT_TRUE(set == 0 || offset % 256 == 0);
    EXPECT_EQ(sets.of_launch(set + 5).d, o.d);
  }
  std::uintptr_t end = 0;
  for (const auto& [begin, stop] : ranges) {
    EXPECT_GE(begin, end);
    end = stop;
  }
}

TEST_F(SessionTest, ColdLaunchesRotateAndBatchesAreWhole) {
  fake("FAKE_CUDA_L2", "40000");
  EXPECT_EQ(run({kernel("simple")}).operand_sets, 1) << "hot unless asked";
  plan.cold = true;
  const ShapeResult result = run({kernel("simple"), cublas});
  EXPECT_EQ(result.operand_sets, 4);  // of 27904 bytes
  EXPECT_EQ(result.contenders[0].timing.batch, 8) << "5 launches of 2 ms last 10 ms";
  EXPECT_EQ(result.contenders[1].timing.batch, 12);
  plan.max_batch = 1;
  EXPECT_EQ(run({kernel("simple")}).contenders[0].timing.batch, 4) << "all sets, whatever the bound";
}

// A set whose product is wrong is found, whichever it is.
TEST_F(SessionTest, EverySetIsVerified) {
  fake("FAKE_CUDA_L2", "40000");
  plan.cold = true;
  fake("FAKE_CUDA_SKIP_EACH", "3");  // 4 sets: another one is left out each time
  for (int i = 0; i < 3; ++i) {
    const test::Caught error = test::error_of([&] { (void)run({kernel("simple")}); });
    EXPECT_EQ(error.exit_code, 1);
    EXPECT_NE(error.message.find("7000 of 7000 elements of D were not written"), std::string::npos) << error.message;
  }
}

TEST_F(SessionTest, ProductsThatDoNotFitAreRefused) {
  fake("FAKE_CUDA_MIB", "1");
  const test::Caught load = test::error_of([&] {
    Session session(false);
    session.load({a.data(), b.data()}, std::int64_t{1} << 30U, 70 * 40);
  });
  EXPECT_EQ(load.exit_code, 3);
  EXPECT_EQ(load.message, "bench: A and B: expected 2048.0 MiB of free GPU memory, found 1.0 of 1.0 MiB");
  EXPECT_EQ(load.hint, "choose a smaller problem, or free memory of the GPU");
  fake("FAKE_CUDA_L2", "4000000");
  plan.cold = true;
  const test::Caught sets = test::error_of([&] {
    Session session(false);
    session.load({a.data(), b.data()}, 100 * 40, 70 * 40);
    (void)session.run(dense_problem(100, 70, 40), {kernel("simple")}, plan);
  });
  EXPECT_EQ(sets.exit_code, 3);
  EXPECT_NE(sets.message.find("k 40, f16, accumulate f32, A, B and D again and again: expected 7.7 MiB"),
            std::string::npos)
      << sets.message;
}

}  // namespace
}  // namespace tileloom::bench
