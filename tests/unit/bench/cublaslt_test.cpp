// SPDX-License-Identifier: Apache-2.0
#include "bench/cublaslt.hpp"

#include "unit/bench/session_fixture.hpp"

namespace tileloom::bench {
namespace {

TEST_F(SessionTest, TheFastestAlgorithmIsTaken) {
  fake("FAKE_CUBLASLT_US", "900,400,700");
  const ShapeResult result = run({cublas, cublaslt});
  const ContenderResult& best = result.contenders[1];
  EXPECT_EQ(best.kind, ContenderKind::cublaslt_best);
  EXPECT_EQ(best.algorithm, "2 of 3");
  EXPECT_EQ(best.kernel, "");
  EXPECT_NEAR(best.seconds.median, 4e-4, 1e-8);
  EXPECT_NEAR(*result.ratio_to_cublas(best), 2.5, 1e-6);
  EXPECT_NEAR(*result.ratio_to(ContenderKind::cublaslt_best, result.contenders[0]), 0.4, 1e-6);
  EXPECT_EQ(run({cublaslt}).ratio_to_cublas(best), std::nullopt);
}

TEST_F(SessionTest, AtMostSixteenAlgorithmsAreTried) {
  std::string all = "900";
  for (int i = 1; i < 20; ++i) {
    all += i < 16 ? ",800" : ",100";
  }
  fake("FAKE_CUBLASLT_US", all);
  plan.max_batch = 1;
  EXPECT_EQ(run({cublaslt}).contenders[0].algorithm, "2 of 16") << "of equally fast ones the first";
}

TEST_F(SessionTest, AlgorithmsComputeTheSameProduct) {
  fake("FAKE_CUBLASLT_US", "900");
  for (const Accumulate accumulate : {Accumulate::f32, Accumulate::f16}) {
    const ShapeResult result = run({cublaslt}, accumulate);
    EXPECT_EQ(result.contenders[0].check.unwritten, 0);
    EXPECT_EQ(result.contenders[0].check.report.elements, 7000);
    EXPECT_LT(result.contenders[0].check.report.relative_error(), 1e-3);
  }
}

TEST_F(SessionTest, AWrongAlgorithmIsPassedOver) {
  fake("FAKE_CUBLASLT_US", "900,400w,700,500w");
  const ContenderResult best = run({cublaslt}).contenders[0];
  EXPECT_EQ(best.algorithm, "3 of 4, 2 faster wrong");
  EXPECT_NEAR(best.seconds.median, 7e-4, 1e-8);
  EXPECT_LT(best.check.report.relative_error(), 1e-3);
}

TEST_F(SessionTest, WithoutARightAlgorithmNothingIsTimed) {
  fake("FAKE_CUBLASLT_US", "900w,400w");
  const test::Caught error = test::error_of([&] { (void)run({cublaslt}); });
  EXPECT_EQ(error.exit_code, 1);
  EXPECT_NE(error.message.find("cublaslt-best at D = A·Bᵀ"), std::string::npos) << error.message;
  EXPECT_EQ(error.hint, "nothing was timed");
}

TEST_F(SessionTest, CublasLtFailuresNameWhatFailed) {
  const auto message = [&](const std::string& plan_text) {
    fake("FAKE_CUDA_FAIL", plan_text);
    return test::error_of([&] { (void)run({cublaslt}); }).message;
  };
  EXPECT_EQ(message(""),
            "cublaslt: expected an algorithm for D = A·Bᵀ, m 100, n 70, k 40, f16, accumulate f32, found none");
  fake("FAKE_CUBLASLT_US", "900");
  EXPECT_EQ(message("cublasLtCreate:1"), "cublaslt: creating a handle: planned by the test");
  EXPECT_EQ(message("cublasLtMatmulAlgoGetHeuristic:15"), "cublaslt: asking for algorithms: planned by the test");
  EXPECT_EQ(message("cublasLtMatmul:13"), "cublaslt: cublasLtMatmul: planned by the test");
}

}  // namespace
}  // namespace tileloom::bench
