// SPDX-License-Identifier: Apache-2.0
// cuBLAS, cublasLt and NVML of the stand-in.
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "gemm/half.hpp"
#include "unit/gemm/fake_cuda.hpp"

namespace {
using fake::environment;
}

FAKE(cublasCreate_v2, void** handle) {
  FAIL_IF_PLANNED();
  static int library;
  *handle = &library;
  return 0;
}
FAKE(cublasDestroy_v2, void*) {
  return 0;
}
FAKE(cublasGetVersion_v2, void*, int* version) {
  *version = 130102;
  return 0;
}
namespace {
void* cublas_stream = nullptr;
}  // namespace
FAKE(cublasSetStream_v2, void*, void* stream) {
  cublas_stream = stream;
  return 0;
}
FAKE(cublasSetWorkspace_v2, void*, void*, std::size_t) {
  return 0;
}
extern "C" const char* cublasGetStatusString(int status);
extern "C" const char* cublasGetStatusString(int) {
  return "planned by the test";
}
// Column-major, as cuBLAS: C(i, j) is c[i + j * ldc].
struct Product {
  bool a_transposed, b_transposed;
  std::int64_t m, n, k;
  const void* a;
  std::int64_t lda;
  const void* b;
  std::int64_t ldb;
  void* c;
  std::int64_t ldc;

  void compute(double wrong) const {
    const auto element = [](const void* matrix, std::int64_t at) {
      return tileloom::half_to_f64(static_cast<const std::uint16_t*>(matrix)[at]);
    };
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = wrong;
        for (std::int64_t l = 0; l < k; ++l) {
          sum += element(a, a_transposed ? l + i * lda : i + l * lda) *
                 element(b, b_transposed ? j + l * ldb : l + j * ldb);
        }
        static_cast<std::uint16_t*>(c)[i + j * ldc] = tileloom::half_from(sum);
      }
    }
  }
};

FAKE(cublasGemmEx_64, void*, int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k, const void*,
     const void* a, int, std::int64_t lda, const void* b, int, std::int64_t ldb, const void*, void* c, int,
     std::int64_t ldc, int, int) {
  FAIL_IF_PLANNED();
  fake::enqueue(cublas_stream, [=] {
    Product{op_a != 0, op_b != 0, m, n, k, a, lda, b, ldb, c, ldc}.compute(environment("FAKE_CUBLAS_WRONG", 0));
    fake::pass_time(environment("FAKE_CUDA_CUBLAS_US", 1000));
  });
  return 0;
}

