// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's driver, cuBLAS and NVML: a libcuda.so.1 (and two links to it) whose GPU is the host and whose
// every kernel is the GEMM of its parameter struct. It lets the CUDA backend's and the benchmarks' own logic be tested
// on a machine without a GPU. Time is counted, not measured: each product takes as long as the environment says.
//   FAKE_CUDA_DEVICES  number of GPUs (1)      FAKE_CUDA_SM   compute capability (90)
//   FAKE_CUDA_FAIL     NAME:CODE, a function that fails, for example cuInit:100
//   FAKE_CUDA_KERNEL_US, FAKE_CUDA_CUBLAS_US   microseconds that a product takes (2000, 1000)
//   FAKE_CUDA_SKIP_FIRST   elements at the start of D that are left as they are (0)
//   FAKE_CUBLAS_WRONG      not 0: cuBLAS's products are wrong
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gemm/half.hpp"
#include "kernels/params.hpp"
#include "support/reference_gemm.hpp"

namespace {

std::map<std::uint64_t, std::vector<char>>& allocations() {
  static std::map<std::uint64_t, std::vector<char>> all;
  return all;
}

int environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : otherwise;
}

int planned_failure(const std::string& function) {
  const char* value = std::getenv("FAKE_CUDA_FAIL");
  const std::string plan = value != nullptr ? value : "";
  return plan.starts_with(function + ":") ? std::atoi(plan.c_str() + function.size() + 1) : 0;
}

constexpr int invalid_value = 1;
int contexts = 0;  // pushed and not popped
using Work = std::vector<std::function<void()>>;
struct Stream {
  bool capturing = false;
  Work captured;
};
struct Event {
  double at_us = 0;
};
double now_us = 0;

// Work runs where it is enqueued, or becomes part of the graph that the stream captures.
void enqueue(void* stream, std::function<void()> work) {
  auto* const s = static_cast<Stream*>(stream);
  if (s != nullptr && s->capturing) {
    s->captured.push_back(std::move(work));
  } else {
    work();
  }
}

}  // namespace

#define FAKE(name, ...)             \
  extern "C" int name(__VA_ARGS__); \
  extern "C" int name(__VA_ARGS__)
#define FAIL_IF_PLANNED()                              \
  if (const int planned = planned_failure(__func__)) { \
    return planned;                                    \
  }

