// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tileloom/trace/check.hpp"

namespace tileloom::cli {

// What is known of a kernel beyond its configuration: the raster of the shipped kernels, which is what `raster`
// describes, and where it is one of them as it is shipped, what ptxas gave it.
[[nodiscard]] trace::CheckOptions check_options(const trace::Kernel& kernel, bool shipped);

}  // namespace tileloom::cli
