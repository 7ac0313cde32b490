// SPDX-License-Identifier: Apache-2.0
// What a launch may ask of each architecture, and what one SM has to share among resident CTAs.
#pragma once

#include <cstdint>
#include <string_view>

#include "tileloom/hw/arch.hpp"

namespace tileloom::hw {

struct Limits {
  // One CTA.
  std::uint32_t shared_bytes_per_cta;  // static and dynamic together, with the opt-in for large sizes
  std::uint32_t static_shared_bytes_per_cta;
  std::uint32_t reserved_shared_bytes_per_cta;  // taken by the system from the SM's, on top of what the CTA asks for
  std::uint32_t threads_per_cta;
  std::uint32_t registers_per_cta;  // 32 bits each
  std::uint32_t registers_per_thread;
  std::uint32_t block_x, block_y, block_z;  // largest block sizes
  std::uint32_t grid_x, grid_y, grid_z;     // largest grid sizes
  // One SM.
  std::uint32_t shared_bytes_per_sm;
  std::uint32_t registers_per_sm;
  std::uint32_t threads_per_sm;
  std::uint32_t warps_per_sm;
  std::uint32_t ctas_per_sm;
  // Granularity of what a CTA is given: registers a warp, bytes of shared memory a CTA.
  std::uint32_t register_allocation_unit;
  std::uint32_t shared_allocation_unit;
  std::string_view source;
};

// Throws Error(cannot_run) for an architecture whose limits are not known here.
[[nodiscard]] Limits limits(Arch arch);

}  // namespace tileloom::hw
