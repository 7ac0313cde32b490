// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/occupancy.hpp"

#include <algorithm>

namespace tileloom::hw {
namespace {

std::uint32_t round_up(std::uint32_t n, std::uint32_t unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

std::uint32_t Occupancy::ctas() const {
  return std::min({by_registers, by_shared, by_threads, by_ctas});
}

Occupancy occupancy(const CtaResources& cta, const Limits& limits) {
  const std::uint32_t warps = (cta.threads + 31) / 32;
  const std::uint32_t of_warp = round_up(cta.registers * 32, limits.register_allocation_unit);
  const std::uint32_t of_cta =
      round_up(cta.shared_bytes + limits.reserved_shared_bytes_per_cta, limits.shared_allocation_unit);
  return {.by_registers = limits.registers_per_sm / (of_warp * warps),
          .by_shared = of_cta == 0 ? limits.ctas_per_sm : limits.shared_bytes_per_sm / of_cta,
          .by_threads = std::min(limits.threads_per_sm / cta.threads, limits.warps_per_sm / warps),
          .by_ctas = limits.ctas_per_sm};
}

}  // namespace tileloom::hw
