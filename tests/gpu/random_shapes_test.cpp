// SPDX-License-Identifier: Apache-2.0
// Many random problems on the GPU against float64, each with poisoned outputs and guards. $TILELOOM_RANDOM_SHAPES sets
// how many; the summary goes to $TILELOOM_RESULTS, if that is set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "gemm/verify.hpp"
#include "gpu/results.hpp"
#include "kernels/instances.hpp"
#include "support/run_on.hpp"

namespace tileloom::test {
namespace {

class RandomProblems {
 public:
  explicit RandomProblems(unsigned seed) : random_(seed) {}

  GemmCase next(const kernels::KernelInstance& instance) {
    const GemmProblem problem = padded_problem(size(), size(), up_to(600), gap(), gap(), gap(), instance.accumulate);
    const auto distribution = up_to(2) == 0 ? Distribution::integers : Distribution::normal;
    return make_case(problem, distribution, random_(), {up_to(7), up_to(7), up_to(7)});
  }
  KernelChoice choice(const kernels::KernelInstance& instance) {
    KernelChoice choice{std::string(instance.name)};
    if (instance.pipelined()) {
      choice.stages = static_cast<int>(instance.min_stages + up_to(instance.max_stages - instance.min_stages));
    }
    choice.raster_width = static_cast<std::uint32_t>(up_to(9));
    return choice;
  }

 private:
  std::int64_t up_to(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<unsigned>(most + 1));
  }
  std::int64_t size() { return 1 + (up_to(3) == 0 ? up_to(40) : up_to(700)); }
  // Half of the rows lie as an aligned allocation would have them, half anyhow.
  std::int64_t gap() { return up_to(1) == 0 ? 0 : up_to(17); }

  std::mt19937 random_;
};

TEST(RandomShapes, AreRightOnTheGpu) {
  if (const std::string obstacle = gpu_obstacle(); !obstacle.empty()) {
    GTEST_SKIP() << "no GPU: " << obstacle;
  }
  const char* wanted = std::getenv("TILELOOM_RANDOM_SHAPES");
  const int count = wanted == nullptr ? 100 : std::atoi(wanted);
  RandomProblems problems(2026);
  std::map<std::string, int> verified;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const auto all = kernels::instances();
    const kernels::KernelInstance& instance = all[static_cast<std::size_t>(i) % all.size()];
    GemmCase c = problems.next(instance);
    const KernelChoice choice = problems.choice(instance);
    const GemmConfiguration ran = run_on_gpu(c, choice);
    const VerifyReport report = verify(c.problem, ran.arch, c.a_data(), c.b_data(), c.d_data());
    const std::string guard = broken_guard(c);
    EXPECT_TRUE(report.ok()) << choice.kernel << " " << to_string(c) << ": " << to_string(*report.first);
    EXPECT_EQ(guard, "") << choice.kernel << " " << to_string(c);
    wrong += report.ok() && guard.empty() ? 0 : 1;
    ++verified[choice.kernel];
  }
  write_results("random_shapes", {{"method",
                                   "outputs poisoned with NaN and guarded before each run, all elements "
                                   "compared with float64 within the derived bound"},
                                  {"problems", count},
                                  {"wrong", wrong},
                                  {"problems_by_kernel", verified}});
}

}  // namespace
}  // namespace tileloom::test
