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
  std::vector<std::vector<std::uint16_t>> written;  // what Region::written points to, by region; empty: all is

  [[nodiscard]] DevicePtr add(std::byte* data, std::uint64_t size, std::string label, std::uint64_t offset,
                              bool writable);
  void set_unwritten(std::size_t region);  // all of it
  void set_written(std::size_t region);    // all of it
};

}  // namespace tileloom::emu
