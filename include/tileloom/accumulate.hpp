// SPDX-License-Identifier: Apache-2.0
// The type a GEMM sums in.
#pragma once

#include <string_view>

namespace tileloom {

enum class Accumulate { f32, f16 };

[[nodiscard]] constexpr std::string_view to_string(Accumulate accumulate) {
  return accumulate == Accumulate::f32 ? "f32" : "f16";
}

}  // namespace tileloom
