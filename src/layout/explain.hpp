// SPDX-License-Identifier: Apache-2.0
// The steps inside an operation, for those who ask how a result comes about. Each is a true equation.
#pragma once

#include "tileloom/layout/layout.hpp"

namespace tileloom::layout {

// R = A o B: A with the fewest modes, then mode by mode of B.
void explain_composition(const Policy& policy, const Layout& a, const Layout& b, const Layout& r);

// The modes of A in the order of their strides, and what fills the offsets between them up to the target.
void explain_complement(const Policy& policy, const Layout& a, TreeRef cotarget);

}  // namespace tileloom::layout
