// SPDX-License-Identifier: Apache-2.0
// What the calls of cuBLAS and cublasLt have in common. Names and numbers are NVIDIA's (CUDA 12).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "gemm/dynamic_library.hpp"
#include "tileloom/error.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::bench::blas {

using Status = int;  // cublasStatus_t; 0 is success

// Throws Error(cannot_run) for a library (`libcublas`) that was not found or lacked a function that was looked up;
// `contender` is what the comparison is called.
inline void require_library(const cuda::DynamicLibrary& library, const char* contender, const char* name) {
  if (library.found() && library.missing().empty()) {
    return;
  }
  throw Error(
      ErrorKind::cannot_run,
      fmt::format("compare {}: expected the library of CUDA 12 or later, found {}", contender,
                  library.found() ? "one without " + library.missing() : "none"),
      fmt::format("put the folder of {0}.so.13 or {0}.so.12 into LD_LIBRARY_PATH, or leave the comparison out", name));
}

// cublasOperation_t, cudaDataType_t, cublasComputeType_t
inline constexpr int CUBLAS_OP_N = 0;
inline constexpr int CUBLAS_OP_T = 1;
inline constexpr int CUDA_R_32F = 0;
inline constexpr int CUDA_R_16F = 2;
inline constexpr int CUBLAS_COMPUTE_16F = 64;
inline constexpr int CUBLAS_COMPUTE_32F = 68;
inline constexpr std::int64_t workspace_bytes = std::int64_t{64} << 20U;

inline int compute_type(Accumulate accumulate) {
  return accumulate == Accumulate::f16 ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F;
}

// The factors 1 and 0, in the type of the accumulator.
class Scale {
 public:
  explicit Scale(Accumulate accumulate) : f16_(accumulate == Accumulate::f16) {}
  [[nodiscard]] const void* one() const { return f16_ ? static_cast<const void*>(&half_one_) : &one_; }
  [[nodiscard]] const void* zero() const { return &zero_; }
  [[nodiscard]] int type() const { return f16_ ? CUDA_R_16F : CUDA_R_32F; }

 private:
  bool f16_;
  std::uint16_t half_one_ = 0x3C00;
  float one_ = 1;
  float zero_ = 0;  // the same bits in f16
};

}  // namespace tileloom::bench::blas
