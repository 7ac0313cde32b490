// SPDX-License-Identifier: Apache-2.0
// Every shipped kernel, in the emulator and on the GPU where there is one, bit for bit against the instruction model,
// at every kind of shape.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "kernels/instances.hpp"
#include "support/gemm_case.hpp"
#include "support/reference_gemm.hpp"
#include "support/run_on.hpp"

namespace tileloom::test {
namespace {

using kernels::KernelInstance;

struct Run {
  const KernelInstance* instance;
  int stages;
  hw::Arch arch;  // emulated; 0: this machine's GPU
};

void PrintTo(const Run& run, std::ostream* out) {
  *out << run.instance->name << ", " << run.stages << " stages, on "
       << (run.arch.sm == 0 ? "the GPU" : to_string(run.arch));
}

class Kernels : public testing::TestWithParam<Run> {
 protected:
  void SetUp() override {
    if (GetParam().arch.sm == 0) {
      if (const std::string obstacle = gpu_obstacle(); !obstacle.empty()) {
        GTEST_SKIP() << "no GPU: " << obstacle;
      }
    }
  }

  [[nodiscard]] const KernelInstance& instance() const { return *GetParam().instance; }

  // Runs the case and holds the output against the model, and the guards against having been touched.
  void expect_right(GemmCase c, std::optional<std::uint32_t> raster_width = std::nullopt) const {
    SCOPED_TRACE(to_string(c));
    const KernelChoice kernel{std::string(instance().name), instance().pipelined() ? GetParam().stages : 0,
                              raster_width};
    const hw::Arch arch = GetParam().arch;
    const GemmConfiguration ran = arch.sm == 0 ? run_on_gpu(c, kernel) : run_in_emulator(c, kernel, arch);
    GemmCase expected = c;
    reference_gemm(c.problem, ran.arch, c.a_data(), c.b_data(), expected.d_data());
    EXPECT_EQ(first_difference(c.problem, c.d_data(), expected.d_data()), "");
    EXPECT_EQ(broken_guard(c), "");
  }

  void expect_right(std::int64_t m, std::int64_t n, std::int64_t k) const {
    expect_right(make_case(dense_problem(m, n, k, instance().accumulate), Distribution::normal, 1));
  }
};

TEST_P(Kernels, OneTileAndItsNeighbours) {
  for (const int dm : {-1, 0, 1}) {
    for (const int dn : {-1, 0, 1}) {
      expect_right(instance().tile_m + dm, instance().tile_n + dn, 2 * instance().tile_k);
    }
  }
}

TEST_P(Kernels, EveryTailOfK) {
  for (int k = 1; k <= 2 * instance().tile_k + 1; ++k) {
    expect_right(5, 9, k);
  }
}

// Enough K tiles to go round the stages twice, and a ragged end; aligned rows, so that the wide copies run.
TEST_P(Kernels, RoundTheStagesTwice) {
  const std::int64_t k = (2 * GetParam().stages + 1) * instance().tile_k;
  expect_right(40, 48, k);
  expect_right(instance().tile_m + 8, instance().tile_n, k);  // a CTA without edges beside one with
  for (const std::int64_t tail : {1, 7, 8, 9}) {
    const std::int64_t gap = (8 - tail % 8) % 8;
    expect_right(
        make_case(padded_problem(40, 48, k + tail, gap, gap, 0, instance().accumulate), Distribution::normal, 11));
  }
}

// A CTA without edges, from one K tile up to one more than there are stages.
TEST_P(Kernels, AnyNumberOfWholeKTiles) {
  for (int tiles = 1; tiles <= GetParam().stages + 1; ++tiles) {
    expect_right(instance().tile_m, instance().tile_n, tiles * instance().tile_k);
  }
}

TEST_P(Kernels, EveryRasterWidthGivesTheSame) {
  const GemmProblem problem =
      dense_problem(2 * instance().tile_m + 1, 3 * instance().tile_n - 5, 24, instance().accumulate);
  for (const std::uint32_t width : {0U, 1U, 2U, 3U, 7U}) {
    expect_right(make_case(problem, Distribution::normal, 12), width);
  }
}

TEST_P(Kernels, ZeroSizes) {
  for (const std::int64_t m : {0, 1, 3}) {
    for (const std::int64_t n : {0, 1, 3}) {
      for (const std::int64_t k : {0, 1}) {
        expect_right(m, n, k);
      }
    }
  }
}

TEST_P(Kernels, PrimesAndNarrowShapes) {
  expect_right(1, 1, 1);
  expect_right(1, 263, 97);
  expect_right(263, 1, 97);
  expect_right(131, 257, 53);
  expect_right(2, 3, 1009);
}

// Gaps between rows hold NaN; odd leading dimensions and offsets leave nothing aligned to more than 2 bytes.
TEST_P(Kernels, LeadingDimensionsAndAlignments) {
  const Accumulate accumulate = instance().accumulate;
  for (const std::int64_t gap : {1, 2, 3, 4, 5, 8, 11}) {
    expect_right(make_case(padded_problem(17, 19, 35, gap, 0, 0, accumulate), Distribution::normal, 2));
    expect_right(make_case(padded_problem(17, 19, 35, 0, gap, 0, accumulate), Distribution::normal, 3));
    expect_right(make_case(padded_problem(17, 19, 35, 0, 0, gap, accumulate), Distribution::normal, 4));
    expect_right(make_case(padded_problem(140, 24, 32, gap, gap, gap, accumulate), Distribution::normal, 5));
  }
  for (const std::int64_t offset : {1, 2, 4, 6}) {
    const GemmProblem problem = padded_problem(40, 48, 64, 8, 8, 8, accumulate);
    expect_right(make_case(problem, Distribution::normal, 6, {offset, 0, 0}));
    expect_right(make_case(problem, Distribution::normal, 7, {0, offset, 0}));
    expect_right(make_case(problem, Distribution::normal, 8, {0, 0, offset}));
  }
}

TEST_P(Kernels, SeveralTilesInEachDirection) {
  expect_right(2 * instance().tile_m + 1, 2 * instance().tile_n + 1, instance().tile_k + 1);
}

TEST_P(Kernels, RandomShapes) {
  std::mt19937 random(20260707);
  const auto up_to = [&](int limit) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit)); };
  for (int i = 0; i < 12; ++i) {
    const GemmProblem problem =
        padded_problem(1 + up_to(300), 1 + up_to(300), up_to(150), up_to(9), up_to(9), up_to(9), instance().accumulate);
    expect_right(make_case(problem, Distribution::normal, random(), {up_to(8), up_to(8), up_to(8)}));
  }
}

