// SPDX-License-Identifier: Apache-2.0
#include "gemm/cuda_driver.hpp"

#include "gemm/dynamic_library.hpp"

namespace tileloom::cuda {
namespace {

constexpr const char* library_name = "libcuda.so.1";
constexpr const char* install_hint =
    "install NVIDIA's driver, 525 or newer, or use the emulator backend, which needs none";

struct Loaded {
  Driver driver;
  Obstacle obstacle;
};

Loaded load() {
  Loaded loaded;
  DynamicLibrary library({library_name});
  if (!library.found()) {
    loaded.obstacle = {std::string("no CUDA driver (") + library_name + " was not found)", install_hint};
    return loaded;
  }
#define TILELOOM_FIND(name, symbol, parameters) loaded.driver.name = library.find(symbol);
  TILELOOM_CUDA_FUNCTIONS(TILELOOM_FIND)
#undef TILELOOM_FIND
  if (!library.missing().empty()) {
    loaded.obstacle = {"the CUDA driver is too old: it has no " + library.missing(), install_hint};
    return loaded;
  }
  if (const CUresult result = loaded.driver.init(0); result != CUDA_SUCCESS) {
    loaded.obstacle = {"the CUDA driver does not start: " + describe(loaded.driver, result),
                       "see what nvidia-smi says, or use the emulator backend"};
  }
  return loaded;
}

}  // namespace

const Driver* find_driver(Obstacle& obstacle) {
  static const Loaded loaded = load();
  obstacle = loaded.obstacle;
  return obstacle.text.empty() ? &loaded.driver : nullptr;
}

std::string describe(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.error_name(result, &name) != CUDA_SUCCESS || driver.error_string(result, &text) != CUDA_SUCCESS) {
    return "CUDA error " + std::to_string(result);
  }
  return std::string(name) + " (" + text + ")";
}

}  // namespace tileloom::cuda
