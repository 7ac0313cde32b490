// SPDX-License-Identifier: Apache-2.0
// Runs what is compiled from plain.cu and toolkit.cu.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emu/others/expected.hpp"
#include "tileloom/emu/emulator.hpp"

namespace tileloom::test {

inline const std::string others_folder = TILELOOM_SOURCE_DIR "/tests/emu/others/";

// The bytes of a file; of one that ends in .gz what is packed in it.
[[nodiscard]] std::string others_file(const std::string& path);
// PTX, or the PTX inside whatever nvcc makes, for sm_90.
[[nodiscard]] std::vector<emu::Module> others_modules(const std::string& bytes, const std::string& name);
// Runs each kernel under two schedules, with checks, and expects its result and no finding.
void expect_right(const emu::Module& module, std::span<const OthersKernel> kernels);
[[nodiscard]] std::span<const OthersKernel> others_kernels(std::string_view source);

}  // namespace tileloom::test
