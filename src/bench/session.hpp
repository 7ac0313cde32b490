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

enum class ContenderKind {
  kernel,         // a shipped kernel as it is asked for
  cublas,         // cublasGemmEx with its default algorithm
  cublaslt_best,  // the fastest of the algorithms that cublasLt's heuristic proposes
};

struct Contender {
  std::string label;    // column head
  GemmOptions options;  // of a kernel; backend is cuda, whatever stands here
  ContenderKind kind = ContenderKind::kernel;
};

struct ContenderResult {
  std::string label;
  ContenderKind kind = ContenderKind::kernel;
  std::string kernel;     // the instance; empty for the libraries
  std::string algorithm;  // cublaslt_best: which of how many, `3 of 8`; else empty
  int stages = 0;
  std::uint32_t raster_width = 0;
  SpotCheck check;
  Timing timing;
  Summary seconds;               // of timing.seconds
  double spread = 0;             // seconds.relative_iqr()
  bool noisy = false;            // seconds.uncertainty() is above noise_bound
  double tflops = 0;             // at the median: 2 m n k / seconds / 10^12
  std::optional<double> sm_mhz;  // medians while it ran
  std::optional<double> watts;
};

struct ShapeResult {
  GemmProblem problem;
  int operand_sets = 1;  // that the launches rotate through: 1 when hot
  std::vector<ContenderResult> contenders;

  // The contender's speed over that of the first of kind `rival`, from rounds side by side; empty where none ran.
  [[nodiscard]] std::optional<double> ratio_to(ContenderKind rival, const ContenderResult& contender) const;
  [[nodiscard]] std::optional<double> ratio_to_cublas(const ContenderResult& contender) const {
    return ratio_to(ContenderKind::cublas, contender);
  }
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
  // Throws Error(cannot_run) without a usable GPU, or without cuBLAS where it or cublasLt is to be compared.
  explicit Session(bool with_cublas);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Environment& environment() const;

  // Copies operands to the GPU; those of a smaller dense problem are their beginning. Kept until the next call. Throws
  // Error(cannot_run) where the GPU has not the memory.
  void load(const HostOperands& operands, std::int64_t a_elements, std::int64_t b_elements);

  // Seconds of work before anything is timed; done once in a session.
  void warm_up(const GemmProblem& problem, double seconds);

  // Each contender is verified, on every set of operands that it is timed on; then all are timed in turn. Of cublasLt's
  // algorithms the fastest that is right is taken. The problem is dense and not empty and its operands are loaded.
  // Throws Error(check_failed) that names the contender whose product is wrong (nothing is timed then), and
  // Error(cannot_run) where the GPU has not the memory.
  [[nodiscard]] ShapeResult run(const GemmProblem& problem, const std::vector<Contender>& contenders, const Plan& plan);

  // For other work on the same GPU.
  [[nodiscard]] const Stream& stream() const;
  [[nodiscard]] const Monitor& monitor() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileloom::bench
