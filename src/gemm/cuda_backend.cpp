// SPDX-License-Identifier: Apache-2.0
#include "gemm/cuda_backend.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>

#include "gemm/cuda_context.hpp"
#include "gemm/launch.hpp"
#include "gemm/problem.hpp"
#include "gemm/status.hpp"

namespace tileloom::cuda {
namespace {

Device describe_device(CUdevice handle) {
  Device device;
  device.handle = handle;
  std::array<char, 256> name{};
  require(driver().device_name(name.data(), static_cast<int>(name.size()) - 1, handle), "reading the GPU's name");
  require(driver().device_memory(&device.memory_bytes, handle), "reading the GPU's memory size");
  device.name = name.data();
  device.arch = hw::Arch{10 * attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
  device.multiprocessors = attribute(handle, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return device;
}

struct Image {
  const void* bytes;
  std::string name;
};

// Machine code where this build has it; else the PTX, which the driver compiles.
std::optional<Image> image_for(const kernels::KernelInstance& instance, hw::Arch arch) {
  const std::optional<kernels::PtxImage> ptx = kernels::ptx_image(instance, arch);
  if (!ptx) {
    return std::nullopt;
  }
  if (const auto fatbin = kernels::fatbin(instance); !fatbin.empty()) {
    return Image{fatbin.data(), "machine code"};
  }
  return Image{ptx->text.data(), fmt::format("PTX compute_{}, compiled by the driver", ptx->target.sm)};
}

// Kernels stay loaded until the process ends; a loaded kernel serves every context.
std::optional<CUkernel> load_kernel(const kernels::KernelInstance& instance, const std::string& entry,
                                    const Image& image, CUresult& result) {
  static std::mutex mutex;
  static std::map<const kernels::KernelInstance*, CUlibrary> libraries;
  static std::map<std::string, CUkernel> loaded;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(entry); found != loaded.end()) {
    return found->second;
  }
  CUlibrary& library = libraries[&instance];
  CUkernel kernel = nullptr;
  result = library != nullptr ? CUDA_SUCCESS
                              : driver().load_library(&library, image.bytes, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == CUDA_SUCCESS) {
    result = driver().find_kernel(&kernel, library, entry.c_str());
  }
  if (result != CUDA_SUCCESS) {
    return std::nullopt;
  }
  loaded.emplace(entry, kernel);
  return kernel;
}

CUkernel loaded_kernel(const kernels::KernelInstance& instance, const std::string& entry, CUdevice device) {
  const std::optional<Image> image = image_for(instance, describe_device(device).arch);
  CUresult result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  const std::optional<CUkernel> kernel = image ? load_kernel(instance, entry, *image, result) : std::nullopt;
  require(kernel ? CUDA_SUCCESS : result, fmt::format("loading kernel {}", entry));
  return *kernel;
}

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

void enqueue(const kernels::KernelInstance& instance, const GemmProblem& problem,
             const GemmConfiguration& configuration, const GemmOperands& operands, CUdevice device, CUstream stream) {
  kernels::GemmParams params = gemm::kernel_params(problem, configuration, operands);
  const std::string entry = kernels::entry_name(instance, params.copy_bytes_a, params.copy_bytes_b);
  const CUkernel kernel = loaded_kernel(instance, entry, device);
  const std::uint32_t shared_bytes = configuration.dynamic_shared_bytes;
  if (shared_bytes > 0) {
    require(driver().set_kernel_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(shared_bytes), kernel, device),
            fmt::format("asking for {} bytes of shared memory", shared_bytes));
  }
  std::array<void*, 1> parameters{&params};
  const auto threads = static_cast<unsigned>(instance.threads);
  require(driver().launch(kernel, gemm::checked_grid(instance, problem), 1, 1, threads, 1, 1, shared_bytes, stream,
                          parameters.data(), nullptr),
          fmt::format("launching kernel {}", entry));
}

}  // namespace

std::vector<Device> devices(Obstacle& obstacle) {
  std::vector<Device> found;
  if (find_driver(obstacle) == nullptr) {
    return found;
  }
  int count = 0;
  require(driver().device_count(&count), "counting the GPUs");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    found.push_back(describe_device(device_at(ordinal)));
  }
  if (found.empty()) {
    obstacle = {"the driver sees no GPU", "see what nvidia-smi says and whether CUDA_VISIBLE_DEVICES is empty"};
  }
  return found;
}

std::optional<Device> current_device() {
  Obstacle ignored;
  if (devices(ignored).empty()) {
    return std::nullopt;
  }
  return describe_device(chosen_device());
}

std::string driver_version() {
  Obstacle obstacle;
  int version = 0;
  const Driver* found = find_driver(obstacle);
  if (found == nullptr || found->driver_version(&version) != CUDA_SUCCESS) {
    return "";
  }
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::optional<Ready> prepare(const kernels::KernelInstance& instance, std::optional<hw::Arch> wanted,
                             Obstacle& obstacle, tileloom_status& status) {
  status = TILELOOM_STATUS_NOT_INITIALIZED;
  if (devices(obstacle).empty()) {
    return std::nullopt;
  }
  const Device device = describe_device(chosen_device());
  const std::string gpu = fmt::format("{} ({})", device.name, to_string(device.arch));
  status = TILELOOM_STATUS_ARCH_MISMATCH;
  if (wanted && *wanted != device.arch) {
    obstacle = {fmt::format("the GPU is {}, {} was asked for", gpu, to_string(*wanted)),
                "leave the arch out, or use the emulator backend"};
    return std::nullopt;
  }
  const std::optional<Image> image = image_for(instance, device.arch);
  if (!image) {
    obstacle = {fmt::format("kernel {} has no image for the GPU {}", instance.name, gpu),
                fmt::format("it needs {} or later", to_string(instance.min_arch))};
    return std::nullopt;
  }
  CUresult result = CUDA_SUCCESS;
  if (!load_kernel(instance, std::string(instance.name), *image, result)) {
    obstacle = {
        fmt::format("kernel {} does not load on the GPU {}: {}", instance.name, gpu, describe(driver(), result)),
        load_hint(result)};
    return std::nullopt;
  }
  status = TILELOOM_STATUS_SUCCESS;
  return Ready{device, image->name};
}

void launch(const kernels::KernelInstance& instance, const GemmProblem& problem, const GemmConfiguration& configuration,
            const GemmOperands& operands, void* stream) {
  const ContextScope scope;
  const CUdevice device = chosen_device();
  check_device_address("a", operands.a, device);
  check_device_address("b", operands.b, device);
  check_device_address("d", operands.d, device);
  enqueue(instance, problem, configuration, operands, device, static_cast<CUstream>(stream));
}

void launch_host(const kernels::KernelInstance& instance, const GemmProblem& problem,
                 const GemmConfiguration& configuration, const GemmOperands& operands, void* stream) {
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
  enqueue(instance, on_device, configuration, {a.address(), b.address(), d.address()}, chosen_device(), queue);
  copy_result(problem, d, operands.d, queue);
}

}  // namespace tileloom::cuda
