// SPDX-License-Identifier: Apache-2.0
// The options of a product as Python gives them.
#pragma once

#include <string_view>

#include "tileloom/gemm.hpp"

namespace tileloom::python {

// "f32" or "f16".
[[nodiscard]] Accumulate accumulate_of(std::string_view text);

// Empty `arch` and `kernel`: chosen. `raster_width` as in gemm.h: 0 is chosen, -1 is off.
[[nodiscard]] GemmOptions options_of(std::string_view backend, std::string_view arch, std::string_view kernel,
                                     int stages, int raster_width);

}  // namespace tileloom::python
