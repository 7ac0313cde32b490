// SPDX-License-Identifier: Apache-2.0
// One benchmark session on one GPU: products are verified, then timed against each other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/spot_check.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::bench {

// A shipped kernel as it is asked for, or cuBLAS.
struct Contender {
  std::string label;    // column head
  GemmOptions options;  // backend is cuda, whatever stands here
  bool cublas = false;  // options are not used
};

struct ContenderResult {
  std::string label;
  std::string kernel;  // the instance; empty for cuBLAS
  int stages = 0;
  std::uint32_t raster_width = 0;
  SpotCheck check;
  Timing timing;
  Summary seconds;               // of timing.seconds
  double tflops = 0;             // at the median: 2 m n k / seconds / 10^12
  std::optional<double> sm_mhz;  // medians while it ran
  std::optional<double> watts;
};

struct ShapeResult {
  GemmProblem problem;
  std::vector<ContenderResult> contenders;

  // The contender's speed over cuBLAS's, from rounds side by side; empty where cuBLAS did not run.
  [[nodiscard]] std::optional<double> ratio_to_cublas(const ContenderResult& contender) const;
};

// Where numbers come from.
struct Environment {
  std::string device;
  hw::Arch arch;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::string driver;           // NVIDIA's, `580.95.05`; empty where it is not known
  std::string cuda;             // that the driver supports, `13.0`
  std::string kernel_compiler;  // of the shipped kernels
  std::string cublas;           // empty where it is not compared
};

// What a sum in another order than ours may be off, as ||D - reference|| / ||reference||: cuBLAS splits K and chooses
// its own order, so the bound of our kernels does not hold for it.
[[nodiscard]] double cublas_tolerance(Accumulate accumulate);

class Session {
 public:
  // Throws Error(cannot_run) without a usable GPU, or without cuBLAS where it is to be compared.
  explicit Session(bool with_cublas);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Environment& environment() const;

  // Copies operands to the GPU; those of a smaller dense problem are their beginning. Kept until the next call.
  void load(const HostOperands& operands, std::int64_t a_elements, std::int64_t b_elements);

  // Seconds of work before anything is timed; done once in a session.
  void warm_up(const GemmProblem& problem, double seconds);

  // Each contender is verified, then all are timed in turn. The problem is dense and not empty and its operands are
  // loaded. Throws Error(check_failed) that names the contender whose product is wrong: nothing is timed then.
  [[nodiscard]] ShapeResult run(const GemmProblem& problem, const std::vector<Contender>& contenders, const Plan& plan);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileloom::bench
