// SPDX-License-Identifier: Apache-2.0
#include "unit/gemm/fake_cuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "kernels/params.hpp"
#include "support/reference_gemm.hpp"

namespace {

using fake::environment;

std::map<std::uint64_t, std::vector<char>>& allocations() {
  static std::map<std::uint64_t, std::vector<char>> all;
  return all;
}

constexpr int invalid_value = 1;
constexpr int not_ready = 600;
int contexts = 0;  // pushed and not popped
using Work = std::vector<std::function<void()>>;
struct Stream {
  bool capturing = false;
  Work captured;
};
struct Event {
  double at_us = 0;
  long number = 0;  // of its recording
};
double now_us = 0;
long recordings = 0;
long waited_for = 0;  // the host knows that events up to this recording have happened
int launches = 0;

using KernelOnDevice = std::pair<std::string, int>;
KernelOnDevice last_launch;
std::map<KernelOnDevice, unsigned> shared_bytes_allowed;
int facts_read = 0;
int captures = 0;  // streams that are captured now
constexpr int relaxed = 2;
constexpr int capture_forbids = 900;
thread_local int capture_mode = 0;  // of this thread

// FAKE_CUDA_SM lists the devices' capabilities; its last one is that of all that follow.
int sm_of(int device) {
  std::istringstream list(fake::environment_text("FAKE_CUDA_SM"));
  int sm = 90;
  for (std::string one; device >= 0 && std::getline(list, one, ','); --device) {
    sm = std::atoi(one.c_str());
  }
  return sm;
}

std::size_t device_bytes() {
  return static_cast<std::size_t>(environment("FAKE_CUDA_MIB", 3072)) << 20U;
}

}  // namespace

namespace fake {

int environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : otherwise;
}

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int planned_failure(const std::string& function) {
  const std::string plan = environment_text("FAKE_CUDA_FAIL");
  return plan.starts_with(function + ":") ? std::atoi(plan.c_str() + function.size() + 1) : 0;
}

void enqueue(void* stream, std::function<void()> work) {
  constexpr std::uintptr_t last_default = 2;  // CUDA's names for default streams: 0, 1 (legacy), 2 (of the thread)
  auto* const s = static_cast<Stream*>(stream);
  if (reinterpret_cast<std::uintptr_t>(stream) > last_default && s->capturing) {
    s->captured.push_back(std::move(work));
  } else {
    work();
  }
}

void pass_time(double microseconds) {
  now_us += microseconds;
}

}  // namespace fake

// For tests: of the last launch its kernel, its device and the shared memory allowed; how often a device was asked for
// a fact.
extern "C" const char* fake_last_kernel();
extern "C" const char* fake_last_kernel() {
  return last_launch.first.c_str();
}
extern "C" int fake_last_device();
extern "C" int fake_last_device() {
  return last_launch.second;
}
extern "C" unsigned fake_last_shared_bytes_allowed();
extern "C" unsigned fake_last_shared_bytes_allowed() {
  return shared_bytes_allowed[last_launch];
}
extern "C" int fake_facts_read();
extern "C" int fake_facts_read() {
  return facts_read;
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
  *bytes = device_bytes();
  return 0;
}
FAKE(cuDeviceGetAttribute, int* value, int attribute, int device) {
  ++facts_read;
  const int sm = sm_of(device);
  *value = attribute == 75   ? sm / 10
           : attribute == 76 ? sm % 10
           : attribute == 38 ? environment("FAKE_CUDA_L2", 0)
           : attribute == 16 ? 2
                             : 0;
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
  *device = environment("FAKE_CUDA_CURRENT", 0);
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
  if (captures > 0 && capture_mode != relaxed) {
    return capture_forbids;
  }
  *library = const_cast<void*>(code);
  return code != nullptr ? 0 : invalid_value;
}
FAKE(cuLibraryUnload, void*) {
  return 0;
}
FAKE(cuLibraryGetKernel, void** kernel, void*, const char* name) {
  static std::set<std::string> names;  // a kernel's handle is its name
  *kernel = const_cast<char*>(names.insert(name).first->c_str());
  return 0;
}
FAKE(cuKernelSetAttribute, int, int value, void* kernel, int device) {
  FAIL_IF_PLANNED();
  shared_bytes_allowed[{static_cast<const char*>(kernel), device}] = static_cast<unsigned>(value);
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
FAKE(cuMemGetInfo_v2, std::size_t* free_bytes, std::size_t* all_bytes) {
  *all_bytes = device_bytes();
  *free_bytes = *all_bytes;
  for (const auto& [at, memory] : allocations()) {
    *free_bytes -= std::min(memory.size(), *free_bytes);
  }
  return 0;
}
FAKE(cuMemcpyDtoDAsync_v2, std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return 0;
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
  waited_for = recordings;
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
     unsigned, unsigned shared_bytes, void* stream, void** parameters, void**) {
  FAIL_IF_PLANNED();
  const int device = environment("FAKE_CUDA_CURRENT", 0);
  last_launch = {static_cast<const char*>(kernel), device};
  if (shared_bytes > shared_bytes_allowed[last_launch]) {
    return invalid_value;
  }
  using namespace tileloom;
  if (fake::launch_ceiling(static_cast<const char*>(kernel), grid_x, block_x, parameters, stream)) {
    return 0;
  }
  const auto p = *static_cast<const kernels::GemmParams*>(parameters[0]);
  if (contexts == 0 || grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0) {
    return invalid_value;
  }
  const Accumulate accumulate =
      std::strstr(static_cast<const char*>(kernel), "f16") != nullptr ? Accumulate::f16 : Accumulate::f32;
  fake::enqueue(stream, [p, accumulate] {
    ++launches;
    now_us +=
        environment("FAKE_CUDA_KERNEL_US", 2000) * (1 + launches / 2 % 2 * environment("FAKE_CUDA_WAVE", 0) / 100.0);
    if (const int each = environment("FAKE_CUDA_SKIP_EACH", 0); each > 0 && launches % each == 0) {
      return;
    }
    const GemmProblem problem{p.m, p.n, p.k, p.lda, p.ldb, p.ldd, accumulate};
    auto* const d = static_cast<std::uint16_t*>(p.d);
    const std::vector<std::uint16_t> before(d, d + environment("FAKE_CUDA_SKIP_FIRST", 0));
    test::reference_gemm(problem, hw::sm_90, static_cast<const std::uint16_t*>(p.a),
                         static_cast<const std::uint16_t*>(p.b), d);
    std::ranges::copy(before, d);
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
  ++captures;
  return 0;
}
FAKE(cuThreadExchangeStreamCaptureMode, int* mode) {
  std::swap(*mode, capture_mode);
  return 0;
}
FAKE(cuStreamEndCapture, void* stream, void** graph) {
  --captures;
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
  *static_cast<Event*>(event) = {now_us, ++recordings};
  return 0;
}
FAKE(cuEventSynchronize, void* event) {
  waited_for = std::max(waited_for, static_cast<Event*>(event)->number);
  return 0;
}
FAKE(cuEventQuery, void* event) {
  return static_cast<Event*>(event)->number <= waited_for ? 0 : not_ready;
}
FAKE(cuEventElapsedTime, float* milliseconds, void* from, void* to) {
  *milliseconds = static_cast<float>((static_cast<Event*>(to)->at_us - static_cast<Event*>(from)->at_us) * 1e-3);
  return 0;
}
FAKE(cuDeviceGetPCIBusId, char* text, int length, int) {
  std::strncpy(text, "0000:01:00.0", static_cast<std::size_t>(length));
  return 0;
}
