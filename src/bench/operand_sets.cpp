// SPDX-License-Identifier: Apache-2.0
#include "bench/operand_sets.hpp"

#include <algorithm>

#include "gemm/problem.hpp"

namespace tileloom::bench {
namespace {

constexpr std::int64_t alignment = 256;  // of each matrix, as an allocation of its own would have
constexpr std::int64_t most_sets = 8192;

struct Sizes {
  std::int64_t a, b, d;  // bytes, rounded up to the alignment

  explicit Sizes(const GemmProblem& p)
      : a(aligned(p.m * p.k * gemm::element_bytes)),
        b(aligned(p.n * p.k * gemm::element_bytes)),
        d(aligned(p.m * p.n * gemm::element_bytes)) {}
  static std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  [[nodiscard]] std::int64_t all() const { return a + b + d; }
};

cuda::CUdeviceptr device_address(const void* address) {
  return reinterpret_cast<cuda::CUdeviceptr>(address);
}

void copy(const cuda::Buffer& from, void* to, std::int64_t elements, const Stream& stream) {
  cuda::require(cuda::driver().copy_on_device(device_address(to), from.at(),
                                              static_cast<std::size_t>(elements * gemm::element_bytes), stream.get()),
                "copying operands");
}

}  // namespace

int rotated_sets(const GemmProblem& problem, std::int64_t l2_bytes) {
  const std::int64_t all = Sizes(problem).all();
  return static_cast<int>(std::min(2 + 2 * l2_bytes / all, most_sets));
}

OperandSets::OperandSets(const GemmProblem& problem, int count, const cuda::Buffer& a, const cuda::Buffer& b,
                         const Stream& stream)
    : d_elements_(problem.m * problem.n) {
  const Sizes sizes(problem);
  const std::int64_t bytes = sizes.d + (count - 1) * sizes.all();
  cuda::require_memory(bytes, to_string(problem) + (count > 1 ? ", A, B and D again and again" : ", D"));
  memory_ = std::make_unique<cuda::Buffer>(bytes);
  auto* at = static_cast<std::byte*>(memory_->address());
  sets_.push_back({a.address(), b.address(), at});
  at += sizes.d;
  for (int set = 1; set < count; ++set, at += sizes.all()) {
    sets_.push_back({at, at + sizes.a, at + sizes.a + sizes.b});
    copy(a, at, problem.m * problem.k, stream);
    copy(b, at + sizes.a, problem.n * problem.k, stream);
  }
}

const GemmOperands& OperandSets::of_launch(int launch) const {
  return sets_[static_cast<std::size_t>(launch) % sets_.size()];
}

void OperandSets::poison_all(const Stream& stream) const {
  for (const GemmOperands& set : sets_) {
    cuda::require(
        cuda::driver().fill_halves(device_address(set.d), poison, static_cast<std::size_t>(d_elements_), stream.get()),
        "poisoning D");
  }
}

std::vector<std::uint16_t> OperandSets::product(int set, const Stream& stream) const {
  std::vector<std::uint16_t> product(static_cast<std::size_t>(d_elements_));
  cuda::require(cuda::driver().copy_to_host(product.data(), device_address(of_launch(set).d),
                                            product.size() * gemm::element_bytes, stream.get()),
                "copying from the GPU");
  stream.synchronize();
  return product;
}

}  // namespace tileloom::bench
