// SPDX-License-Identifier: Apache-2.0
// What the GPU does while it is measured: SM clock and power, through NVML where it is there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemm/cuda_driver.hpp"

namespace tileloom::bench {

struct GpuState {
  double sm_mhz = 0;
  double watts = 0;
};

// Of one field of all; empty without any.
[[nodiscard]] std::optional<double> median_of(const std::vector<GpuState>& states, double GpuState::*field);

class Monitor {
 public:
  explicit Monitor(cuda::CUdevice device);
  Monitor(Monitor&&) noexcept;
  Monitor& operator=(Monitor&&) noexcept;
  ~Monitor();

  // Empty where NVML is missing or does not say.
  [[nodiscard]] std::optional<GpuState> read() const;
  // NVIDIA's driver, `580.95.05`; empty where NVML is missing.
  [[nodiscard]] std::string driver() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileloom::bench
