// SPDX-License-Identifier: Apache-2.0
// Kinds of faults that half-precision GEMM kernels were publicly reported for, each held against every shipped kernel.
// The numbers of the reports are those of the repositories that they name.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "gemm/half.hpp"
#include "gemm/verify.hpp"
#include "kernels/instances.hpp"
#include "kernels/params.hpp"
#include "support/gemm_case.hpp"
#include "support/reference_gemm.hpp"
#include "support/run_on.hpp"
#include "tileloom/emu/emulator.hpp"
#include "tileloom/error.hpp"
#include "tileloom/hw/limits.hpp"

namespace tileloom::test {
namespace {

using kernels::KernelInstance;

class EveryKernel : public testing::TestWithParam<const KernelInstance*> {
 protected:
  [[nodiscard]] const KernelInstance& instance() const { return *GetParam(); }
  [[nodiscard]] KernelChoice choice() const { return {std::string(instance().name)}; }

  void expect_right(GemmCase c) const {
    SCOPED_TRACE(to_string(c));
    const GemmConfiguration ran = run_in_emulator(c, choice(), hw::sm_90);
    GemmCase expected = c;
    reference_gemm(c.problem, ran.arch, c.a_data(), c.b_data(), expected.d_data());
    EXPECT_EQ(first_difference(c.problem, c.d_data(), expected.d_data()), "");
    EXPECT_EQ(broken_guard(c), "");
  }
  void expect_right(std::int64_t m, std::int64_t n, std::int64_t k) const {
    expect_right(make_case(dense_problem(m, n, k, instance().accumulate), Distribution::normal, 1));
  }
};

std::vector<const KernelInstance*> all_instances() {
  std::vector<const KernelInstance*> all;
  for (const KernelInstance& instance : kernels::instances()) {
    all.push_back(&instance);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(BugReports, EveryKernel, testing::ValuesIn(all_instances()),
                         [](const auto& test) { return std::string(test.param->name); });

// xlite-dev/LeetCUDA#294, Cjkkkk/CUDA_gemm#6, yzhaiustc/Optimizing-SGEMM-on-NVIDIA-Turing-GPUs#2: right at multiples of
// the tile, wrong at its edges.
TEST_P(EveryKernel, EdgesOfTilesAreComputed) {
  expect_right(33, 32, 32);
  expect_right(100, 100, 100);
  expect_right(35, 79, 19);
}

// Cjkkkk/CUDA_gemm#3: a grid rounded down never writes the last rows.
TEST_P(EveryKernel, TheLastRowsOfATallProductAreWritten) {
  expect_right(3000, 64, 64);
}

// tile-ai/tilelang#2381: of 24 products only 16 were summed, because 24 is no multiple of the instruction's K.
TEST_P(EveryKernel, KThatIsNoMultipleOf16IsSummedWhole) {
  for (const std::int64_t k : {24, 40, 56}) {
    GemmCase c = make_case(dense_problem(64, 64, k, instance().accumulate), Distribution::integers, 2);
    std::ranges::fill(c.a, half_from(1.0F));
    std::ranges::fill(c.b, half_from(1.0F));
    run_in_emulator(c, choice(), hw::sm_90);
    EXPECT_EQ(half_to_f64(c.d_data()[64 * 64 - 1]), static_cast<double>(k));
    expect_right(64, 64, k);
  }
}

// NVIDIA/cutlass#1874, #3191: right within one tile, wrong in the second.
TEST_P(EveryKernel, MoreThanOneTileInEachMode) {
  expect_right(2 * instance().tile_m, 2 * instance().tile_n, 2 * instance().tile_k);
}

// Memory of which only the pages that are touched exist.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t bytes)
      : bytes_(bytes),
        at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory() { ::munmap(at_, bytes_); }
  [[nodiscard]] std::uint16_t* halves() const { return static_cast<std::uint16_t*>(at_); }
  [[nodiscard]] bool good() const { return at_ != MAP_FAILED; }

 private:
  std::size_t bytes_;
  void* at_;
};

// NVIDIA/cutlass#3307, DeepGEMM 226, triton#5022: row * ld in 32 bits. Rows of all three matrices begin beyond element
// 2^31 and, unsigned, beyond 2^32.
TEST_P(EveryKernel, RowsBeyond32BitOffsets) {
  constexpr std::int64_t rows = 4;
  constexpr std::int64_t k = 24;
  constexpr std::int64_t ld = (std::int64_t{1} << 31) + 8;
  const SparseMemory a(rows * ld * 2);
  const SparseMemory b(rows * ld * 2);
  const SparseMemory d(rows * ld * 2);
  if (!a.good() || !b.good() || !d.good()) {
    GTEST_SKIP() << "this system reserves no " << rows * ld * 2 << " bytes of address space";
  }
  GemmProblem near = dense_problem(rows, rows, k, instance().accumulate);
  GemmCase c = make_case(near, Distribution::normal, 3);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::copy_n(c.a_data() + row * k, k, a.halves() + row * ld);
    std::copy_n(c.b_data() + row * k, k, b.halves() + row * ld);
  }
  GemmProblem far = near;
  far.lda = far.ldb = far.ldd = ld;
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = instance().name;
  launch_host(far, configure(far, options), {a.halves(), b.halves(), d.halves()});
  reference_gemm(near, hw::sm_90, c.a_data(), c.b_data(), c.d_data());
  for (std::int64_t row = 0; row < rows; ++row) {
    EXPECT_TRUE(std::equal(d.halves() + row * ld, d.halves() + row * ld + rows, c.d_data() + row * rows)) << row;
  }
}

// NVIDIA/cutlass#1188: sums in f16 stall where a step is half a unit in the last place; sums in f32 do not. And a sum
// beyond 65504 is infinite in D.
TEST_P(EveryKernel, SumsOfOnes) {
  const auto sum_of_ones = [&](std::int64_t k) {
    GemmCase c = make_case(dense_problem(1, 1, k, instance().accumulate), Distribution::integers, 4);
    std::ranges::fill(c.a, half_from(1.0F));
    std::ranges::fill(c.b, half_from(1.0F));
    run_in_emulator(c, choice(), hw::sm_90);
    return half_to_f64(c.d_data()[0]);
  };
  const bool f16 = instance().accumulate == Accumulate::f16;
  EXPECT_EQ(sum_of_ones(2049), 2048) << "2049 is not an f16: rounded to even";
  EXPECT_EQ(sum_of_ones(32768), 32768);
  EXPECT_EQ(sum_of_ones(40000), f16 ? 32768 : 40000);
  EXPECT_EQ(sum_of_ones(65536), f16 ? 32768 : std::numeric_limits<double>::infinity());
}

// sglang#29897, NVIDIA/cutlass#3144, numba-cuda-mlir#143: more shared memory asked than the GPU has, found out by a
// failing launch or not at all.
TEST_P(EveryKernel, SharedMemoryOfTheArchIsAsked) {
  for (const hw::Arch arch : {hw::sm_80, hw::sm_86, hw::sm_89, hw::sm_90}) {
    for (int stages = std::max(instance().min_stages, 1); stages <= instance().max_stages; ++stages) {
      GemmOptions options;
      options.backend = Backend::emulator;
      options.kernel = instance().name;
      options.arch = arch;
      options.stages = instance().pipelined() ? stages : 0;
      const GemmProblem problem = dense_problem(10, 10, 10, instance().accumulate);
      const bool fits = instance().shared_bytes(stages) <= hw::limits(arch).shared_bytes_per_cta;
      if (fits && instance().min_arch <= arch) {
        EXPECT_EQ(configure(problem, options).dynamic_shared_bytes, instance().shared_bytes(stages));
      } else {
        EXPECT_THROW((void)configure(problem, options), Error) << stages << " stages on " << to_string(arch);
      }
    }
  }
}

// ml-explore/mlx#2267: grid.y and grid.z end at 65535. The shipped kernels put every tile into grid.x.
TEST_P(EveryKernel, MoreThan65535RowsOfTiles) {
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = instance().name;
  const std::int64_t m = std::int64_t{65536} * instance().tile_m + 1;
  EXPECT_EQ(configure(dense_problem(m, 1, 1, instance().accumulate), options).ctas, 65537U);
}

// Bruce-Lee-LY/cuda_hgemm#3: the check was void because D held the answer before the run. Here it holds NaN, and a
// product that is not written does not pass.
TEST_P(EveryKernel, AnUnwrittenProductDoesNotPass) {
  const GemmCase c = make_case(dense_problem(40, 30, 20, instance().accumulate), Distribution::normal, 5);
  const VerifyReport report = verify(c.problem, hw::sm_90, c.a_data(), c.b_data(), c.d_data());
  EXPECT_EQ(report.wrong, 40 * 30);
}

// -- A pipeline without its waits
// ---------------------------------------------------------------------------------------

// Runs PTX of a kernel that was changed, on a product that goes round its stages, and verifies it.
VerifyReport run_changed(const KernelInstance& instance, const std::string& ptx) {
  GemmCase c = make_case(dense_problem(instance.tile_m, instance.tile_n, 7 * instance.tile_k, instance.accumulate),
                         Distribution::normal, 6);
  emu::Memory memory;
  kernels::GemmParams params{};
  const auto address = [&](std::vector<std::uint16_t>& values, const char* label) {
    return reinterpret_cast<void*>(memory.wrap(std::as_writable_bytes(std::span(values)), label).address);
  };
  std::vector<std::uint16_t> d(static_cast<std::size_t>(c.problem.m * c.problem.n), nan_pattern);
  params.a = address(c.a, "A");
  params.b = address(c.b, "B");
  params.d = address(d, "D");
  params.m = c.problem.m;
  params.n = c.problem.n;
  params.k = c.problem.k;
  params.lda = c.problem.lda;
  params.ldb = c.problem.ldb;
  params.ldd = c.problem.ldd;
  params.stages = instance.default_stages;
  params.copy_bytes_a = params.copy_bytes_b = 16;
  emu::LaunchOptions options;
  options.block.x = static_cast<std::uint32_t>(instance.threads);
  options.dynamic_shared_bytes = instance.shared_bytes(instance.default_stages);
  const emu::Module module = emu::Module::from_ptx(ptx, "changed.ptx");
  emu::launch(module, instance.name, options, std::as_bytes(std::span(&params, 1)), memory);
  return verify(c.problem, hw::sm_90, c.a_data(), c.b_data(), d.data());
}

// NVIDIA/cutlass#1326 and its kind: copies that nobody waits for. Their bytes are NaN until the wait, so that the
// product shows it.
TEST(PipelineWithoutWaits, ShowsAsNan) {
  const KernelInstance& instance = *kernels::find_instance("multistage_64x64x64_f32");
  const std::string& ptx = kernels::ptx_text(instance, hw::sm_90);
  EXPECT_TRUE(run_changed(instance, ptx).ok());
  static const std::regex waits(R"(cp\.async\.wait_(group\s+\d+|all);)");
  const VerifyReport report = run_changed(instance, std::regex_replace(ptx, waits, ""));
  EXPECT_GT(report.wrong, 0);
  EXPECT_TRUE(std::isnan(report.first->value)) << report.first->value;
}

// One stage too late: the wait lets one group more stay under way.
TEST(PipelineWithoutWaits, AWaitForOneGroupTooFewShowsAsNan) {
  const KernelInstance& instance = *kernels::find_instance("multistage_64x64x64_f32");
  const std::string& ptx = kernels::ptx_text(instance, hw::sm_90);
  const std::string late =
      std::regex_replace(ptx, std::regex(R"(cp\.async\.wait_group\s+1;)"), "cp.async.wait_group 2;");
  ASSERT_NE(late, ptx);
  const VerifyReport report = run_changed(instance, late);
  EXPECT_GT(report.wrong, 0);
  EXPECT_TRUE(std::isnan(report.first->value)) << report.first->value;
}

}  // namespace
}  // namespace tileloom::test
