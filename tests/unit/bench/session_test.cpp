// SPDX-License-Identifier: Apache-2.0
// Sessions on the stand-in for driver, cuBLAS and NVML, where a product takes as long as the test says.
#include "bench/session.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "bench/cublas.hpp"
#include "gemm/generate.hpp"
#include "render/bench_text.hpp"
#include "unit/gemm/error_of.hpp"

namespace tileloom::bench {
namespace {

class SessionTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"FAKE_CUDA_FAIL", "FAKE_CUDA_DEVICES", "FAKE_CUDA_SKIP_FIRST", "FAKE_CUBLAS_WRONG",
                             "FAKE_CUDA_KERNEL_US", "FAKE_CUDA_CUBLAS_US"}) {
      ::unsetenv(name);
    }
  }

  // 100 x 70 x 40: no two sizes alike, so that a transposed call cannot look right.
  ShapeResult run(const std::vector<Contender>& contenders, Accumulate accumulate = Accumulate::f32) {
    const GemmProblem problem = dense_problem(100, 70, 40, accumulate);
    Session session(true);
    session.load({a.data(), b.data()}, 100 * 40, 70 * 40);
    return session.run(problem, contenders, plan);
  }
  static Contender kernel(const std::string& name) {
    Contender contender;
    contender.label = name;
    contender.options.kernel = name;
    return contender;
  }

  std::vector<std::uint16_t> a = generate(Distribution::normal, 1, 0, 100 * 40);
  std::vector<std::uint16_t> b = generate(Distribution::normal, 1, 1, 70 * 40);
  Contender cublas{"cublas", {}, true};
  Plan plan{.rounds = 5, .batch_seconds = 0.01, .max_batch = 1000};
};

TEST_F(SessionTest, TimesAreThoseOfOneProduct) {
  ::setenv("FAKE_CUDA_KERNEL_US", "2500", 1);
  ::setenv("FAKE_CUDA_CUBLAS_US", "500", 1);
  const ShapeResult result = run({kernel("simple"), cublas});
  const ContenderResult& ours = result.contenders[0];
  EXPECT_EQ(ours.kernel, "simple_128x128x16_f32");
  EXPECT_EQ(ours.timing.batch, 4) << "the fewest launches that last 10 ms";
  EXPECT_EQ(ours.timing.seconds.size(), 5U);
  EXPECT_NEAR(ours.seconds.median, 2.5e-3, 1e-8);
  EXPECT_NEAR(ours.tflops, 2.0 * 100 * 70 * 40 / 2.5e-3 * 1e-12, 1e-9);
  EXPECT_EQ(result.contenders[1].timing.batch, 20);
  EXPECT_NEAR(*result.ratio_to_cublas(ours), 0.2, 1e-6);
  EXPECT_NEAR(*result.ratio_to_cublas(result.contenders[1]), 1, 1e-6);
}

TEST_F(SessionTest, BatchesAreBounded) {
  ::setenv("FAKE_CUDA_KERNEL_US", "1", 1);
  EXPECT_EQ(run({kernel("simple")}).contenders[0].timing.batch, 1000);
}

TEST_F(SessionTest, ClockAndPowerAreRead) {
  const ContenderResult ours = run({kernel("simple")}).contenders[0];
  EXPECT_EQ(ours.sm_mhz, 1500);
  EXPECT_EQ(ours.watts, 650.5);
  EXPECT_EQ(run({kernel("simple")}).ratio_to_cublas(ours), std::nullopt);
}

TEST_F(SessionTest, EnvironmentIsNamed) {
  const Session session(true);
  const Environment& e = session.environment();
  EXPECT_EQ(e.device, "Fake GPU");
  EXPECT_EQ(e.driver, "999.1");
  EXPECT_EQ(e.cublas, "13.1.2");
  EXPECT_EQ(Session(false).environment().cublas, "");
}

// The row-major product asked of a column-major library: right for both accumulators, and for no transposition wrong.
TEST_F(SessionTest, CublasComputesTheSameProduct) {
  for (const Accumulate accumulate : {Accumulate::f32, Accumulate::f16}) {
    const ShapeResult result = run({cublas}, accumulate);
    EXPECT_EQ(result.contenders[0].check.unwritten, 0);
    EXPECT_LT(result.contenders[0].check.report.relative_error(), 1e-3);
  }
}

