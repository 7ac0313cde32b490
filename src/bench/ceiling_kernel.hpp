// SPDX-License-Identifier: Apache-2.0
// Kernels of the ceilings, and how long launches of one take.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu_work.hpp"
#include "bench/monitor.hpp"

namespace tileloom::bench {

class CeilingModule;

class CeilingKernel {
 public:
  // `parameters` are addresses of the kernel's parameters.
  void launch(unsigned grid, unsigned threads, std::vector<void*> parameters, cuda::CUstream stream) const;

 private:
  friend class CeilingModule;
  std::string name_;
  cuda::CUkernel kernel_ = nullptr;
  unsigned shared_bytes_ = 0;
};

// Loaded machine code.
class CeilingModule {
 public:
  explicit CeilingModule(std::span<const std::byte> image);
  CeilingModule(const CeilingModule&) = delete;
  CeilingModule& operator=(const CeilingModule&) = delete;
  ~CeilingModule();
  [[nodiscard]] CeilingKernel kernel(const std::string& name, unsigned shared_bytes = 0) const;

 private:
  cuda::CUlibrary library_ = nullptr;
};

// Seconds a launch.
struct CeilingSeconds {
  double burst = 0;
  double sustained = 0;
  std::vector<GpuState> states;  // while the sustained launches ran
};

// `pause(stream)` keeps the stream busy for some tens of microseconds and leaves the GPU cool.
[[nodiscard]] CeilingSeconds time_launches(const Enqueue& launch, const std::function<void(cuda::CUstream)>& pause,
                                           const Stream& stream, const Monitor& monitor);

}  // namespace tileloom::bench
