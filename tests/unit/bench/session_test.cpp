// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "bench/cublas.hpp"
#include "render/bench_text.hpp"
#include "unit/bench/session_fixture.hpp"

namespace tileloom::bench {
namespace {

TEST_F(SessionTest, TimesAreThoseOfOneProduct) {
  fake("FAKE_CUDA_KERNEL_US", "2500");
  fake("FAKE_CUDA_CUBLAS_US", "500");
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
  fake("FAKE_CUDA_KERNEL_US", "1");
  EXPECT_EQ(run({kernel("simple")}).contenders[0].timing.batch, 20);
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
  fake("FAKE_CUDA_SKIP_FIRST", "3");
  test::Caught error = test::error_of([&] { (void)run({kernel("simple"), cublas}); });
  EXPECT_EQ(error.exit_code, 1);
  EXPECT_EQ(error.message,
            "simple at D = A·Bᵀ, m 100, n 70, k 40, f16, accumulate f32: 3 of 7000 elements of D were not written");
  EXPECT_EQ(error.hint, "nothing was timed");
  fake("FAKE_CUDA_SKIP_FIRST", "0");
  fake("FAKE_CUBLAS_WRONG", "1");
  error = test::error_of([&] { (void)run({kernel("simple"), cublas}); });
  EXPECT_NE(error.message.find("cublas at D = A·Bᵀ"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("0.01 is allowed"), std::string::npos) << error.message;
}

TEST_F(SessionTest, FailuresNameWhatFailed) {
  const auto message = [&](const char* plan_text) {
    fake("FAKE_CUDA_FAIL", plan_text);
    return test::error_of([&] { (void)run({kernel("simple"), cublas}); }).message;
  };
  EXPECT_EQ(message("cublasCreate_v2:1"), "cublas: creating a handle: planned by the test");
  EXPECT_EQ(message("cublasGemmEx_64:7"), "cublas: cublasGemmEx: planned by the test");
  EXPECT_EQ(message("cuStreamEndCapture:900"), "backend cuda: ending a graph: CUDA_ERROR_FAKE (planned by the test)");
  EXPECT_EQ(message("cuGraphInstantiateWithFlags:2"),
            "backend cuda: instantiating a graph: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

TEST_F(SessionTest, WithoutAGpuItSaysWhy) {
  fake("FAKE_CUDA_DEVICES", "0");
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
