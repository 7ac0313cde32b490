// SPDX-License-Identifier: Apache-2.0
// What a launch may ask of each architecture.
#pragma once

#include <cstdint>
#include <string_view>

#include "tileloom/hw/arch.hpp"

namespace tileloom::hw {

struct Limits {
  std::uint32_t shared_bytes_per_cta;  // static and dynamic together, with the opt-in for large sizes
  std::uint32_t static_shared_bytes_per_cta;
  std::uint32_t threads_per_cta;
  std::uint32_t block_x, block_y, block_z;  // largest block sizes
  std::uint32_t grid_x, grid_y, grid_z;     // largest grid sizes
  std::string_view source;
};

// Throws Error(cannot_run) for an architecture below sm_80.
[[nodiscard]] Limits limits(Arch arch);

}  // namespace tileloom::hw
