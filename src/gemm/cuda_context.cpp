// SPDX-License-Identifier: Apache-2.0
#include "gemm/cuda_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "gemm/status.hpp"

namespace tileloom::cuda {
namespace {

using gemm::StatusError;

constexpr const char* memory_hint = "choose a smaller problem, or free memory of the GPU";

template <class Bytes>
double in_mib(Bytes bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

CUcontext current_context() {
  CUcontext context = nullptr;
  require(driver().current_context(&context), "asking for the current context");
  return context;
}

// Kept until the process ends.
CUcontext primary_context(CUdevice device) {
  static std::mutex mutex;
  static std::map<CUdevice, CUcontext> retained;
  const std::lock_guard lock(mutex);
  if (const auto found = retained.find(device); found != retained.end()) {
    return found->second;
  }
  CUcontext context = nullptr;
  require(driver().primary_context(&context, device), "opening the GPU's context");
  retained.emplace(device, context);
  return context;
}

void enter_primary(CUdevice device) {
  require(driver().push_context(primary_context(device)), "entering the GPU's context");
}

CUdevice current_device() {
  CUdevice device = 0;
  require(driver().current_device(&device), "asking for the current GPU");
  return device;
}

struct MemoryInfo {
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
};

MemoryInfo memory_info() {
  MemoryInfo info;
  require(driver().memory_info(&info.free_bytes, &info.all_bytes), "asking for the free memory");
  return info;
}

}  // namespace

const Driver& driver() {
  Obstacle obstacle;
  const Driver* found = find_driver(obstacle);
  if (found == nullptr) {
    throw StatusError(ErrorKind::cannot_run, TILELOOM_STATUS_NOT_INITIALIZED, "backend cuda: " + obstacle.text,
                      obstacle.hint);
  }
  return *found;
}

void require(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) {
    return;
  }
  const bool memory = result == CUDA_ERROR_OUT_OF_MEMORY;
  throw StatusError(ErrorKind::cannot_run, memory ? TILELOOM_STATUS_ALLOC_FAILED : TILELOOM_STATUS_EXECUTION_FAILED,
                    "backend cuda: " + what + ": " + describe(driver(), result), memory ? memory_hint : "");
}

int attribute(CUdevice device, int attribute) {
  int value = 0;
  require(driver().device_attribute(&value, attribute, device), "reading an attribute of the GPU");
  return value;
}

CUdevice device_at(int ordinal) {
  CUdevice device = 0;
  require(driver().device(&device, ordinal), "opening the GPU");
  return device;
}

CUdevice chosen_device() {
  return current_context() == nullptr ? device_at(0) : current_device();
}

ContextScope::ContextScope() : pushed_(current_context() == nullptr) {
  if (pushed_) {
    enter_primary(device_at(0));
  }
}

ContextScope::ContextScope(int ordinal) : pushed_(false) {
  const CUdevice device = device_at(ordinal);
  if (current_context() == nullptr || current_device() != device) {
    enter_primary(device);
    pushed_ = true;
  }
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed_) {
    driver().pop_context(&popped);
  }
}

std::int64_t free_memory() {
  return static_cast<std::int64_t>(memory_info().free_bytes);
}

void require_memory(std::int64_t bytes, const std::string& what) {
  const MemoryInfo info = memory_info();
  if (static_cast<std::uint64_t>(bytes) > info.free_bytes) {
    throw StatusError(ErrorKind::cannot_run, TILELOOM_STATUS_ALLOC_FAILED,
                      fmt::format("{}: expected {:.1f} MiB of free GPU memory, found {:.1f} of {:.1f} MiB", what,
                                  in_mib(bytes), in_mib(info.free_bytes), in_mib(info.all_bytes)),
                      memory_hint);
  }
}

Buffer::Buffer(std::int64_t bytes) {
  require(driver().allocate(&at_, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))),
          fmt::format("allocating {} bytes", bytes));
}

Buffer::~Buffer() {
  driver().free(at_);
}

void Buffer::fill(const void* from, std::int64_t bytes, CUstream stream) const {
  if (bytes > 0) {
    require(driver().copy_to_device(at_, from, static_cast<std::size_t>(bytes), stream), "copying to the GPU");
  }
}

void Buffer::read(void* to, std::int64_t bytes, CUstream stream) const {
  if (bytes > 0) {
    require(driver().copy_to_host(to, at_, static_cast<std::size_t>(bytes), stream), "copying from the GPU");
  }
  require(driver().synchronize(stream), "running the kernel");
}

}  // namespace tileloom::cuda
