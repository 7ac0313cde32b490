// SPDX-License-Identifier: Apache-2.0
#include "bench/cublaslt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "bench/cublas_types.hpp"
#include "gemm/dynamic_library.hpp"
#include "gemm/problem.hpp"
#include "tileloom/error.hpp"

// NOLINTBEGIN(clang-analyzer-core.CallAndMessage): a function that the library lacks is an error of load()
namespace tileloom::bench {
namespace {

using namespace blas;
using Handle = struct cublasLtContext*;
using Operation = struct cublasLtMatmulDescOpaque*;
using Layout = struct cublasLtMatrixLayoutOpaque*;
using Preference = struct cublasLtMatmulPreferenceOpaque*;

// cublasLtMatmulDescAttributes_t, cublasLtMatmulPreferenceAttributes_t
constexpr int CUBLASLT_MATMUL_DESC_TRANSA = 3;
constexpr int CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1;
constexpr int most_algorithms = 16;

struct Algorithm {  // cublasLtMatmulAlgo_t
  std::array<std::uint64_t, 8> data;
};

struct Proposal {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace_bytes;
  Status state;
  float waves;
  std::array<int, 4> reserved;
};

struct Functions {
  Status (*create)(Handle* handle) = nullptr;
  Status (*destroy)(Handle handle) = nullptr;
  Status (*create_operation)(Operation* operation, int compute_type, int scale_type) = nullptr;
  Status (*destroy_operation)(Operation operation) = nullptr;
  Status (*set_operation)(Operation operation, int attribute, const void* value, std::size_t bytes) = nullptr;
  Status (*create_layout)(Layout* layout, int type, std::uint64_t rows, std::uint64_t cols, std::int64_t ld) = nullptr;
  Status (*destroy_layout)(Layout layout) = nullptr;
  Status (*create_preference)(Preference* preference) = nullptr;
  Status (*destroy_preference)(Preference preference) = nullptr;
  Status (*set_preference)(Preference preference, int attribute, const void* value, std::size_t bytes) = nullptr;
  Status (*propose)(Handle handle, Operation operation, Layout a, Layout b, Layout c, Layout d, Preference preference,
                    int wanted, Proposal* proposals, int* found) = nullptr;
  Status (*multiply)(Handle handle, Operation operation, const void* alpha, const void* a, Layout a_layout,
                     const void* b, Layout b_layout, const void* beta, const void* c, Layout c_layout, void* d,
                     Layout d_layout, const Algorithm* algorithm, void* workspace, std::size_t workspace_bytes,
                     cuda::CUstream stream) = nullptr;
  const char* (*status_text)(Status status) = nullptr;
};

const Functions& load() {
  static const Functions functions = [] {
    cuda::DynamicLibrary library({"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so"});
    require_library(library, "cublaslt-best", "libcublasLt");
    Functions f;
    f.create = library.find("cublasLtCreate");
    f.destroy = library.find("cublasLtDestroy");
    f.create_operation = library.find("cublasLtMatmulDescCreate");
    f.destroy_operation = library.find("cublasLtMatmulDescDestroy");
    f.set_operation = library.find("cublasLtMatmulDescSetAttribute");
    f.create_layout = library.find("cublasLtMatrixLayoutCreate");
    f.destroy_layout = library.find("cublasLtMatrixLayoutDestroy");
    f.create_preference = library.find("cublasLtMatmulPreferenceCreate");
    f.destroy_preference = library.find("cublasLtMatmulPreferenceDestroy");
    f.set_preference = library.find("cublasLtMatmulPreferenceSetAttribute");
    f.propose = library.find("cublasLtMatmulAlgoGetHeuristic");
    f.multiply = library.find("cublasLtMatmul");
    f.status_text = library.find("cublasLtGetStatusString");
    require_library(library, "cublaslt-best", "libcublasLt");
    return f;
  }();
  return functions;
}

void require(Status status, const char* what) {
  if (status != 0) {
    throw Error(ErrorKind::cannot_run, fmt::format("cublaslt: {}: {}", what, load().status_text(status)));
  }
}

// A descriptor that is destroyed with the object.
template <class Pointer, Status (*Functions::*Destroy)(Pointer)>
struct Owned {
  Pointer pointer = nullptr;
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (pointer != nullptr) {
      (load().*Destroy)(pointer);
    }
  }
};

using OwnedOperation = Owned<Operation, &Functions::destroy_operation>;
using OwnedLayout = Owned<Layout, &Functions::destroy_layout>;
using OwnedPreference = Owned<Preference, &Functions::destroy_preference>;

// A row-major matrix, as the column-major transposed one that has the same bytes.
void describe(OwnedLayout& layout, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  require(load().create_layout(&layout.pointer, CUDA_R_16F, static_cast<std::uint64_t>(cols),
                               static_cast<std::uint64_t>(rows), ld),
          "describing a matrix");
}

}  // namespace

