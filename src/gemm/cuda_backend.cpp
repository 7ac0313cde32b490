// SPDX-License-Identifier: Apache-2.0
#include "gemm/cuda_backend.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "gemm/cuda_context.hpp"
#include "gemm/cuda_kernels.hpp"
#include "gemm/launch.hpp"
#include "gemm/problem.hpp"
#include "gemm/status.hpp"

namespace tileloom::cuda {
namespace {

std::string load_hint(CUresult result) {
  return result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION
             ? fmt::format("update NVIDIA's driver to one for {} or newer", kernels::ptx_compiler())
             : "";
}

// A host address given as a device address would end the caller's context with a fault.
void check_device_address(const char* name, const void* address, CUdevice device) {
  std::uint32_t memory_type = 0;
  const auto at = reinterpret_cast<CUdeviceptr>(address);
  if (address == nullptr ||
      driver().pointer_attribute(&memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) == CUDA_SUCCESS ||
      attribute(device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0) {
    return;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("gemm: {}: expected an address that the GPU can reach, found {}", name, address),
              "copy the matrix to the GPU first, or use the call for host memory");
}

// D's gaps between n and ldd belong to the caller, so rows are copied one by one where there are any.
void copy_result(const GemmProblem& problem, const Buffer& from, void* to, CUstream stream) {
  const auto row_bytes = static_cast<std::size_t>(problem.n * gemm::element_bytes);
  const std::size_t all_bytes = row_bytes * static_cast<std::size_t>(problem.m);
  const bool dense = problem.ldd == problem.n || problem.m == 1;
  std::vector<std::byte> staged(dense ? 0 : all_bytes);
  void* landing = dense ? to : staged.data();
  from.read(landing, static_cast<std::int64_t>(all_bytes), stream);
  for (std::int64_t row = 0; !dense && row < problem.m; ++row) {
    std::memcpy(static_cast<std::byte*>(to) + row * problem.ldd * gemm::element_bytes,
                staged.data() + static_cast<std::size_t>(row) * row_bytes, row_bytes);
  }
}

void enqueue(const GemmProblem& problem, const gemm::Plan& plan, const GemmOperands& operands, CUstream stream) {
  const kernels::KernelInstance& instance = *plan.instance;
  kernels::GemmParams params = gemm::kernel_params(problem, plan, operands);
  const auto entry = [&] { return kernels::entry_name(instance, params.copy_bytes_a, params.copy_bytes_b); };
  CUresult result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  CUkernel const kernel =
      find_kernel(instance, plan.arch, kernels::is_narrow(instance, params.copy_bytes_a, params.copy_bytes_b), result);
  require(result, [&] { return fmt::format("loading kernel {}", entry()); });
  require(allow_shared_bytes(kernel, plan.device, plan.dynamic_shared_bytes),
          [&] { return fmt::format("asking for {} bytes of shared memory", plan.dynamic_shared_bytes); });
  std::array<void*, 1> parameters{&params};
  require(driver().launch(kernel, gemm::checked_grid(instance, problem), 1, 1, static_cast<unsigned>(instance.threads),
                          1, 1, plan.dynamic_shared_bytes, stream, parameters.data(), nullptr),
          [&] { return fmt::format("launching kernel {}", entry()); });
}

}  // namespace

const Device* prepare(const kernels::KernelInstance& instance, std::optional<hw::Arch> wanted, Obstacle& obstacle,
                      tileloom_status& status) {
  status = TILELOOM_STATUS_NOT_INITIALIZED;
  const std::optional<CUdevice> handle = usable_device(obstacle);
  if (!handle) {
    return nullptr;
  }
  const Device& device = facts(*handle);
  const auto gpu = [&] { return fmt::format("{} ({})", device.name, to_string(device.arch)); };
  status = TILELOOM_STATUS_ARCH_MISMATCH;
  if (wanted && *wanted != device.arch) {
    obstacle = {fmt::format("the GPU is {}, {} was asked for", gpu(), to_string(*wanted)),
                "leave the arch out, or use the emulator backend"};
    return nullptr;
  }
  if (!has_image(instance, device.arch)) {
    obstacle = {fmt::format("kernel {} has no image for the GPU {}", instance.name, gpu()),
                fmt::format("it needs {} or later", to_string(instance.min_arch))};
    return nullptr;
  }
  CUresult result = CUDA_SUCCESS;
  if (find_kernel(instance, device.arch, false, result) == nullptr) {
    obstacle = {
        fmt::format("kernel {} does not load on the GPU {}: {}", instance.name, gpu(), describe(driver(), result)),
        load_hint(result)};
    return nullptr;
  }
  status = TILELOOM_STATUS_SUCCESS;
  return &device;
}

void launch(const GemmProblem& problem, const gemm::Plan& plan, const GemmOperands& operands, void* stream) {
  const ContextScope scope;
  check_device_address("a", operands.a, plan.device);
  check_device_address("b", operands.b, plan.device);
  check_device_address("d", operands.d, plan.device);
  enqueue(problem, plan, operands, static_cast<CUstream>(stream));
}

void launch_host(const GemmProblem& problem, const gemm::Plan& plan, const GemmOperands& operands, void* stream) {
  const ContextScope scope;
  auto* const queue = static_cast<CUstream>(stream);
  const std::int64_t a_bytes = gemm::extent_bytes(problem.m, problem.k, problem.lda);
  const std::int64_t b_bytes = gemm::extent_bytes(problem.n, problem.k, problem.ldb);
  GemmProblem on_device = problem;
  on_device.ldd = problem.n;
  const std::int64_t d_bytes = gemm::extent_bytes(problem.m, problem.n, on_device.ldd);
  require_memory(a_bytes + b_bytes + d_bytes, "backend cuda: A, B and D");
  const Buffer a(a_bytes);
  const Buffer b(b_bytes);
  const Buffer d(d_bytes);
  a.fill(operands.a, a_bytes, queue);
  b.fill(operands.b, b_bytes, queue);
  enqueue(on_device, plan, {a.address(), b.address(), d.address()}, queue);
  copy_result(problem, d, operands.d, queue);
}

}  // namespace tileloom::cuda
