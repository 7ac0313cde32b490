// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tileloom/trace/check.hpp"

namespace tileloom::trace {

// Both ends of every copy that the kernel has, in the order of the data.
[[nodiscard]] std::vector<SiteCost> access_sites(const Kernel& kernel);

}  // namespace tileloom::trace
