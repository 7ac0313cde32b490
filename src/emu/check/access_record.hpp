// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "emu/check/knowledge.hpp"

namespace tileloom::emu {

// Shadows remember accesses by granules of so many bytes.
inline constexpr std::uint32_t granule_bytes = 16;

// One access of one or several lanes that did the same.
struct AccessRecord {
  const Foreign* foreign = nullptr;  // of an access to global memory: what its thread knew of other CTAs
  std::uint32_t epoch = 0;           // the warp's clock, or of a copy its group + 1
  std::uint32_t op = 0;
  std::uint32_t instant = 0;  // the same for lanes that ran the instruction together
  std::uint32_t lanes = 0;
  std::uint16_t bytes = 0;  // mask of a granule's bytes
  std::uint8_t warp = 0;
  bool reads = false, writes = false;
  bool atomic = false;
  bool cta_scope = false;  // an atomic that other CTAs do not take for one
  bool copy = false;
};

}  // namespace tileloom::emu
