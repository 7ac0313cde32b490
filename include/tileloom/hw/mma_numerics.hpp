// SPDX-License-Identifier: Apache-2.0
// How tensor cores round: the fused multiply-add step of each generation.
//
// One step takes L products a[i]*b[i] and an addend c, aligns all of them to the largest exponent E among the non-zero
// products and c, cuts each magnitude to F fractional bits, and adds exactly. An instruction is one or more chained
// steps over K; between steps the sum is rounded to the type of D.
#pragma once

#include <string_view>

#include "tileloom/hw/arch.hpp"

namespace tileloom::hw {

struct MmaNumerics {
  int steps;          // chained steps an instruction takes over its K
  int terms;          // L: products a step
  int fraction_bits;  // F
  bool measured;      // compared with hardware, bit for bit, by this project
  std::string_view source;
};

// f16 and bf16 inputs, K = 16 (mma.sync m16n8k16 and wgmma). Throws Error(cannot_run) for an arch below sm_80, which
// has no such instruction.
[[nodiscard]] MmaNumerics mma_numerics_k16(Arch arch);

}  // namespace tileloom::hw
