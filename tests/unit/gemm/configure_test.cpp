// SPDX-License-Identifier: Apache-2.0
// Choices and refusals, and launches on the emulator. No GPU is asked for here.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "gemm/generate.hpp"
#include "gemm/verify.hpp"
#include "kernels/instances.hpp"
#include "tileloom/gemm.hpp"
#include "unit/gemm/error_of.hpp"

namespace tileloom {
namespace {

using Bits = std::vector<std::uint16_t>;

GemmOptions emulated(const std::string& kernel = {}, std::optional<hw::Arch> arch = {}) {
  GemmOptions options;
  options.backend = Backend::emulator;
  options.arch = arch;
  options.kernel = kernel;
  return options;
}

TEST(Configure, EveryInstanceCanBeNamed) {
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    const GemmProblem problem = dense_problem(5, 6, 7, instance.accumulate);
    const GemmConfiguration chosen = configure(problem, emulated(std::string(instance.name)));
    EXPECT_EQ(chosen.kernel, instance.name);
    EXPECT_EQ(chosen.family, instance.family);
    EXPECT_EQ(chosen.threads, instance.threads);
    EXPECT_TRUE(chosen.reasons.empty());
  }
}

TEST(Configure, AFamilyAndNothingTakeTheDefaultForTheAccumulateType) {
  for (const Accumulate accumulate : {Accumulate::f32, Accumulate::f16}) {
    const std::string expected = "simple_128x128x16_" + std::string(to_string(accumulate));
    EXPECT_EQ(configure(dense_problem(5, 6, 7, accumulate), emulated("simple")).kernel, expected);
  }
  EXPECT_EQ(configure(dense_problem(5, 6, 7), emulated()).arch, hw::sm_90);
}

TEST(Configure, NothingTakesTheFastestByEstimateAndSaysWhatElse) {
  const GemmConfiguration chosen = configure(dense_problem(256, 256, 256), emulated());
  EXPECT_EQ(chosen.kernel, "multistage_32x32x64_f32");
  ASSERT_EQ(chosen.reasons.size(), 1U);
  EXPECT_EQ(chosen.reasons[0].rfind("kernel: ", 0), 0U);
  EXPECT_NE(chosen.reasons[0].find("us estimated: 64 CTAs, "), std::string::npos);
  EXPECT_NE(chosen.reasons[0].find(", for 132 SMs of sm_90"), std::string::npos);
  ASSERT_EQ(chosen.runners_up.size(), 3U);
  EXPECT_EQ(chosen.runners_up[0].rfind("multistage_", 0), 0U);
  EXPECT_NE(to_string(chosen).find("\ninstead   " + chosen.runners_up[0]), std::string::npos);
  EXPECT_TRUE(configure(dense_problem(256, 256, 256), emulated("multistage")).runners_up.empty());
}

TEST(Configure, EmptyProductsHaveAChoiceToo) {
  for (const auto& [m, n, k] : {std::array{0, 5, 5}, std::array{5, 0, 5}, std::array{5, 5, 0}, std::array{0, 0, 0}}) {
    EXPECT_EQ(configure(dense_problem(m, n, k), emulated()).family, "multistage");
  }
}

TEST(Configure, RefusesAKernelThatDoesNotExist) {
  const test::Caught caught = test::error_of([] { (void)configure(dense_problem(1, 1, 1), emulated("simpel")); });
  std::string names;
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    names += (names.empty() ? "" : ", ") + std::string(instance.name);
  }
  EXPECT_EQ(caught.message, "kernel: expected one of " + names + "; found 'simpel'");
  EXPECT_EQ(caught.hint, "did you mean simple?");
  EXPECT_EQ(caught.exit_code, 2);
}

TEST(Configure, RefusesAKernelOfTheOtherAccumulateType) {
  const auto call = [] { (void)configure(dense_problem(1, 1, 1), emulated("simple_128x128x16_f16")); };
  EXPECT_ERROR(call(), "kernel simple_128x128x16_f16: expected a problem that accumulates in f16, found f32", 2);
  EXPECT_EQ(test::error_of(call).hint, "ask for accumulate f16, or for kernel simple");
}

TEST(Configure, RefusesAnArchWithoutAnImage) {
  const auto call = [] { (void)configure(dense_problem(1, 1, 1), emulated("simple", hw::Arch{75})); };
  EXPECT_ERROR(call(),
               "kernel simple_128x128x16_f32: expected an arch that can run one of its images (compute_80, "
               "compute_90), found sm_75",
               3);
  EXPECT_EQ(test::error_of(call).hint, "choose sm_80 or later");
}

TEST(Configure, TakesTheNewestImageThatTheArchCanRun) {
  const auto image = [](int sm) { return configure(dense_problem(1, 1, 1), emulated("simple", hw::Arch{sm})).image; };
  EXPECT_EQ(image(80), "PTX compute_80");
  EXPECT_EQ(image(89), "PTX compute_80");
  EXPECT_EQ(image(90), "PTX compute_90");
  EXPECT_EQ(image(120), "PTX compute_90");
}

TEST(Configure, RefusesAGridThatCudaCannotLaunch) {
  const std::int64_t many = std::int64_t{1} << 30;
  EXPECT_ERROR(configure(dense_problem(many, many, 1), emulated("simple")),
               "gemm: expected at most 2^31 - 1 tiles of 128 x 128, found m 1073741824 and n 1073741824", 3);
}

TEST(Configure, Prints) {
  EXPECT_EQ(to_string(configure(dense_problem(1000, 900, 8), emulated("multistage"))),
            "kernel    multistage_128x128x64_f32\n"
            "tile      128 x 128 x 64, 128 threads\n"
            "shared    3 stages, 98304 bytes\n"
            "grid      64 CTAs, in bands of 8 tile columns (0: no bands)\n"
            "backend   emulator, emulator (sm_90), PTX compute_90\n"
            "because   kernel: the default of family multistage for accumulate f32");
}