TEST_F(SessionTest, NothingIsTimedThatIsWrong) {
  ::setenv("FAKE_CUDA_SKIP_FIRST", "3", 1);
  test::Caught error = test::error_of([&] { (void)run({kernel("simple"), cublas}); });
  EXPECT_EQ(error.exit_code, 1);
  EXPECT_EQ(error.message,
            "simple at D = A·Bᵀ, m 100, n 70, k 40, f16, accumulate f32: 3 of 7000 elements of D were not written");
  EXPECT_EQ(error.hint, "nothing was timed");
  ::unsetenv("FAKE_CUDA_SKIP_FIRST");
  ::setenv("FAKE_CUBLAS_WRONG", "1", 1);
  error = test::error_of([&] { (void)run({kernel("simple"), cublas}); });
  EXPECT_NE(error.message.find("cublas at D = A·Bᵀ"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("0.01 is allowed"), std::string::npos) << error.message;
}

TEST_F(SessionTest, FailuresNameWhatFailed) {
  const auto message = [&](const char* plan_text) {
    ::setenv("FAKE_CUDA_FAIL", plan_text, 1);
    return test::error_of([&] { (void)run({kernel("simple"), cublas}); }).message;
  };
  EXPECT_EQ(message("cublasCreate_v2:1"), "cublas: creating a handle: planned by the test");
  EXPECT_EQ(message("cublasGemmEx_64:7"), "cublas: cublasGemmEx: planned by the test");
  EXPECT_EQ(message("cuStreamEndCapture:900"), "backend cuda: ending a graph: CUDA_ERROR_FAKE (planned by the test)");
  EXPECT_EQ(message("cuGraphInstantiateWithFlags:2"),
            "backend cuda: instantiating a graph: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

TEST_F(SessionTest, WithoutAGpuItSaysWhy) {
  ::setenv("FAKE_CUDA_DEVICES", "0", 1);
  const test::Caught error = test::error_of([] { const Session session(false); });
  EXPECT_EQ(error.exit_code, 3);
  EXPECT_EQ(error.message, "timing: expected a usable GPU, found none: the driver sees no GPU");
}

TEST_F(SessionTest, WarmUpLastsAsLongAsAsked) {
  Session session(false);
  session.load({a.data(), b.data()}, 100 * 40, 70 * 40);
  session.warm_up(dense_problem(100, 70, 40), 0.1);  // 0.1 s of 2 ms products; it must end
}

TEST_F(SessionTest, TextNamesEachContenderAndTheRatio) {
  std::ostringstream out;
  render::timing_text(out, run({kernel("simple"), cublas}));
  EXPECT_EQ(out.str(),
            "timed     simple  min 2.0000  mean 2.0000  max 2.0000 ms  0.0 TFLOPS  5 x 5 launches, all 7000 elements "
            "verified\n"
            "          cublas  min 1.0000  mean 1.0000  max 1.0000 ms  0.0 TFLOPS  5 x 10 launches, all 7000 elements "
            "verified\n"
            "ratio     0.500 of cublas's speed, the median of rounds side by side\n");
}

TEST(ExplainCublasCall, SizesAndLeadingDimensionsAreThoseOfTheProblem) {
  GemmProblem problem = dense_problem(100, 70, 40, Accumulate::f16);
  problem.lda = 48;
  EXPECT_EQ(explain_cublas_call(problem),
            "row-major D = A·Bᵀ is column-major Dᵀ = B·Aᵀ, the same bytes\n"
            "B, row-major 70 x 40 with ld 40, is column-major 40 x 70 with the same ld: Bᵀ, so OP_T gives B\n"
            "A, row-major 100 x 40 with ld 48, is column-major 40 x 100 with the same ld: Aᵀ, so OP_N gives Aᵀ\n"
            "cublasGemmEx(OP_T, OP_N, 70, 100, 40, 1, B, R_16F, 40, A, R_16F, 48, 0, D, R_16F, 70, COMPUTE_16F, "
            "DEFAULT)\n");
}

}  // namespace
}  // namespace tileloom::bench
