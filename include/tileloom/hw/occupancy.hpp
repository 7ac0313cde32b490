// SPDX-License-Identifier: Apache-2.0
// How many CTAs an SM holds at once.
#pragma once

#include <cstdint>

#include "tileloom/hw/limits.hpp"

namespace tileloom::hw {

// What one CTA takes.
struct CtaResources {
  std::uint32_t threads;
  std::uint32_t registers;     // a thread
  std::uint32_t shared_bytes;  // static and dynamic
};

// CTAs that an SM holds, by each resource alone.
struct Occupancy {
  std::uint32_t by_registers;
  std::uint32_t by_shared;
  std::uint32_t by_threads;
  std::uint32_t by_ctas;

  [[nodiscard]] std::uint32_t ctas() const;  // the least
};

// Preconditions: threads >= 1, registers >= 1.
[[nodiscard]] Occupancy occupancy(const CtaResources& cta, const Limits& limits);

}  // namespace tileloom::hw
