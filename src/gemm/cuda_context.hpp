// SPDX-License-Identifier: Apache-2.0
// The driver's context and memory as objects, shared by the CUDA backend and the benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "gemm/cuda_driver.hpp"

namespace tileloom::cuda {

// The driver; throws StatusError(cannot_run) with the obstacle where there is none.
[[nodiscard]] const Driver& driver();

// Throws StatusError(cannot_run) that names `what` unless the call succeeded.
void require(CUresult result, const std::string& what);
inline void require(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) {
    require(result, std::string(what));
  }
}

// The same; `what` is called for the text only when the call failed.
template <class What>
requires std::is_invocable_r_v<std::string, What>
void require(CUresult result, const What& what) {
  if (result != CUDA_SUCCESS) {
    require(result, std::string(what()));
  }
}

[[nodiscard]] int attribute(CUdevice device, int attribute);

[[nodiscard]] CUdevice device_at(int ordinal);

// The GPU of the caller's current context, or the first.
[[nodiscard]] CUdevice chosen_device();

// The caller's current context for the length of a scope, or the first GPU's primary context where it has none.
class ContextScope {
 public:
  ContextScope();
  // The same where the current context is of that GPU, else that GPU's primary context. `ordinal` as in CUDA's runtime.
  explicit ContextScope(int ordinal);
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope();

 private:
  bool pushed_;
};

// Of the current context's GPU.
[[nodiscard]] std::int64_t free_memory();

// Throws StatusError(cannot_run) that names `what` where the GPU has fewer free bytes. In a current context.
void require_memory(std::int64_t bytes, const std::string& what);

// Device memory. At least one byte is allocated.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // From host memory, in the order of the stream.
  void fill(const void* from, std::int64_t bytes, CUstream stream) const;
  // To host memory, complete on return.
  void read(void* to, std::int64_t bytes, CUstream stream) const;
  [[nodiscard]] void* address() const {
    return reinterpret_cast<void*>(at_);  // NOLINT(performance-no-int-to-ptr): the driver's type for an address
  }
  [[nodiscard]] CUdeviceptr at() const { return at_; }

 private:
  CUdeviceptr at_ = 0;
};

}  // namespace tileloom::cuda