FAKE(cuInit, unsigned) {
  FAIL_IF_PLANNED();
  return 0;
}
FAKE(cuDriverGetVersion, int* version) {
  *version = 12040;
  return 0;
}
FAKE(cuGetErrorName, int error, const char** text) {
  *text = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
                         : "CUDA_ERROR_FAKE";
  return 0;
}
FAKE(cuGetErrorString, int error, const char** text) {
  *text = error == 2 ? "out of memory" : "planned by the test";
  return 0;
}
FAKE(cuDeviceGetCount, int* count) {
  *count = environment("FAKE_CUDA_DEVICES", 1);
  return 0;
}
FAKE(cuDeviceGet, int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
FAKE(cuDeviceGetName, char* name, int length, int) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
  return 0;
}
FAKE(cuDeviceTotalMem_v2, std::size_t* bytes, int) {
  *bytes = std::size_t{3} << 30U;
  return 0;
}
FAKE(cuDeviceGetAttribute, int* value, int attribute, int) {
  const int sm = environment("FAKE_CUDA_SM", 90);
  *value = attribute == 75 ? sm / 10 : attribute == 76 ? sm % 10 : 0;
  return 0;
}
FAKE(cuDevicePrimaryCtxRetain, void** context, int) {
  FAIL_IF_PLANNED();
  static int primary;
  *context = &primary;
  return 0;
}
FAKE(cuCtxGetCurrent, void** context) {
  *context = contexts > 0 ? &contexts : nullptr;
  return 0;
}
FAKE(cuCtxGetDevice, int* device) {
  *device = 0;
  return contexts > 0 ? 0 : 201;
}
FAKE(cuCtxPushCurrent_v2, void*) {
  ++contexts;
  return 0;
}
FAKE(cuCtxPopCurrent_v2, void** context) {
  *context = nullptr;
  return contexts-- > 0 ? 0 : 201;
}
FAKE(cuLibraryLoadData, void** library, const void* code, void*, void**, unsigned, void*, void**, unsigned) {
  FAIL_IF_PLANNED();
  *library = const_cast<void*>(code);
  return code != nullptr ? 0 : invalid_value;
}
FAKE(cuLibraryGetKernel, void** kernel, void*, const char* name) {
  static std::set<std::string> names;  // a kernel's handle is its name
  *kernel = const_cast<char*>(names.insert(name).first->c_str());
  return 0;
}
FAKE(cuKernelSetAttribute, int, int, void*, int) {
  return 0;
}
FAKE(cuMemAlloc_v2, std::uint64_t* at, std::size_t bytes) {
  FAIL_IF_PLANNED();
  if (bytes == 0) {
    return invalid_value;
  }
  std::vector<char> memory(bytes, '\xff');
  *at = reinterpret_cast<std::uint64_t>(memory.data());
  allocations().emplace(*at, std::move(memory));
  return 0;
}
FAKE(cuMemFree_v2, std::uint64_t at) {
  return allocations().erase(at) == 1 ? 0 : invalid_value;
}
FAKE(cuMemcpyHtoDAsync_v2, std::uint64_t to, const void* from, std::size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
FAKE(cuMemcpyDtoHAsync_v2, void* to, std::uint64_t from, std::size_t bytes, void*) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
FAKE(cuStreamSynchronize, void*) {
  FAIL_IF_PLANNED();
  return 0;
}
FAKE(cuPointerGetAttribute, void* data, int, std::uint64_t pointer) {
  const auto after = allocations().upper_bound(pointer);
  if (after == allocations().begin()) {
    return invalid_value;
  }
  const auto& [base, memory] = *std::prev(after);
  *static_cast<unsigned*>(data) = 2;
  return pointer < base + memory.size() ? 0 : invalid_value;
}
FAKE(cuLaunchKernel, void* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned,
     unsigned, unsigned, void* stream, void** parameters, void**) {
  FAIL_IF_PLANNED();
  using namespace tileloom;
  const auto p = *static_cast<const kernels::GemmParams*>(parameters[0]);
  if (contexts == 0 || grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0) {
    return invalid_value;
  }
  const Accumulate accumulate =
      std::strstr(static_cast<const char*>(kernel), "f16") != nullptr ? Accumulate::f16 : Accumulate::f32;
  enqueue(stream, [p, accumulate] {
    const GemmProblem problem{p.m, p.n, p.k, p.lda, p.ldb, p.ldd, accumulate};
    auto* const d = static_cast<std::uint16_t*>(p.d);
    const std::vector<std::uint16_t> before(d, d + environment("FAKE_CUDA_SKIP_FIRST", 0));
    test::reference_gemm(problem, hw::sm_90, static_cast<const std::uint16_t*>(p.a),
                         static_cast<const std::uint16_t*>(p.b), d);
    std::ranges::copy(before, d);
    now_us += environment("FAKE_CUDA_KERNEL_US", 2000);
  });
  return 0;
}
FAKE(cuMemsetD16Async, std::uint64_t at, unsigned short value, std::size_t count, void*) {
  std::fill_n(reinterpret_cast<unsigned short*>(at), count, value);
  return 0;
}
FAKE(cuStreamCreate, void** stream, unsigned) {
  *stream = new Stream;
  return 0;
}
FAKE(cuStreamDestroy_v2, void* stream) {
  delete static_cast<Stream*>(stream);
  return 0;
}
FAKE(cuStreamBeginCapture_v2, void* stream, int) {
  static_cast<Stream*>(stream)->capturing = true;
  return 0;
}
FAKE(cuStreamEndCapture, void* stream, void** graph) {
  FAIL_IF_PLANNED();
  auto* const s = static_cast<Stream*>(stream);
  *graph = new Work(std::move(s->captured));
  *s = {};
  return 0;
}
FAKE(cuGraphInstantiateWithFlags, void** executable, void* graph, unsigned long long) {
  FAIL_IF_PLANNED();
  *executable = new Work(*static_cast<Work*>(graph));
  return 0;
}
FAKE(cuGraphLaunch, void* executable, void*) {
  for (const auto& work : *static_cast<Work*>(executable)) {
    work();
  }
  return 0;
}
FAKE(cuGraphDestroy, void* graph) {
  delete static_cast<Work*>(graph);
  return 0;
}
FAKE(cuGraphExecDestroy, void* executable) {
  delete static_cast<Work*>(executable);
  return 0;
}
FAKE(cuEventCreate, void** event, unsigned) {
  *event = new Event;
  return 0;
}
FAKE(cuEventDestroy_v2, void* event) {
  delete static_cast<Event*>(event);
  return 0;
}
FAKE(cuEventRecord, void* event, void*) {
  static_cast<Event*>(event)->at_us = now_us;
  return 0;
}
FAKE(cuEventElapsedTime, float* milliseconds, void* from, void* to) {
  *milliseconds = static_cast<float>((static_cast<Event*>(to)->at_us - static_cast<Event*>(from)->at_us) * 1e-3);
  return 0;
}
FAKE(cuDeviceGetPCIBusId, char* text, int length, int) {
  std::strncpy(text, "0000:01:00.0", static_cast<std::size_t>(length));
  return 0;
}

FAKE(cublasCreate_v2, void** handle) {
  FAIL_IF_PLANNED();
  static int library;
  *handle = &library;
  return 0;
}
FAKE(cublasDestroy_v2, void*) {
  return 0;
}
FAKE(cublasGetVersion_v2, void*, int* version) {
  *version = 130102;
  return 0;
}
namespace {
void* cublas_stream = nullptr;
}  // namespace
FAKE(cublasSetStream_v2, void*, void* stream) {
  cublas_stream = stream;
  return 0;
}
FAKE(cublasSetWorkspace_v2, void*, void*, std::size_t) {
  return 0;
}
extern "C" const char* cublasGetStatusString(int status);
extern "C" const char* cublasGetStatusString(int) {
  return "planned by the test";
}
// Column-major, as cuBLAS: C(i, j) is c[i + j * ldc].
FAKE(cublasGemmEx_64, void*, int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k, const void*,
     const void* a, int, std::int64_t lda, const void* b, int, std::int64_t ldb, const void*, void* c, int,
     std::int64_t ldc, int, int) {
  FAIL_IF_PLANNED();
  enqueue(cublas_stream, [=] {
    const auto element = [](const void* matrix, std::int64_t at) {
      return tileloom::half_to_f64(static_cast<const std::uint16_t*>(matrix)[at]);
    };
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = environment("FAKE_CUBLAS_WRONG", 0);
        for (std::int64_t l = 0; l < k; ++l) {
          sum += element(a, op_a == 0 ? i + l * lda : l + i * lda) * element(b, op_b == 0 ? l + j * ldb : j + l * ldb);
        }
        static_cast<std::uint16_t*>(c)[i + j * ldc] = tileloom::half_from(sum);
      }
    }
    now_us += environment("FAKE_CUDA_CUBLAS_US", 1000);
  });
  return 0;
}

FAKE(nvmlInit_v2, void) {
  return 0;
}
FAKE(nvmlDeviceGetHandleByPciBusId_v2, const char* bus_id, void** device) {
  *device = &now_us;
  return std::strcmp(bus_id, "0000:01:00.0");
}
FAKE(nvmlDeviceGetClockInfo, void*, int, unsigned* mhz) {
  *mhz = 1500;
  return 0;
}
FAKE(nvmlDeviceGetPowerUsage, void*, unsigned* milliwatts) {
  *milliwatts = 650500;
  return 0;
}
FAKE(nvmlSystemGetDriverVersion, char* text, unsigned length) {
  std::strncpy(text, "999.1", length);
  return 0;
}
