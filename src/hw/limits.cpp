// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/limits.hpp"

#include <algorithm>
#include <array>

#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

constexpr std::uint32_t kib = 1024;

// What differs between architectures.
struct Row {
  int sm;
  std::uint32_t shared_kib_per_sm;
  std::uint32_t shared_kib_per_cta;
  std::uint32_t warps_per_sm;
  std::uint32_t ctas_per_sm;
};

constexpr std::array rows{
    Row{70, 96, 96, 64, 32},    Row{75, 64, 64, 32, 16},   Row{80, 164, 163, 64, 32}, Row{86, 100, 99, 48, 16},
    Row{87, 164, 163, 48, 16},  Row{89, 100, 99, 48, 24},  Row{90, 228, 227, 64, 32}, Row{100, 228, 227, 64, 32},
    Row{103, 228, 227, 64, 32}, Row{120, 100, 99, 48, 24}, Row{121, 100, 99, 48, 24},
};

}  // namespace

Limits limits(Arch arch) {
  const auto row = std::ranges::find(rows, arch.sm, &Row::sm);
  if (row == rows.end()) {
    throw Error(ErrorKind::cannot_run, to_string(arch) + ": its limits are not known");
  }
  Limits l{};
  l.shared_bytes_per_cta = row->shared_kib_per_cta * kib;
  l.static_shared_bytes_per_cta = 48 * kib;
  l.reserved_shared_bytes_per_cta = arch < sm_80 ? 0 : 1 * kib;
  l.threads_per_cta = 1024;
  l.registers_per_cta = 64 * kib;
  l.registers_per_thread = 255;
  l.block_x = 1024;
  l.block_y = 1024;
  l.block_z = 64;
  l.grid_x = 0x7FFF'FFFF;
  l.grid_y = 0xFFFF;
  l.grid_z = 0xFFFF;
  l.shared_bytes_per_sm = row->shared_kib_per_sm * kib;
  l.registers_per_sm = 64 * kib;
  l.threads_per_sm = row->warps_per_sm * 32;
  l.warps_per_sm = row->warps_per_sm;
  l.ctas_per_sm = row->ctas_per_sm;
  l.register_allocation_unit = 256;
  l.shared_allocation_unit = arch < sm_80 ? 256 : 128;
  l.source =
      "CUDA C++ Programming Guide, technical specifications per compute capability; CTAs per SM and allocation units: "
      "cuda_occupancy.h of CUDA 13.0";
  return l;
}

}  // namespace tileloom::hw
