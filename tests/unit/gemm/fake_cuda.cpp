// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's driver: a libcuda.so.1 whose GPU is the host and whose every kernel is the GEMM of its
// parameter struct. It lets the CUDA backend's own logic be tested on a machine without a GPU. Environment:
//   FAKE_CUDA_DEVICES  number of GPUs (1)      FAKE_CUDA_SM   compute capability (90)
//   FAKE_CUDA_FAIL     NAME:CODE, a function that fails, for example cuInit:100
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

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
std::string kernel_name;

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
  kernel_name = name;
  *kernel = kernel_name.data();
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
FAKE(cuLaunchKernel, void*, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned, unsigned,
     unsigned, void*, void** parameters, void**) {
  FAIL_IF_PLANNED();
  using namespace tileloom;
  const auto& p = *static_cast<const kernels::GemmParams*>(parameters[0]);
  if (contexts == 0 || grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0) {
    return invalid_value;
  }
  const Accumulate accumulate = kernel_name.ends_with("f16") ? Accumulate::f16 : Accumulate::f32;
  const GemmProblem problem{p.m, p.n, p.k, p.lda, p.ldb, p.ldd, accumulate};
  test::reference_gemm(problem, hw::sm_90, static_cast<const std::uint16_t*>(p.a),
                       static_cast<const std::uint16_t*>(p.b), static_cast<std::uint16_t*>(p.d));
  return 0;
}