struct CublasLt::Impl {
  Handle handle = nullptr;
  cuda::Buffer workspace{workspace_bytes};
};

struct LtProduct::Impl {
  Handle handle = nullptr;
  void* workspace = nullptr;
  Scale scale;
  OwnedOperation operation;
  OwnedLayout a, b, d;
  std::vector<Proposal> proposals;

  explicit Impl(Accumulate accumulate) : scale(accumulate) {}
};

LtProduct::LtProduct(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LtProduct::LtProduct(LtProduct&&) noexcept = default;
LtProduct& LtProduct::operator=(LtProduct&&) noexcept = default;
LtProduct::~LtProduct() = default;

int LtProduct::algorithms() const {
  return static_cast<int>(impl_->proposals.size());
}

// Column-major: D' = (B')' * A', where X' is the row-major X's transposed.
void LtProduct::multiply(int algorithm, const GemmOperands& operands, cuda::CUstream stream) const {
  const Impl& p = *impl_;
  const Algorithm& chosen = p.proposals[static_cast<std::size_t>(algorithm)].algorithm;
  require(load().multiply(p.handle, p.operation.pointer, p.scale.one(), operands.b, p.b.pointer, operands.a,
                          p.a.pointer, p.scale.zero(), operands.d, p.d.pointer, operands.d, p.d.pointer, &chosen,
                          p.workspace, workspace_bytes, stream),
          "cublasLtMatmul");
}

CublasLt::CublasLt() {
  const Functions& f = load();
  impl_ = std::make_unique<Impl>();
  require(f.create(&impl_->handle), "creating a handle");
}

CublasLt::~CublasLt() {
  load().destroy(impl_->handle);
}

LtProduct CublasLt::product(const GemmProblem& problem) const {
  const Functions& f = load();
  auto p = std::make_unique<LtProduct::Impl>(problem.accumulate);
  p->handle = impl_->handle;
  p->workspace = impl_->workspace.address();
  require(f.create_operation(&p->operation.pointer, compute_type(problem.accumulate), p->scale.type()),
          "describing the product");
  require(f.set_operation(p->operation.pointer, CUBLASLT_MATMUL_DESC_TRANSA, &CUBLAS_OP_T, sizeof(CUBLAS_OP_T)),
          "describing the product");
  describe(p->a, problem.m, problem.k, problem.lda);
  describe(p->b, problem.n, problem.k, problem.ldb);
  describe(p->d, problem.m, problem.n, problem.ldd);
  OwnedPreference preference;
  require(f.create_preference(&preference.pointer), "stating preferences");
  constexpr auto workspace = static_cast<std::uint64_t>(workspace_bytes);
  require(f.set_preference(preference.pointer, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)),
          "stating preferences");
  p->proposals.resize(most_algorithms);
  int found = 0;
  require(f.propose(p->handle, p->operation.pointer, p->b.pointer, p->a.pointer, p->d.pointer, p->d.pointer,
                    preference.pointer, most_algorithms, p->proposals.data(), &found),
          "asking for algorithms");
  p->proposals.resize(static_cast<std::size_t>(found));
  std::erase_if(p->proposals, [](const Proposal& proposal) { return proposal.state != 0; });
  if (p->proposals.empty()) {
    throw Error(ErrorKind::cannot_run,
                fmt::format("cublaslt: expected an algorithm for {}, found none", to_string(problem)));
  }
  return LtProduct(std::move(p));
}

}  // namespace tileloom::bench
// NOLINTEND(clang-analyzer-core.CallAndMessage)