TEST(Configure, StagesAndRasterAreWhatWasAskedFor) {
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    for (int stages = instance.min_stages; instance.pipelined() && stages <= instance.max_stages; ++stages) {
      GemmOptions options = emulated(std::string(instance.name));
      options.stages = stages;
      options.raster_width = 5;
      const GemmConfiguration chosen = configure(dense_problem(5, 6, 7, instance.accumulate), options);
      EXPECT_EQ(chosen.stages, stages);
      EXPECT_EQ(chosen.raster_width, 5U);
      EXPECT_EQ(chosen.dynamic_shared_bytes, instance.stage_bytes * static_cast<unsigned>(stages));
    }
  }
}

TEST(Configure, RefusesStagesThatTheKernelDoesNotHave) {
  GemmOptions options = emulated("multistage_128x128x64_f32");
  options.stages = 6;
  EXPECT_ERROR(configure(dense_problem(5, 6, 7), options),
               "stages: expected 2 to 5 for kernel multistage_128x128x64_f32, found 6", 2);
  options.kernel = "simple";
  options.stages = 2;
  EXPECT_ERROR(configure(dense_problem(5, 6, 7), options),
               "stages: expected none, kernel simple_128x128x16_f32 has no pipeline; found 2", 2);
}

// 4 stages of 32 KiB are more than the 99 KiB of sm_86 and sm_89, and fit on sm_80 and sm_90.
TEST(Configure, RefusesMoreSharedMemoryThanTheArchHas) {
  GemmOptions options = emulated("multistage_128x128x64_f32");
  options.stages = 4;
  for (const hw::Arch arch : {hw::sm_80, hw::sm_90}) {
    options.arch = arch;
    EXPECT_EQ(configure(dense_problem(5, 6, 7), options).dynamic_shared_bytes, 131072U);
  }
  options.arch = hw::sm_89;
  EXPECT_ERROR(
      configure(dense_problem(5, 6, 7), options),
      "kernel multistage_128x128x64_f32 with 4 stages: expected at most the 101376 bytes of shared memory that "
      "a CTA has on sm_89, found 131072",
      3);
}

TEST(Launch, RefusesAConfigurationThatConfigureDidNotMake) {
  const GemmProblem empty = dense_problem(0, 0, 0);
  EXPECT_ERROR(launch(empty, GemmConfiguration{}, {}),
               "gemm: expected a configuration that configure made, found one of kernel ''", 2);
}

// Gaps between rows hold NaN on the way in, and are the caller's on the way out.
TEST(Launch, ComputesWithLeadingDimensionsOfAnySize) {
  for (const Accumulate accumulate : {Accumulate::f32, Accumulate::f16}) {
    for (const hw::Arch arch : {hw::sm_80, hw::sm_90}) {
      const GemmProblem p{.m = 37, .n = 21, .k = 19, .lda = 23, .ldb = 19, .ldd = 30, .accumulate = accumulate};
      Bits a(37 * 23, 0x7FFF);
      const Bits values = generate(Distribution::normal, 5, 0, 37 * 19);
      for (std::size_t i = 0; i < values.size(); ++i) {
        a[i / 19 * 23 + i % 19] = values[i];
      }
      const Bits b = generate(Distribution::normal, 5, 1, 21 * 19);
      Bits d(37 * 30, 0x1234);
      const GemmReport report = launch(p, configure(p, emulated("simple", arch)), {a.data(), b.data(), d.data()});
      EXPECT_GT(report.warp_instructions, 0U);
      EXPECT_TRUE(verify(p, arch, a.data(), b.data(), d.data()).ok());
      for (std::size_t i = 0; i < d.size(); ++i) {
        ASSERT_EQ(i % 30 >= 21, d[i] == 0x1234) << i;
      }
    }
  }
}

TEST(Launch, WithoutKWritesZerosAndReadsNothing) {
  const GemmProblem p = dense_problem(5, 6, 0);
  Bits d(30, 0x7FFF);
  launch_host(p, configure(p, emulated()), {nullptr, nullptr, d.data()});
  EXPECT_EQ(d, Bits(30, 0));
}

TEST(Launch, WithoutRowsOrColumnsDoesNothing) {
  for (const GemmProblem& p : {dense_problem(0, 6, 3), dense_problem(6, 0, 3), dense_problem(0, 0, 0)}) {
    EXPECT_EQ(launch_host(p, configure(p, emulated()), {}).warp_instructions, 0U);
  }
}

TEST(Launch, OneMatrixMayBeBothOperands) {
  const GemmProblem p = dense_problem(9, 9, 33);
  const Bits x = generate(Distribution::integers, 1, 0, 9 * 33);
  Bits d(81, 0x7FFF);
  launch_host(p, configure(p, emulated()), {x.data(), x.data(), d.data()});
  EXPECT_TRUE(verify(p, hw::sm_90, x.data(), x.data(), d.data()).ok());
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(d[i * 9 + j], d[j * 9 + i]);
    }
  }
}

TEST(Launch, ProgressCanStopIt) {
  const GemmProblem p = dense_problem(1000, 1000, 20000);  // many seconds, if nobody stops it
  const Bits x = generate(Distribution::normal, 1, 0, 20000000);
  Bits d(1000000);
  LaunchControl control;
  control.progress = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_ERROR(launch_host(p, configure(p, emulated()), {x.data(), x.data(), d.data()}, control), "stopped", 3);
}

}  // namespace
}  // namespace tileloom
