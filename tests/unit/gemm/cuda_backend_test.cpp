// SPDX-License-Identifier: Apache-2.0
// The CUDA backend against the stand-in driver of fake_cuda.cpp, which the run path of this program finds first.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "gemm/generate.hpp"
#include "gemm/plan.hpp"
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
    ::unsetenv("FAKE_CUDA_DEVICES");
  }
};

// The stand-in's GPUs: facts of a GPU are kept, so they are the same in all tests.
constexpr const char* capabilities = "90,75,80";
constexpr int the_old_one = 1;
constexpr int the_sm_80 = 2;
[[maybe_unused]] const int set_capabilities = ::setenv("FAKE_CUDA_SM", capabilities, 1);

// A context of that GPU is current.
class Current {
 public:
  explicit Current(int device) {
    ::setenv("FAKE_CUDA_CURRENT", std::to_string(device).c_str(), 1);
    fake<int (*)(void*)>("cuCtxPushCurrent_v2")(this);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    void* popped = nullptr;
    fake<int (*)(void**)>("cuCtxPopCurrent_v2")(&popped);
    ::unsetenv("FAKE_CUDA_CURRENT");
  }
};

int facts_read() {
  return fake<int (*)()>("fake_facts_read")();
}

std::string last_kernel() {
  return fake<const char* (*)()>("fake_last_kernel")();
}

// A matrix of 4 x 4 in the stand-in's device memory.
std::uint16_t* on_device() {
  std::uint64_t at = 0;
  fake<int (*)(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&at, 32);
  return reinterpret_cast<std::uint16_t*>(at);
}

tileloom_gemm_args four_by_four() {
  static std::uint16_t* const a = on_device();
  static std::uint16_t* const d = on_device();
  tileloom_gemm_args args = TILELOOM_GEMM_ARGS_INIT;
  args.m = args.n = args.k = args.lda = args.ldb = args.ldd = 4;
  args.a = args.b = a;
  args.d = d;
  args.backend = TILELOOM_BACKEND_CUDA;
  return args;
}

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
  options.arch = std::nullopt;
  options.kernel = "simple";
  {
    const Current old(the_old_one);
    chosen = configure(dense_problem(20, 30, 40), options);
  }
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
  {
    const Current old(the_old_one);
    EXPECT_ERROR(configure(dense_problem(2, 3, 4), on_gpu),
                 "backend cuda: kernel simple_128x128x16_f32 has no image for the GPU Fake GPU (sm_75)", 3);
  }
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
  {
    const Current old(the_old_one);
    EXPECT_EQ(tileloom_gemm_host(&args), TILELOOM_STATUS_ARCH_MISMATCH);
  }
  EXPECT_EQ(status("FAKE_CUDA_FAIL", "cuMemAlloc_v2:2"), TILELOOM_STATUS_ALLOC_FAILED);
  EXPECT_EQ(status("FAKE_CUDA_FAIL", "cuLaunchKernel:719"), TILELOOM_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_INVALID_VALUE);  // host memory
}

// A choice is remembered; what it depends on is looked at in every call.
TEST_F(CudaBackend, ARememberedChoiceIsThatOfTheSameQuestion) {
  for (int round = 0; round < 2; ++round) {
    for (const int device : {0, the_sm_80}) {
      const Current current(device);
      for (const char* kernel : {"simple", "multistage_64x64x64_f32", "multistage_64x64x64_f16", ""}) {
        for (const int stages : {0, 2, 4}) {
          for (const std::int64_t m : {4, 5, 4000}) {
            GemmOptions options;
            options.backend = Backend::cuda;
            options.kernel = kernel;
            options.stages = stages;
            const Accumulate type = std::string_view(kernel).ends_with("f16") ? Accumulate::f16 : Accumulate::f32;
            const GemmProblem p = dense_problem(m, 4, 4, type);
            const auto plan = [&] { return gemm::remembered_plan(p, options); };
            const test::Caught refused = test::error_of(plan);
            EXPECT_EQ(refused.message, test::error_of([&] { (void)configure(p, options); }).message);
            if (refused.message.empty()) {
              const GemmConfiguration chosen = configure(p, options);
              EXPECT_EQ(plan().instance->name, chosen.kernel) << to_string(p);
              EXPECT_EQ(plan().stages, chosen.stages);
              EXPECT_EQ(plan().raster_width, chosen.raster_width);
              EXPECT_EQ(plan().dynamic_shared_bytes, chosen.dynamic_shared_bytes);
              EXPECT_EQ(plan().arch, chosen.arch);
              EXPECT_EQ(plan().device, device);
            }
          }
        }
      }
    }
  }
}

