// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/instances.hpp"

namespace tileloom::kernels {
namespace {

struct Row {
  std::string_view entry;
  EntryResources resources;
};

constexpr Row rows[] = {
#include "resources.inc"
};

}  // namespace

std::optional<EntryResources> resources(std::string_view entry, hw::Arch arch) {
  const auto* row = std::ranges::find_if(
      rows, [&](const Row& candidate) { return candidate.entry == entry && candidate.resources.arch == arch; });
  return row == std::end(rows) ? std::nullopt : std::optional(row->resources);
}

}  // namespace tileloom::kernels
