// SPDX-License-Identifier: Apache-2.0
#include "kernels/configurations.hpp"

#include <algorithm>

#include "kernels/instances.hpp"

namespace tileloom::kernels {
namespace {

constexpr Configuration table[] = {
#include "configurations.inc"
};

}  // namespace

std::span<const Configuration> configurations() {
  return table;
}

std::optional<Configuration> find_configuration(std::string_view name) {
  const auto family =
      std::ranges::find_if(instances(), [&](const KernelInstance& i) { return i.family == name && i.family_default; });
  const std::string_view wanted = family == instances().end() ? name : family->name;
  const auto* found = std::ranges::find(table, wanted, &Configuration::name);
  return found == std::end(table) ? std::nullopt : std::optional(*found);
}

}  // namespace tileloom::kernels
