// SPDX-License-Identifier: Apache-2.0
#include "gemm/cuda_kernels.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "gemm/cuda_context.hpp"

namespace tileloom::cuda {
namespace {

// Both entries of an instance. Read without a lock, written under one.
struct Loaded {
  CUlibrary library = nullptr;
  std::array<std::atomic<CUkernel>, 2> entries{};
};

std::mutex loading;

Loaded& loaded(const kernels::KernelInstance& instance) {
  static std::vector<Loaded> all(kernels::instances().size());
  return all[static_cast<std::size_t>(&instance - kernels::instances().data())];
}

// Machine code where this build has it; else the PTX, which the driver compiles.
const void* image_bytes(const kernels::KernelInstance& instance, hw::Arch arch) {
  if (const auto fatbin = kernels::fatbin(instance); !fatbin.empty()) {
    return fatbin.data();
  }
  return kernels::ptx_text(instance, *kernels::ptx_target(instance, arch)).c_str();
}

// Loading takes memory, which a stream's capture would forbid to all of the process.
class OutsideCapture {
 public:
  OutsideCapture() { exchange(); }
  OutsideCapture(const OutsideCapture&) = delete;
  OutsideCapture& operator=(const OutsideCapture&) = delete;
  ~OutsideCapture() { exchange(); }

 private:
  void exchange() { static_cast<void>(driver().exchange_capture_mode(&mode_)); }
  int mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

CUresult load(const kernels::KernelInstance& instance, hw::Arch arch, const std::string& entry, Loaded& into,
              CUkernel& kernel) {
  const OutsideCapture scope;
  if (into.library == nullptr) {
    const CUresult result =
        driver().load_library(&into.library, image_bytes(instance, arch), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (result != CUDA_SUCCESS) {
      into.library = nullptr;
      return result;
    }
  }
  return driver().find_kernel(&kernel, into.library, entry.c_str());
}

}  // namespace

bool has_image(const kernels::KernelInstance& instance, hw::Arch arch) {
  return kernels::ptx_target(instance, arch).has_value();
}

std::string image_name(const kernels::KernelInstance& instance, hw::Arch arch) {
  if (!kernels::fatbin(instance).empty()) {
    return "machine code";
  }
  return fmt::format("PTX compute_{}, compiled by the driver", kernels::ptx_target(instance, arch)->sm);
}

CUkernel find_kernel(const kernels::KernelInstance& instance, hw::Arch arch, bool narrow, CUresult& result) {
  result = CUDA_SUCCESS;
  Loaded& both = loaded(instance);
  std::atomic<CUkernel>& entry = both.entries[narrow ? 1 : 0];
  if (const CUkernel kernel = entry.load(std::memory_order_acquire)) {
    return kernel;
  }
  const std::lock_guard lock(loading);
  CUkernel kernel = entry.load(std::memory_order_relaxed);
  if (kernel == nullptr) {
    const int copy_bytes = narrow ? 2 : 16;
    result = load(instance, arch, kernels::entry_name(instance, copy_bytes, copy_bytes), both, kernel);
    kernel = result == CUDA_SUCCESS ? kernel : nullptr;
    entry.store(kernel, std::memory_order_release);
  }
  return kernel;
}

CUresult allow_shared_bytes(CUkernel kernel, CUdevice device, std::uint32_t bytes) {
  static std::mutex mutex;
  static std::map<std::pair<CUkernel, CUdevice>, std::uint32_t> allowed;  // never lowered: other threads launch too
  if (bytes == 0) {
    return CUDA_SUCCESS;
  }
  const std::lock_guard lock(mutex);
  std::uint32_t& most = allowed[{kernel, device}];
  if (bytes <= most) {
    return CUDA_SUCCESS;
  }
  const OutsideCapture scope;
  const CUresult result = driver().set_kernel_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                        static_cast<int>(bytes), kernel, device);
  most = result == CUDA_SUCCESS ? bytes : most;
  return result;
}

}  // namespace tileloom::cuda
