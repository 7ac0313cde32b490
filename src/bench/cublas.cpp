// SPDX-License-Identifier: Apache-2.0
#include "bench/cublas.hpp"

#include <fmt/format.h>

#include "bench/cublas_types.hpp"
#include "gemm/dynamic_library.hpp"
#include "tileloom/error.hpp"

// NOLINTBEGIN(clang-analyzer-core.CallAndMessage): a function that the library lacks is an error of load()
namespace tileloom::bench {
namespace {

using namespace blas;
using Handle = struct cublasContext*;

constexpr int CUBLAS_GEMM_DEFAULT = -1;  // cublasGemmAlgo_t

struct Functions {
  Status (*create)(Handle* handle) = nullptr;
  Status (*destroy)(Handle handle) = nullptr;
  Status (*version)(Handle handle, int* version) = nullptr;
  Status (*set_stream)(Handle handle, cuda::CUstream stream) = nullptr;
  Status (*set_workspace)(Handle handle, void* workspace, std::size_t bytes) = nullptr;
  Status (*multiply)(Handle handle, int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                     const void* alpha, const void* a, int a_type, std::int64_t lda, const void* b, int b_type,
                     std::int64_t ldb, const void* beta, void* c, int c_type, std::int64_t ldc, int compute_type,
                     int algorithm) = nullptr;
  const char* (*status_text)(Status status) = nullptr;
};

const Functions& load() {
  static const Functions functions = [] {
    cuda::DynamicLibrary library({"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"});
    require_library(library, "cublas", "libcublas");
    Functions f;
    f.create = library.find("cublasCreate_v2");
    f.destroy = library.find("cublasDestroy_v2");
    f.version = library.find("cublasGetVersion_v2");
    f.set_stream = library.find("cublasSetStream_v2");
    f.set_workspace = library.find("cublasSetWorkspace_v2");
    f.multiply = library.find("cublasGemmEx_64");
    f.status_text = library.find("cublasGetStatusString");
    require_library(library, "cublas", "libcublas");
    return f;
  }();
  return functions;
}

void require(Status status, const char* what) {
  if (status != 0) {
    throw Error(ErrorKind::cannot_run, fmt::format("cublas: {}: {}", what, load().status_text(status)));
  }
}

}  // namespace

std::string explain_cublas_call(const GemmProblem& p) {
  const auto matrix = [](char name, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
    return fmt::format("{}, row-major {} x {} with ld {}, is column-major {} x {} with the same ld", name, rows, cols,
                       ld, cols, rows);
  };
  return fmt::format(
      "row-major D = A·Bᵀ is column-major Dᵀ = B·Aᵀ, the same bytes\n"
      "{}: Bᵀ, so OP_T gives B\n"
      "{}: Aᵀ, so OP_N gives Aᵀ\n"
      "cublasGemmEx(OP_T, OP_N, {}, {}, {}, 1, B, R_16F, {}, A, R_16F, {}, 0, D, R_16F, {}, COMPUTE_{}, DEFAULT)\n",
      matrix('B', p.n, p.k, p.ldb), matrix('A', p.m, p.k, p.lda), p.n, p.m, p.k, p.ldb, p.lda, p.ldd,
      p.accumulate == Accumulate::f16 ? "16F" : "32F");
}

struct Cublas::Impl {
  Handle handle = nullptr;
  cuda::Buffer workspace{workspace_bytes};
};

Cublas::Cublas() {
  const Functions& f = load();
  impl_ = std::make_unique<Impl>();
  require(f.create(&impl_->handle), "creating a handle");
}

Cublas::~Cublas() {
  load().destroy(impl_->handle);
}

std::string Cublas::version() const {
  int version = 0;
  require(load().version(impl_->handle, &version), "asking for the version");
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void Cublas::multiply(const GemmProblem& p, const GemmOperands& operands, cuda::CUstream stream) {
  const Functions& f = load();
  const Scale scale(p.accumulate);
  require(f.set_stream(impl_->handle, stream), "setting the stream");
  // setting a stream puts the default workspace back
  require(f.set_workspace(impl_->handle, impl_->workspace.address(), workspace_bytes), "setting the workspace");
  require(f.multiply(impl_->handle, CUBLAS_OP_T, CUBLAS_OP_N, p.n, p.m, p.k, scale.one(), operands.b, CUDA_R_16F, p.ldb,
                     operands.a, CUDA_R_16F, p.lda, scale.zero(), operands.d, CUDA_R_16F, p.ldd,
                     compute_type(p.accumulate), CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
}

}  // namespace tileloom::bench
// NOLINTEND(clang-analyzer-core.CallAndMessage)