TEST_F(CudaBackend, ALaunchIsOnTheCurrentGpuWithTheKernelThatWasAskedFor) {
  tileloom_gemm_args args = four_by_four();
  for (int round = 0; round < 2; ++round) {
    for (const int device : {0, the_sm_80}) {
      const Current current(device);
      for (const char* kernel : {"multistage_64x64x64_f32", "simple_128x128x16_f32"}) {
        args.kernel = kernel;
        ASSERT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_SUCCESS) << tileloom_last_error();
        EXPECT_EQ(last_kernel().substr(0, std::string(kernel).size()), kernel);
        EXPECT_EQ(fake<int (*)()>("fake_last_device")(), device);
      }
    }
  }
}

TEST_F(CudaBackend, TheEntryFitsTheWidestCopyOfEachCall) {
  tileloom_gemm_args args = four_by_four();
  args.m = args.n = 1;
  args.kernel = "multistage_64x64x64_f32";
  for (int round = 0; round < 2; ++round) {
    args.k = args.lda = args.ldb = 8;
    ASSERT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_SUCCESS) << tileloom_last_error();
    EXPECT_EQ(last_kernel(), "multistage_64x64x64_f32");
    args.ldb = 9;
    ASSERT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_SUCCESS) << tileloom_last_error();
    EXPECT_EQ(last_kernel(), "multistage_64x64x64_f32_narrow");
  }
}

TEST_F(CudaBackend, AKernelKeepsTheSharedMemoryOfItsLargestLaunch) {
  tileloom_gemm_args args = four_by_four();
  args.kernel = "multistage_32x64x64_f32";
  for (const int stages : {2, 5, 3, 2, 4}) {  // the stand-in refuses a launch with more than was allowed
    args.stages = stages;
    EXPECT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_SUCCESS) << tileloom_last_error();
  }
  // Not lowered in between: another thread may be about to launch the larger one.
  EXPECT_EQ(fake<unsigned (*)()>("fake_last_shared_bytes_allowed")(), 5U * 12288);
  args.kernel = "multistage_32x32x64_f32";
  args.stages = 5;
  ::setenv("FAKE_CUDA_FAIL", "cuKernelSetAttribute:1", 1);
  EXPECT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_EXECUTION_FAILED);
  EXPECT_STREQ(tileloom_last_error(),
               "backend cuda: asking for 40960 bytes of shared memory: CUDA_ERROR_FAKE (planned by the test)");
  ::unsetenv("FAKE_CUDA_FAIL");
  EXPECT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_SUCCESS);
}

TEST_F(CudaBackend, ASecondCallAsksTheDriverForNoFact) {
  tileloom_gemm_args args = four_by_four();
  ASSERT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_SUCCESS);
  const int before = facts_read();
  args.k = 3;  // another choice
  ASSERT_EQ(tileloom_gemm(&args, nullptr), TILELOOM_STATUS_SUCCESS);
  EXPECT_EQ(facts_read(), before);
}

TEST_F(CudaBackend, AKernelLoadsWhileAStreamIsCaptured) {
  void* stream = nullptr;
  void* graph = nullptr;
  fake<int (*)(void**, unsigned)>("cuStreamCreate")(&stream, 0);
  fake<int (*)(void*, int)>("cuStreamBeginCapture_v2")(stream, 0);
  tileloom_gemm_args args = four_by_four();
  args.kernel = "handwritten_128x256x32_f32";  // that no other test loads
  EXPECT_EQ(tileloom_gemm(&args, stream), TILELOOM_STATUS_SUCCESS) << tileloom_last_error();
  EXPECT_EQ(fake<int (*)(void*, void**)>("cuStreamEndCapture")(stream, &graph), 0);
}

TEST_F(CudaBackend, ThreadsShareKernelsAndFacts) {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&failures, t] {
      for (int i = 0; i < 50; ++i) {
        const GemmProblem p = dense_problem(1 + (i + t) % 7, 3, 5);
        const gemm::Plan plan = gemm::remembered_plan(p, on_gpu);
        failures += plan.instance->name != "simple_128x128x16_f32" || plan.device != 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace tileloom
