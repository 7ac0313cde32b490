// SPDX-License-Identifier: Apache-2.0
// From which lane a lane of shfl.sync reads. PTX ISA, "shfl.sync".
#pragma once

#include <cstdint>

namespace tileloom::emu {

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

// The lane that a lane reads, and whether it is inside the lane's segment; else a lane reads itself.
template <Shuffle Mode>
inline bool source_of(unsigned lane, std::uint32_t by, std::uint32_t control, unsigned& from) {
  const std::uint32_t segment = control >> 8 & 31;
  const std::uint32_t clamp = control & 31;
  const std::uint32_t highest = (lane & segment) | (clamp & ~segment);
  const std::uint32_t lowest = lane & segment;
  const int j = Mode == Shuffle::up     ? static_cast<int>(lane) - static_cast<int>(by & 31)
                : Mode == Shuffle::down ? static_cast<int>(lane + (by & 31))
                : Mode == Shuffle::bfly ? static_cast<int>(lane ^ (by & 31))
                                        : static_cast<int>(lowest | (by & 31 & ~segment));
  const bool inside = Mode == Shuffle::up ? j >= static_cast<int>(highest) : j <= static_cast<int>(highest);
  from = inside ? static_cast<unsigned>(j) : lane;
  return inside;
}

}  // namespace tileloom::emu
