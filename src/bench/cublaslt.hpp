// SPDX-License-Identifier: Apache-2.0
// cublasLt, found at run time: the algorithms that its heuristic proposes for a product. The declarations restate the
// few of cublasLt.h (CUDA 12) that are used.
#pragma once

#include <memory>

#include "gemm/cuda_context.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::bench {

// One product's descriptors and the algorithms for it. The CublasLt that made it must live longer.
class LtProduct {
 public:
  ~LtProduct();
  LtProduct(LtProduct&&) noexcept;
  LtProduct& operator=(LtProduct&&) noexcept;

  // At least 1, at most 16; the heuristic's first is algorithm 0.
  [[nodiscard]] int algorithms() const;
  // Enqueues the product by one of them. Operands in device memory, aligned to 256 bytes.
  void multiply(int algorithm, const GemmOperands& operands, cuda::CUstream stream) const;

 private:
  friend class CublasLt;
  struct Impl;
  explicit LtProduct(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A handle with a workspace of 64 MiB.
class CublasLt {
 public:
  // In the current context. Throws Error(cannot_run) where there is no cublasLt of CUDA 12 or later, or it fails.
  CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;
  ~CublasLt();

  // Types and accumulation of the problem. Throws Error(cannot_run) where the heuristic proposes nothing.
  [[nodiscard]] LtProduct product(const GemmProblem& problem) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tileloom::bench