namespace {
struct LtOperation {
  int transposed[2] = {0, 0};
};
struct LtLayout {
  std::int64_t rows, cols, ld;
};
struct LtAlgorithm {
  std::int64_t number;
  std::int64_t rest[7];
};
struct LtProposal {
  LtAlgorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
struct LtSpeed {
  int us;
  bool wrong;
};
// `900,800w`
std::vector<LtSpeed> lt_algorithms() {
  std::vector<LtSpeed> all;
  std::istringstream text(fake::environment_text("FAKE_CUBLASLT_US"));
  for (std::string part; std::getline(text, part, ',');) {
    all.push_back({std::atoi(part.c_str()), part.ends_with('w')});
  }
  return all;
}
}  // namespace
FAKE(cublasLtCreate, void** handle) {
  FAIL_IF_PLANNED();
  static int library;
  *handle = &library;
  return 0;
}
FAKE(cublasLtDestroy, void*) {
  return 0;
}
extern "C" const char* cublasLtGetStatusString(int status);
extern "C" const char* cublasLtGetStatusString(int) {
  return "planned by the test";
}
FAKE(cublasLtMatmulDescCreate, LtOperation** operation, int compute_type, int scale_type) {
  *operation = new LtOperation;
  return (compute_type == 64 && scale_type == 2) || (compute_type == 68 && scale_type == 0) ? 0 : 7;
}
FAKE(cublasLtMatmulDescDestroy, LtOperation* operation) {
  delete operation;
  return 0;
}
FAKE(cublasLtMatmulDescSetAttribute, LtOperation* operation, int attribute, const void* value, std::size_t bytes) {
  if ((attribute != 3 && attribute != 4) || bytes != sizeof(int)) {
    return 7;
  }
  std::memcpy(&operation->transposed[attribute - 3], value, bytes);
  return 0;
}
FAKE(cublasLtMatrixLayoutCreate, LtLayout** layout, int type, std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  *layout = new LtLayout{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols), ld};
  return type == 2 && ld >= static_cast<std::int64_t>(rows) ? 0 : 7;
}
FAKE(cublasLtMatrixLayoutDestroy, LtLayout* layout) {
  delete layout;
  return 0;
}
FAKE(cublasLtMatmulPreferenceCreate, std::uint64_t** preference) {
  *preference = new std::uint64_t(0);
  return 0;
}
FAKE(cublasLtMatmulPreferenceDestroy, std::uint64_t* preference) {
  delete preference;
  return 0;
}
FAKE(cublasLtMatmulPreferenceSetAttribute, std::uint64_t* preference, int attribute, const void* value,
     std::size_t bytes) {
  if (attribute != 1 || bytes != sizeof(std::uint64_t)) {
    return 7;
  }
  std::memcpy(preference, value, bytes);
  return 0;
}
FAKE(cublasLtMatmulAlgoGetHeuristic, void*, LtOperation*, LtLayout*, LtLayout*, LtLayout*, LtLayout*,
     std::uint64_t* preference, int wanted, LtProposal* proposals, int* found) {
  FAIL_IF_PLANNED();
  *found = 0;
  for (std::size_t i = 0; i < lt_algorithms().size() && *found < wanted; ++i) {
    proposals[*found] = {{static_cast<std::int64_t>(i), {}}, *preference, 0, 1, {}};
    ++*found;
  }
  return 0;
}
FAKE(cublasLtMatmul, void*, LtOperation* operation, const void*, const void* a, LtLayout* a_layout, const void* b,
     LtLayout* b_layout, const void*, const void*, LtLayout*, void* d, LtLayout* d_layout, const LtAlgorithm* algorithm,
     void* workspace, std::size_t bytes, void* stream) {
  FAIL_IF_PLANNED();
  const bool at = operation->transposed[0] != 0;
  const bool bt = operation->transposed[1] != 0;
  const std::int64_t k = at ? a_layout->rows : a_layout->cols;
  if (workspace == nullptr || bytes != std::size_t{64} << 20U || k != (bt ? b_layout->cols : b_layout->rows) ||
      d_layout->rows != (at ? a_layout->cols : a_layout->rows) ||
      d_layout->cols != (bt ? b_layout->rows : b_layout->cols)) {
    return 7;
  }
  const LtSpeed speed = lt_algorithms()[static_cast<std::size_t>(algorithm->number)];
  const Product product{at, bt, d_layout->rows, d_layout->cols, k, a, a_layout->ld, b, b_layout->ld, d, d_layout->ld};
  fake::enqueue(stream, [=] {
    product.compute(speed.wrong ? 1 : 0);
    fake::pass_time(speed.us);
  });
  return 0;
}

FAKE(nvmlInit_v2, void) {
  return 0;
}
FAKE(nvmlDeviceGetHandleByPciBusId_v2, const char* bus_id, void** device) {
  static int only;
  *device = &only;
  return std::strcmp(bus_id, "0000:01:00.0");
}
FAKE(nvmlDeviceGetClockInfo, void*, int, unsigned* mhz) {
  *mhz = 1500;
  return 0;
}
FAKE(nvmlDeviceGetPowerUsage, void*, unsigned* milliwatts) {
  *milliwatts = 650500;
  return 0;
}
FAKE(nvmlSystemGetDriverVersion, char* text, unsigned length) {
  std::strncpy(text, "999.1", length);
  return 0;
}
