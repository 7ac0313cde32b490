// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/throughput.hpp"

#include <array>

namespace tileloom::hw {
namespace {

struct Row {
  Arch arch;
  Throughput figures;
};

constexpr std::array rows{
    Row{sm_80,
        {.multiprocessors = 108,
         .clock_hz = 1.41e9,
         .mma_fma_per_clock = 1024,
         .l2_bytes_per_clock = 47,
         .dram_bytes_per_second = 1.4e12,
         .energy = std::nullopt,
         .source = "NVIDIA A100 Tensor Core GPU Architecture: SMs, clock, tensor cores, 5120 bytes a clock from L2; "
                   "nine tenths of its 1555 GB/s"}},
    Row{sm_90,
        {.multiprocessors = 132,
         .clock_hz = 1.98e9,
         .mma_fma_per_clock = 1224,
         .l2_bytes_per_clock = 37,
         .dram_bytes_per_second = 3.17e12,
         .energy =
             Energy{.watts = 700, .mma_f16_joules = 4.67e-9, .mma_f32_joules = 5.35e-9, .wavefront_joules = 1.07e-9},
         .source = "an H200: mma.sync 640 TFLOPS at 1.98 GHz; what L2, memory and power give fitted to times of the "
                   "shipped kernels (results/h200/choice.json)"}},
};

}  // namespace

Throughput throughput(Arch arch) {
  const Row* found = &rows.front();
  for (const Row& row : rows) {
    if (!(arch < row.arch)) {
      found = &row;
    }
  }
  return found->figures;
}

}  // namespace tileloom::hw
