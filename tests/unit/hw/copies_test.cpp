// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies against what Nsight Compute counted on an H200, whichever lanes take part and read.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tileloom/hw/memory_cost.hpp"

namespace tileloom::hw {
namespace {

using Shared = std::array<std::uint32_t, 32>;
using Global = std::array<std::uint64_t, 32>;

// One form of copy, and its patterns: cg16, ca16, ca8, ca4; `_sized` with the source size as an operand.
class CopiesOnH200 : public testing::TestWithParam<std::string> {
 protected:
  struct Copy {
    std::string name, guard, source;  // predicates of the machine instruction
    Shared to{};
    Global from{};
    std::uint32_t readers = 0;
    int wavefronts = 0, sectors = 0;
  };

  [[nodiscard]] bool sized() const { return GetParam().ends_with("_sized"); }
  [[nodiscard]] bool bypass() const { return GetParam().starts_with("cg"); }
  [[nodiscard]] int size() const { return std::stoi(GetParam().substr(2)); }
  // A constant size: lanes that do not read are switched off.
  [[nodiscard]] SharedAccess access(const Copy& c, std::uint32_t readers) const {
    const std::uint32_t active = sized() ? all_lanes : readers;
    return {bypass() ? SharedOp::cp_async_cg : SharedOp::cp_async_ca, size(), c.to, c.from, active, readers};
  }
  [[nodiscard]] std::vector<Copy> copies() const {
    std::ifstream in(TILELOOM_TEST_DATA "/golden/h200/copies.json");
    const auto json = nlohmann::json::parse(in);
    std::vector<Copy> all;
    const auto& patterns = json.at(std::to_string(size()));
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const auto& counted = json.at(GetParam()).at(i);
      const auto text = [&](const char* key) {
        return counted.at(key).is_null() ? std::string() : counted.at(key).get<std::string>();
      };
      Copy c{patterns[i]["name"], text("guard"), text("source"), patterns[i]["to"], patterns[i]["from"]};
      for (std::size_t lane = 0; lane < 32; ++lane) {
        c.readers |= patterns[i]["size"][lane] != 0 ? 1U << lane : 0;
      }
      c.wavefronts = counted.at("wavefronts");
      c.sectors = counted.at("sectors");
      all.push_back(c);
    }
    return all;
  }
};

// What the profiler cannot see: of a guard P0 it takes copies that bypass L1 for switched off, and with a source
// predicate P0 for copies of all lanes.
TEST_P(CopiesOnH200, the_rules_give_what_was_counted_whichever_lanes_take_part_and_read) {
  std::size_t compared = 0;
  for (const Copy& c : copies()) {
    if (bypass() && c.guard == "P0") {
      EXPECT_EQ(c.wavefronts, 0) << c.name;
      EXPECT_EQ(c.sectors, 0) << c.name;
      continue;
    }
    const bool all = bypass() && c.source == "P0";
    const SharedAccess seen = access(c, all ? all_lanes : c.readers);
    EXPECT_EQ(sized() ? profiled_sized_copy(seen) : shared_wavefronts(seen).high, c.wavefronts) << c.name;
    const SharedAccess made = access(c, c.readers);
    EXPECT_EQ(bypass() ? bypass_sectors(made) : global_traffic({size(), c.from, c.readers}).sectors, c.sectors)
        << c.name;
    ++compared;
  }
  EXPECT_GT(compared, 100U);
}

// Where all lanes read, a size changes nothing; zeros that bypass nothing are written in passes of their own.
TEST_P(CopiesOnH200, a_size_costs_nothing_where_all_lanes_read) {
  for (const Copy& c : copies()) {
    SharedAccess one = access(c, all_lanes);
    const int full = shared_wavefronts(one).high;
    one.readers = c.readers;
    const int filled = shared_wavefronts(one).high;
    EXPECT_TRUE(c.readers != all_lanes || filled == full) << c.name;
    one.readers = 0;
    const Global anywhere{};
    const SharedAccess store{SharedOp::cp_async_ca, size(), c.to, anywhere, all_lanes, 0};
    EXPECT_EQ(shared_wavefronts(one).high, shared_wavefronts(store).high) << c.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, CopiesOnH200,
                         testing::Values("cg16", "cg16_sized", "ca16", "ca16_sized", "ca8", "ca8_sized", "ca4",
                                         "ca4_sized"));

}  // namespace
}  // namespace tileloom::hw