// Infinities and NaN among the inputs reach exactly the outputs that they must.
TEST_P(Kernels, InfinitiesAndNan) {
  GemmCase c = make_case(dense_problem(33, 34, 40, instance().accumulate), Distribution::normal, 9);
  c.a[3 * 40 + 7] = 0x7C00;   // inf
  c.a[5 * 40 + 39] = 0xFC00;  // -inf
  c.b[6 * 40 + 39] = 0x7E00;  // NaN
  c.b[8 * 40 + 7] = 0x0000;   // inf * 0
  expect_right(c);
}

std::vector<Run> runs_on(std::initializer_list<hw::Arch> archs) {
  std::vector<Run> runs;
  for (const KernelInstance& instance : kernels::instances()) {
    for (const hw::Arch arch : archs) {
      if (arch.sm != 0 && arch < instance.min_arch) {
        continue;
      }
      // The arithmetic alone differs between architectures, so the older one has one number of stages.
      const bool all = arch != hw::sm_80;
      for (int stages = all ? instance.min_stages : instance.default_stages;
           stages <= (all ? instance.max_stages : instance.default_stages); ++stages) {
        runs.push_back({&instance, stages, arch});
      }
    }
  }
  return runs;
}

std::string name_of(const testing::TestParamInfo<Run>& info) {
  return std::string(info.param.instance->name) +
         (info.param.instance->pipelined() ? "_s" + std::to_string(info.param.stages) : "") +
         (info.param.arch.sm == 0 ? "" : "_" + to_string(info.param.arch));
}

INSTANTIATE_TEST_SUITE_P(Emulator, Kernels, testing::ValuesIn(runs_on({hw::sm_80, hw::sm_90})), name_of);
INSTANTIATE_TEST_SUITE_P(Gpu, Kernels, testing::ValuesIn(runs_on({hw::Arch{0}})), name_of);

// The model itself must be able to tell: one flipped operand bit changes the output.
TEST(ReferenceGemm, SeesOneFlippedBit) {
  GemmCase c = make_case(dense_problem(20, 20, 40), Distribution::normal, 10);
  GemmCase flipped = c;
  flipped.a[7 * 40 + 11] ^= 0x0200;
  reference_gemm(c.problem, hw::sm_90, c.a_data(), c.b_data(), c.d_data());
  reference_gemm(c.problem, hw::sm_90, flipped.a_data(), flipped.b_data(), flipped.d_data());
  EXPECT_EQ(first_difference(c.problem, flipped.d_data(), c.d_data()).rfind("D(7,0) is pattern", 0), 0U);
}

}  // namespace
}  // namespace tileloom::test
