// SPDX-License-Identifier: Apache-2.0
// Any bytes as PTX: a module or an Error, and what decodes runs to its end or to an Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tileloom/emu/emulator.hpp"
#include "tileloom/error.hpp"

namespace {

void launch_all(const tileloom::emu::Module& module) {
  using namespace tileloom::emu;
  for (const Kernel& kernel : module.kernels()) {
    Memory memory;
    const DevicePtr buffer = memory.allocate(4096, "buffer");
    Arguments arguments(kernel);
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      if (kernel.parameters[i].size == sizeof buffer) arguments.set(i, buffer);
    }
    LaunchOptions options;
    options.block = {64};
    options.host_threads = 1;
    options.max_instructions = 2000;
    options.check = true;
    try {
      launch(module, kernel.name, options, arguments.bytes(), memory);
    } catch (const tileloom::Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    launch_all(tileloom::emu::Module::from_ptx({reinterpret_cast<const char*>(data), size}, "fuzz.ptx"));
  } catch (const tileloom::Error&) {
  }
  return 0;
}
