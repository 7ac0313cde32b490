// SPDX-License-Identifier: Apache-2.0
// Kernel configurations for tests: the committed files.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/config_file.hpp"
#include "kernels/configurations.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace::test {

inline Kernel kernel_of_file(const std::string& file, const std::vector<std::string>& settings = {},
                             const layout::SymbolValues& sizes = {}) {
  return build_kernel(cli::read_config_file(std::string(TILELOOM_SOURCE_DIR) + "/" + file, settings), sizes);
}

// The one-warp example, the example of 128 x 256 x 32, and every shipped kernel.
inline std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all{kernel_of_file("examples/one-warp.json"), kernel_of_file("examples/hgemm-128x256x32.json")};
  for (const kernels::Configuration& c : kernels::configurations()) {
    all.push_back(build_kernel(cli::read_kernel_config(std::string(c.name), {})));
  }
  return all;
}

// Those made with CuTe, whose shared layouts and epilogue follow one scheme.
inline std::vector<Kernel> cute_kernels() {
  std::vector<Kernel> all = all_kernels();
  std::erase_if(all, [](const Kernel& kernel) { return kernel.config.name.starts_with("handwritten"); });
  return all;
}

}  // namespace tileloom::trace::test
