// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tileloom/layout/tree.hpp"

namespace tileloom::layout {

// The sum of all leaves: an integer, or for scaled bases the tuple that they add up to.
[[nodiscard]] Tree arithmetic_sum(TreeRef terms);

}  // namespace tileloom::layout
