// SPDX-License-Identifier: Apache-2.0
// The tensors of every stage, under the names of CuTe code.
#pragma once

#include <vector>

#include "tileloom/trace/overview.hpp"

namespace tileloom::trace {

// Preconditions: the kernel's copies are such as CuTe compiles, thread and CTA exist.
[[nodiscard]] std::vector<StageLayouts> stage_layouts(const Kernel& kernel, std::int64_t thread, CtaIndex cta);

}  // namespace tileloom::trace
