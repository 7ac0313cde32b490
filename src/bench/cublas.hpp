// SPDX-License-Identifier: Apache-2.0
// cuBLAS, found at run time, for comparison. The declarations restate the few of cublas_v2.h (CUDA 12) that are used.
#pragma once

#include <memory>
#include <string>

#include "gemm/cuda_context.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::bench {

// How the row-major product is asked of a column-major library, line by line, with the sizes of the problem.
[[nodiscard]] std::string explain_cublas_call(const GemmProblem& problem);

// A handle with a workspace of 64 MiB, so that its launches can be captured in a graph.
class Cublas {
 public:
  // In the current context. Throws Error(cannot_run) where there is no cuBLAS of CUDA 12 or later, or it fails.
  Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  // `13.1.0`
  [[nodiscard]] std::string version() const;

  // cublasGemmEx with its default algorithm and the problem's types, enqueued on the stream. Operands in device memory.
  void multiply(const GemmProblem& problem, const GemmOperands& operands, cuda::CUstream stream);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileloom::bench
