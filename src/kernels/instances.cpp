// SPDX-License-Identifier: Apache-2.0
#include "kernels/instances.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

extern "C" {
#include "images.inc"
}

namespace tileloom::kernels {
namespace {

struct PtxRow {
  hw::Arch target;
  const char* begin;
  const char* end;
};

struct ImageRow {
  std::array<PtxRow, TILELOOM_PTX_IMAGES> ptx;
  const char* fatbin_begin;
  const char* fatbin_end;
};

#include "table.inc"

static_assert(std::size(instance_table) > 0);

const ImageRow& images_of(const KernelInstance& instance) {
  return image_table[&instance - instance_table];
}

}  // namespace

std::span<const KernelInstance> instances() {
  return instance_table;
}

const KernelInstance* find_instance(std::string_view name) {
  const auto* found = std::ranges::find(instance_table, name, &KernelInstance::name);
  return found == std::end(instance_table) ? nullptr : found;
}

std::string entry_name(const KernelInstance& instance, int copy_bytes_a, int copy_bytes_b) {
  const bool narrow = instance.uses_shared_memory() && (copy_bytes_a < 16 || copy_bytes_b < 16);
  return std::string(instance.name) + (narrow ? "_narrow" : "");
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

std::optional<PtxImage> ptx_image(const KernelInstance& instance, hw::Arch arch) {
  std::optional<PtxImage> newest;
  for (const PtxRow& row : images_of(instance).ptx) {
    if (row.target <= arch && instance.min_arch <= arch) {
      newest = PtxImage{row.target, {row.begin, row.end}};
    }
  }
  return newest;
}

std::span<const hw::Arch> ptx_targets(const KernelInstance& /*all instances have the same*/) {
  return ptx_target_table;
}

std::span<const std::byte> fatbin(const KernelInstance& instance) {
  const ImageRow& row = images_of(instance);
  return std::as_bytes(std::span(row.fatbin_begin, row.fatbin_end));
}

bool built_with_cuda() {
  return TILELOOM_WITH_CUDA != 0;
}

std::string_view ptx_compiler() {
  return compiler;
}

}  // namespace tileloom::kernels
