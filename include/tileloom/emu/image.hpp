// SPDX-License-Identifier: Apache-2.0
// PTX out of what nvcc writes: a `.ptx` text, a fatbin, or an object, library or executable that holds fatbins,
// compressed or not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/hw/arch.hpp"

namespace tileloom::emu {

// The PTX of one translation unit for one architecture.
struct PtxImage {
  std::string name;  // for messages and Module::from_ptx: the file's, with `:sm_80` and the unit in a fatbin
  int unit = 0;      // translation unit, counted from 0; each has images for several architectures
  hw::Arch arch{};   // that it is compiled for, the least that runs it
  std::string text;
};

// What a file holds.
struct ImageFile {
  std::vector<PtxImage> ptx;           // in the order of the file
  std::vector<hw::Arch> machine_code;  // architectures of the machine code, which the emulator cannot run; each once
};

// `file` is the whole file; `name` is used in messages. Fatbins are found by their header, wherever they are in it.
// Throws Error(bad_input) for a damaged fatbin, for an image of more than 256 MiB, and where there is neither PTX nor
// machine code. Source: the format as the fatbinary of CUDA 11 to 13 writes it; entries compressed with LZ4
// (--compress-mode=speed, and all before CUDA 12.8) and zstd (the other modes).
[[nodiscard]] ImageFile read_images(std::span<const std::byte> file, std::string_view name);

// The images among which a kernel is looked for: of every translation unit the newest that `arch` can run.
// Throws Error(cannot_run) where none can be run; the message lists what there is.
[[nodiscard]] std::vector<PtxImage> images_for(const ImageFile& file, hw::Arch arch, std::string_view name);

}  // namespace tileloom::emu
