// SPDX-License-Identifier: Apache-2.0
// The variants on the GPU: verified, then timed against each other and against the issue rate of mma.sync.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ablation/variants.hpp"
#include "bench/session.hpp"

namespace tileloom::ablation {

struct VariantTime {
  std::string name;
  bench::Timing timing;
  bench::Summary seconds;
  double tflops = 0;
  double share_of_ceiling = 0;   // median of the rounds' ratios to mma.sync with the same sums
  std::optional<double> sm_mhz;  // medians while it ran
  std::optional<double> watts;
};

struct SizeTimes {
  std::int64_t size = 0;                                  // m = n = k
  double relative_error_f16 = 0, relative_error_f32 = 0;  // of the products, all variants of one type being equal
  std::vector<VariantTime> variants;  // in the order of the list, then `mma.sync f16` and `mma.sync f32`
};

class Gpu {
 public:
  // Operands up to largest^3. Throws Error(cannot_run) without a GPU or without machine code of the ceilings.
  Gpu(const Variants& variants, std::int64_t largest);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] const bench::Environment& environment() const;

  // The first variant of each type of sums is verified against float64 and every other equals it bit for bit, each from
  // a poisoned D. Before that a product that lacks its last K tile, and one that was never launched, must be found
  // wrong. Throws Error(check_failed) that names the variant; nothing is timed then.
  [[nodiscard]] SizeTimes measure(std::int64_t size, const bench::Plan& plan);

  // Each variant once, for a profiler.
  void launch_each(std::int64_t size);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileloom::ablation
