// SPDX-License-Identifier: Apache-2.0
// The CUDA backend against the stand-in driver of fake_cuda.cpp, which the run path of this program finds first.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "gemm/generate.hpp"
#include "gemm/verify.hpp"
#include "tileloom/gemm.h"
#include "tileloom/gemm.hpp"
#include "unit/gemm/error_of.hpp"

namespace tileloom {
namespace {

using Bits = std::vector<std::uint16_t>;

// A function of the stand-in, or the test stops: with a real driver these tests would mean something else.
template <class Function>
Function fake(const char* name) {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(library != nullptr ? ::dlsym(library, name) : nullptr);
}

class CudaBackend : public testing::Test {
 protected:
  void SetUp() override {
    char name[32] = "";
    fake<int (*)(char*, int, int)>("cuDeviceGetName")(name, sizeof name, 0);
    ASSERT_STREQ(name, "Fake GPU");
  }
  void TearDown() override {
    ::unsetenv("FAKE_CUDA_FAIL");
    ::unsetenv("FAKE_CUDA_SM");
    ::unsetenv("FAKE_CUDA_DEVICES");
  }
};

const GemmOptions on_gpu = [] {
  GemmOptions options;
  options.backend = Backend::cuda;
  options.kernel = "simple";
  return options;
}();

TEST_F(CudaBackend, AutoTakesTheGpu) {
  const GemmConfiguration chosen = configure(dense_problem(200, 300, 40));
  EXPECT_EQ(chosen.backend, Backend::cuda);
  EXPECT_EQ(chosen.device, "Fake GPU");
  EXPECT_EQ(chosen.arch, hw::sm_90);
  EXPECT_EQ(chosen.ctas, 6U);
  EXPECT_EQ(chosen.reasons.back(), "backend: a GPU is usable");
}

TEST_F(CudaBackend, AutoTakesTheEmulatorAndSaysWhy) {
  GemmOptions options;
  options.arch = hw::sm_80;
  GemmConfiguration chosen = configure(dense_problem(20, 30, 40), options);
  EXPECT_EQ(chosen.backend, Backend::emulator);
  EXPECT_EQ(chosen.arch, hw::sm_80);
  EXPECT_EQ(chosen.reasons.back(), "backend: the GPU is Fake GPU (sm_90), sm_80 was asked for");
  ::setenv("FAKE_CUDA_SM", "75", 1);
  options.arch = std::nullopt;
  options.kernel = "simple";
  chosen = configure(dense_problem(20, 30, 40), options);
  EXPECT_EQ(chosen.backend, Backend::emulator);
  EXPECT_EQ(chosen.reasons.back(), "backend: kernel simple_128x128x16_f32 has no image for the GPU Fake GPU (sm_75)");
  ::setenv("FAKE_CUDA_DEVICES", "0", 1);
  EXPECT_EQ(configure(dense_problem(20, 30, 40)).reasons.back(), "backend: the driver sees no GPU");
}

TEST_F(CudaBackend, RefusesWithTheReasonWhenItIsAskedFor) {
  GemmOptions options = on_gpu;
  options.arch = hw::sm_89;
  EXPECT_ERROR(configure(dense_problem(2, 3, 4), options),
               "backend cuda: the GPU is Fake GPU (sm_90), sm_89 was asked for", 3);
  ::setenv("FAKE_CUDA_SM", "75", 1);
  EXPECT_ERROR(configure(dense_problem(2, 3, 4), on_gpu),
               "backend cuda: kernel simple_128x128x16_f32 has no image for the GPU Fake GPU (sm_75)", 3);
  ::setenv("FAKE_CUDA_DEVICES", "0", 1);
  EXPECT_ERROR(configure(dense_problem(2, 3, 4), on_gpu), "backend cuda: the driver sees no GPU", 3);
}

TEST_F(CudaBackend, HostMemoryGoesThereAndBack) {
  for (const Accumulate accumulate : {Accumulate::f32, Accumulate::f16}) {
    GemmProblem p{.m = 33, .n = 20, .k = 50, .lda = 55, .ldb = 50, .ldd = 27, .accumulate = accumulate};
    const Bits a = generate(Distribution::normal, 1, 0, 33 * 55);
    const Bits b = generate(Distribution::normal, 1, 1, 20 * 50);
    Bits d(33 * 27, 0x1234);
    launch_host(p, configure(p, on_gpu), {a.data(), b.data(), d.data()});
    EXPECT_TRUE(verify(p, hw::sm_90, a.data(), b.data(), d.data()).ok());
    for (std::size_t i = 0; i < d.size(); ++i) {
      ASSERT_EQ(i % 27 >= 20, d[i] == 0x1234) << i;  // what is between rows is the caller's
    }
  }
}

TEST_F(CudaBackend, NoWorkNeedsNoDeviceCall) {
  ::setenv("FAKE_CUDA_FAIL", "cuLaunchKernel:700", 1);
  const GemmProblem empty = dense_problem(0, 5, 7);
  EXPECT_NO_THROW(launch_host(empty, configure(empty, on_gpu), {}));
}

TEST_F(CudaBackend, NamesTheDriversError) {
  const GemmProblem p = dense_problem(4, 4, 4);
  const GemmConfiguration chosen = configure(p, on_gpu);
  Bits x(16, 0);
  const auto message = [&](const char* plan) {
    ::setenv("FAKE_CUDA_FAIL", plan, 1);
    return test::error_of([&] { launch_host(p, chosen, {x.data(), x.data(), x.data()}); }).message;
  };
  EXPECT_EQ(message("cuMemAlloc_v2:2"), "backend cuda: allocating 32 bytes: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_EQ(message("cuLaunchKernel:1"),
            "backend cuda: launching kernel simple_128x128x16_f32: CUDA_ERROR_FAKE (planned by the test)");
  EXPECT_EQ(message("cuStreamSynchronize:700"),
            "backend cuda: running the kernel: CUDA_ERROR_FAKE (planned by the test)");
}

TEST_F(CudaBackend, DeviceMemoryWorksAndHostMemoryIsRefused) {
  const auto allocate = fake<int (*)(std::uint64_t*, std::size_t)>("cuMemAlloc_v2");
  const GemmProblem p = dense_problem(4, 4, 4);
  const GemmConfiguration chosen = configure(p, on_gpu);
  std::uint64_t at[3] = {};
  for (std::uint64_t& address : at) {
    ASSERT_EQ(allocate(&address, 32), 0);
  }
  const auto pointer = [&](int i) { return reinterpret_cast<std::uint16_t*>(at[i]); };
  std::fill_n(pointer(0), 16, std::uint16_t{0x3C00});
  std::fill_n(pointer(1), 16, std::uint16_t{0x4000});
  launch(p, chosen, {pointer(0), pointer(1), pointer(2)});
  EXPECT_EQ(pointer(2)[15], 0x4800);  // 4 * 1 * 2
  Bits host(16, 0);
  const test::Caught caught = test::error_of([&] { launch(p, chosen, {pointer(0), host.data(), pointer(2)}); });
  EXPECT_TRUE(caught.message.starts_with("gemm: b: expected an address that the GPU can reach, found 0x"))
      << caught.message;
  EXPECT_EQ(caught.exit_code, 2);
}

TEST_F(CudaBackend, CStatusesTellCausesApart) {
  Bits x(16, 0);
  tileloom_gemm_args args = TILELOOM_GEMM_ARGS_INIT;
  args.m = args.n = args.k = args.lda = args.ldb = args.ldd = 4;
  args.a = args.b = x.data();
  args.d = x.data();
  args.backend = TILELOOM_BACKEND_CUDA;
  const auto status = [&](const char* variable, const char* value) {
    ::setenv(variable, value, 1);
    const tileloom_status result = tileloom_gemm_host(&args);
    ::unsetenv(variable);
    return result;
  };
  EXPECT_EQ(status("FAKE_CUDA_DEVICES", "1"), TILELOOM_STATUS_SUCCESS);
  EXPECT_EQ(status("FAKE_CUDA_DEVICES", "0"), TILELOOM_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(status("FAKE_CUDA_SM", "75"), TILELOOM_STATUS_ARCH_MISMATCH);
  EXPECT_EQ(status("FAKE_CUDA_FAIL", "cuMemAlloc_v2:2"), TILELOOM_STATUS_ALLOC_FAILED);
  EXPECT_EQ(status("FAKE_CUDA_FAIL", "cuLaunchKernel:719"), TILELOOM_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_INVALID_VALUE);  // host memory
}

}  // namespace
}  // namespace tileloom
