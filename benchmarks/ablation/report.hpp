// SPDX-License-Identifier: Apache-2.0
// Results of an ablation as JSON and as a table.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ablation/counting.hpp"
#include "ablation/gpu.hpp"

namespace tileloom::ablation {

struct Results {
  std::map<std::string, KernelCosts> costs;  // by kernel
  std::optional<bench::Environment> environment;
  std::string date, revision;  // of the run and of the sources
  bench::Plan plan;
  std::vector<SizeTimes> sizes;
};

[[nodiscard]] nlohmann::ordered_json to_json(const Variants& variants, const Results& results);

// A line a variant: what one m16n8k16 multiplication costs a CTA in warp instructions and in wavefronts of shared
// memory, and TFLOPS with the share of the ceiling at each size.
[[nodiscard]] std::string table(const Variants& variants, const Results& results);

}  // namespace tileloom::ablation
