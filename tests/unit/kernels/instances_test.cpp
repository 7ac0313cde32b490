// SPDX-License-Identifier: Apache-2.0
#include "kernels/instances.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace tileloom::kernels {
namespace {

TEST(Instances, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const KernelInstance& instance : instances()) {
    EXPECT_TRUE(names.insert(instance.name).second) << instance.name;
    EXPECT_EQ(find_instance(instance.name), &instance);
  }
  EXPECT_GE(names.size(), 2U);
  EXPECT_EQ(find_instance("no_such_kernel"), nullptr);
}

// A family's name must mean exactly one instance for each accumulate type that it offers.
TEST(Instances, OneDefaultPerFamilyAndAccumulate) {
  std::set<std::pair<std::string_view, Accumulate>> offered;
  std::multiset<std::pair<std::string_view, Accumulate>> defaults;
  for (const KernelInstance& instance : instances()) {
    offered.emplace(instance.family, instance.accumulate);
    if (instance.family_default) {
      defaults.emplace(instance.family, instance.accumulate);
    }
  }
  for (const auto& key : offered) {
    EXPECT_EQ(defaults.count(key), 1U) << key.first << " " << to_string(key.second);
  }
}

TEST(Instances, NameStatesFamilyTileAndAccumulate) {
  for (const KernelInstance& instance : instances()) {
    const std::string tile =
        std::to_string(instance.tile_m) + "x" + std::to_string(instance.tile_n) + "x" + std::to_string(instance.tile_k);
    const std::string name(instance.name);
    EXPECT_EQ(name.rfind(std::string(instance.family) + "_" + tile, 0), 0U) << name;
    EXPECT_EQ(name.substr(name.rfind('_') + 1), to_string(instance.accumulate)) << name;
  }
}

TEST(Instances, PtxIsTheNewestThatTheArchRuns) {
  for (const KernelInstance& instance : instances()) {
    EXPECT_EQ(ptx_target(instance, hw::Arch{75}), std::nullopt) << instance.name;
    const auto older = instance.min_arch > hw::sm_89 ? std::nullopt : std::optional(hw::sm_80);
    EXPECT_EQ(ptx_target(instance, hw::sm_80), older) << instance.name;
    EXPECT_EQ(ptx_target(instance, hw::sm_89), older) << instance.name;
    EXPECT_EQ(ptx_target(instance, hw::sm_90), hw::sm_90) << instance.name;
    EXPECT_EQ(ptx_target(instance, hw::Arch{120}), ptx_targets(instance).back()) << instance.name;
  }
}

TEST(Instances, FatbinIsThereExactlyWithCuda) {
  for (const KernelInstance& instance : instances()) {
    EXPECT_EQ(!fatbin(instance).empty(), built_with_cuda()) << instance.name;
  }
}

// Postcondition of grid_size: the tiles cover m x n, and one tile fewer in either direction would not.
TEST(GridSize, CoversTheOutputWithoutWaste) {
  for (const KernelInstance& instance : instances()) {
    for (std::int64_t m : {0, 1, 63, 64, 127, 128, 129, 255, 257, 1000}) {
      for (std::int64_t n : {0, 1, 127, 128, 129, 1000}) {
        std::int64_t tiles_m = 0;
        std::int64_t tiles_n = 0;
        while (tiles_m * instance.tile_m < m) {
          ++tiles_m;
        }
        while (tiles_n * instance.tile_n < n) {
          ++tiles_n;
        }
        EXPECT_EQ(grid_size(instance, m, n), tiles_m * tiles_n) << m << " " << n;
      }
    }
  }
}

TEST(GridSize, RefusesWhatNoGridCanHold) {
  const KernelInstance& instance = instances().front();
  const std::int64_t rows = std::int64_t{instance.tile_m} * std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(grid_size(instance, rows, 1), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(grid_size(instance, rows + 1, 1), std::nullopt);
  EXPECT_EQ(grid_size(instance, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()),
            std::nullopt);
}

}  // namespace
}  // namespace tileloom::kernels
