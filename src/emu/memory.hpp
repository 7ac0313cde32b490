// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "emu/machine/address.hpp"
#include "emu/machine/aligned_bytes.hpp"
#include "tileloom/emu/emulator.hpp"

namespace tileloom::emu {

struct Memory::Impl {
  std::vector<Region> regions;  // region first_buffer_region + i
  std::vector<AlignedBytes> owned;

  [[nodiscard]] DevicePtr add(std::byte* data, std::uint64_t size, std::string label, std::uint64_t offset,
                              bool writable);
};

}  // namespace tileloom::emu
