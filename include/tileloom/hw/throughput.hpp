// SPDX-License-Identifier: Apache-2.0
// How fast a GPU of an architecture is, and what it costs in energy: what a choice between kernels needs to know.
#pragma once

#include <optional>
#include <string_view>

#include "tileloom/hw/arch.hpp"

namespace tileloom::hw {

// Energy of a power-limited GPU. A product that needs more than `watts` runs at a lower clock.
struct Energy {
  double watts;             // that the GPU may take
  double mma_f16_joules;    // one mma.sync m16n8k16 of a warp that sums in f16
  double mma_f32_joules;    // in f32
  double wavefront_joules;  // one wavefront of shared memory, the way of its bytes from L2 included
};

// One GPU.
struct Throughput {
  int multiprocessors;
  double clock_hz;               // the highest
  double mma_fma_per_clock;      // multiply-adds of mma.sync on f16, an SM and clock
  double l2_bytes_per_clock;     // that an SM gets from L2
  double dram_bytes_per_second;  // that a GEMM reads and writes
  std::optional<Energy> energy;  // where it was measured
  std::string_view source;
};

// Of the newest architecture known here that is not newer than `arch`, or of the oldest.
[[nodiscard]] Throughput throughput(Arch arch);

}  // namespace tileloom::hw
