// SPDX-License-Identifier: Apache-2.0
// What one CTA of a variant does, counted by the emulator from the variant's PTX.
#pragma once

#include <map>
#include <string>

#include "ablation/variants.hpp"

namespace tileloom::ablation {

// Sums over a CTA's warps.
struct ClassCost {
  double executions = 0;
  double wavefronts = 0, ideal_wavefronts = 0;  // of shared memory
  double sectors = 0, ideal_sectors = 0;        // of global memory
};

using Costs = std::map<std::string, ClassCost>;  // by class: `ldmatrix`, `cp.async`, `st.shared`, `other`, ...

struct KernelCosts {
  Costs per_tile;  // one more K tile; mma.sync is in `other`
  Costs rest;      // prologue and epilogue: what does not depend on K

  [[nodiscard]] double per_tile_instructions() const;
  [[nodiscard]] double per_tile_wavefronts() const;
};

[[nodiscard]] KernelCosts count(const Kernel& kernel);

}  // namespace tileloom::ablation
