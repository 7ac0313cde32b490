// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tileloom/hw/memory_cost.hpp"

namespace tileloom::hw {

// The rules `conflicting lanes` and `sector moves`. Preconditions: a size that the copy has, 32 global addresses.
[[nodiscard]] Wavefronts cp_async_cost(const SharedAccess& access);

}  // namespace tileloom::hw
