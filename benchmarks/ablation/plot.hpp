// SPDX-License-Identifier: Apache-2.0
// A saved ablation as a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tileloom::ablation {

// A row a variant: TFLOPS at `size` with the ceiling of its sums, and wavefronts of shared memory for each mma.sync.
// `results` is what to_json makes. Throws Error(bad_input) where it does not hold the size.
[[nodiscard]] std::string svg(const nlohmann::ordered_json& results, std::int64_t size);

}  // namespace tileloom::ablation
