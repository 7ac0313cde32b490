// SPDX-License-Identifier: Apache-2.0
#include "kernels/instances.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace tileloom::kernels {
namespace {

#include "table.inc"

static_assert(std::size(instance_table) > 0);

}  // namespace

std::span<const KernelInstance> instances() {
  return instance_table;
}

const KernelInstance* find_instance(std::string_view name) {
  const auto* found = std::ranges::find(instance_table, name, &KernelInstance::name);
  return found == std::end(instance_table) ? nullptr : found;
}

std::string entry_name(const KernelInstance& instance, int copy_bytes_a, int copy_bytes_b) {
  return std::string(instance.name) + (is_narrow(instance, copy_bytes_a, copy_bytes_b) ? "_narrow" : "");
}

std::vector<std::string> entry_names(const KernelInstance& instance) {
  std::vector<std::string> names{entry_name(instance, 16, 16)};
  if (instance.uses_shared_memory()) {
    names.push_back(entry_name(instance, 2, 2));
  }
  return names;
}

std::optional<std::uint32_t> grid_size(const KernelInstance& instance, std::int64_t m, std::int64_t n) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  const std::int64_t tiles_m = m / instance.tile_m + (m % instance.tile_m != 0);
  const std::int64_t tiles_n = n / instance.tile_n + (n % instance.tile_n != 0);
  if (tiles_n != 0 && tiles_m > largest / tiles_n) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(tiles_m * tiles_n);
}

}  // namespace tileloom::kernels
