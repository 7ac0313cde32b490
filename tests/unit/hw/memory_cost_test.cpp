// SPDX-License-Identifier: Apache-2.0
// Costs against what Nsight Compute counted on an H200, and laws that hold for any access.
#include "tileloom/hw/memory_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

using Shared = std::array<std::uint32_t, 32>;
using Global = std::array<std::uint64_t, 32>;

struct Measured {
  std::string op;
  std::string pattern;
  SharedOp kind = SharedOp::load;
  int size = 0;
  std::uint32_t active = all_lanes;
  Shared shared{};
  Global global{};
  int wavefronts = 0;

  [[nodiscard]] Wavefronts predicted() const { return shared_wavefronts({kind, size, shared, global, active}); }
};

SharedOp kind_of(const std::string& op) {
  if (op.starts_with("cp.async")) {
    return op.starts_with("cp.async.ca") ? SharedOp::cp_async_ca : SharedOp::cp_async_cg;
  }
  if (op.find("matrix") != std::string::npos) {
    return op.starts_with("ld") ? SharedOp::ldmatrix : SharedOp::stmatrix;
  }
  return op.starts_with("ld") ? SharedOp::load : SharedOp::store;
}

// `ld.shared.16` -> 16, `ldmatrix.x4.trans` -> 4
int size_of(const std::string& op) {
  const std::size_t x = op.find(".x");
  return std::stoi(x != std::string::npos ? op.substr(x + 2) : op.substr(op.rfind('.') + 1));
}

std::vector<Measured> read(const std::string& file) {
  std::ifstream in(TILELOOM_TEST_DATA "/golden/h200/" + file);
  std::vector<Measured> all;
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    Measured m;
    m.op = json["op"];
    m.pattern = json["pattern"];
    m.kind = kind_of(m.op);
    m.size = size_of(m.op);
    m.wavefronts = json["wavefronts"];
    if (json.contains("active_mask")) {
      m.active = static_cast<std::uint32_t>(std::stoul(json["active_mask"].get<std::string>(), nullptr, 16));
    }
    std::ranges::copy(json["shared_byte_offset"].get<std::vector<std::uint32_t>>(), m.shared.begin());
    if (json.contains("global_byte_offset")) {
      std::ranges::copy(json["global_byte_offset"].get<std::vector<std::uint64_t>>(), m.global.begin());
    }
    all.push_back(m);
  }
  return all;
}

std::vector<Measured> all_measured() {
  std::vector<Measured> all = read("wavefronts.jsonl");
  std::ranges::move(read("cp_async.jsonl"), std::back_inserter(all));
  return all;
}

TEST(WavefrontsOnH200, exact_results_are_what_was_measured_and_ranges_contain_it) {
  std::size_t exact = 0;
  std::vector<double> ratios;
  const std::vector<Measured> all = all_measured();
  for (const Measured& m : all) {
    const Wavefronts w = m.predicted();
    EXPECT_LE(w.low, m.wavefronts) << m.op << ' ' << m.pattern;
    EXPECT_GE(w.high, m.wavefronts) << m.op << ' ' << m.pattern;
    EXPECT_EQ(w.exact, w.low == w.high) << m.op << ' ' << m.pattern;
    exact += w.exact ? 1 : 0;
    ratios.push_back(static_cast<double>(w.high) / w.low);
  }
  ASSERT_EQ(all.size(), 342U + 254U);
  std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
  std::cout << exact << " of " << all.size() << " accesses exact, median high/low " << ratios[ratios.size() / 2]
            << '\n';
  EXPECT_EQ(exact, all.size()) << "the rules cover every measured access";
}

TEST(WavefrontsOnH200, moving_the_destination_by_whole_lines_changes_nothing) {
  for (Measured m : all_measured()) {
    const Wavefronts before = m.predicted();
    for (std::uint32_t& address : m.shared) {
      address += 5 * 128;
    }
    for (std::uint64_t& address : m.global) {
      address += std::uint64_t{7} << 40;
    }
    EXPECT_EQ(m.predicted().low, before.low) << m.op << ' ' << m.pattern;
    EXPECT_EQ(m.predicted().high, before.high) << m.op << ' ' << m.pattern;
  }
}

TEST(Wavefronts, every_rule_names_itself) {
  std::set<std::string_view> rules;
  for (const Measured& m : all_measured()) {
    rules.insert(m.predicted().rule);
  }
  EXPECT_EQ(rules, (std::set<std::string_view>{"bank words", "conflicting lanes", "matrix rows", "merged groups",
                                               "sector moves"}));
}

// Random accesses, aligned, within a few lines so that everything happens.
class Random {
 public:
  Measured access(SharedOp kind, int size, std::uint32_t active) {
    Measured m;
    m.kind = kind;
    m.size = size;
    m.active = active;
    const bool matrix = kind == SharedOp::ldmatrix || kind == SharedOp::stmatrix;
    const auto unit = static_cast<std::uint32_t>(matrix ? 16 : size);
    const std::uint32_t span = 64U << below(6);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      m.shared[lane] = below(span) * unit;
      m.global[lane] = below(span) * unit;
    }
    return m;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  std::uint32_t mask() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937_64 engine_{20240611};
};

struct Kind {
  SharedOp op;
  int size;
};
constexpr std::array kinds{
    Kind{SharedOp::load, 1},         Kind{SharedOp::load, 2},         Kind{SharedOp::load, 4},
    Kind{SharedOp::load, 8},         Kind{SharedOp::load, 16},        Kind{SharedOp::store, 1},
    Kind{SharedOp::store, 4},        Kind{SharedOp::store, 8},        Kind{SharedOp::store, 16},
    Kind{SharedOp::ldmatrix, 1},     Kind{SharedOp::ldmatrix, 2},     Kind{SharedOp::ldmatrix, 4},
    Kind{SharedOp::stmatrix, 4},     Kind{SharedOp::cp_async_ca, 4},  Kind{SharedOp::cp_async_ca, 8},
    Kind{SharedOp::cp_async_ca, 16}, Kind{SharedOp::cp_async_cg, 16},
};

TEST(Wavefronts, ranges_are_ordered_and_bounded_by_the_active_lanes) {
  Random random;
  for (const Kind& kind : kinds) {
    for (int i = 0; i < 300; ++i) {
      const Measured m = random.access(kind.op, kind.size, i % 2 == 0 ? all_lanes : random.mask());
      const Wavefronts w = m.predicted();
      const bool matrix = kind.op == SharedOp::ldmatrix || kind.op == SharedOp::stmatrix;
      const int lanes = matrix ? 8 * kind.size : std::popcount(m.active);
      EXPECT_LE(w.low, w.high);
      EXPECT_LE(w.high, lanes);
      EXPECT_GE(w.low, lanes > 0 ? 1 : 0);
      EXPECT_TRUE(!w.exact || w.low == w.high);
    }
  }
}

TEST(Wavefronts, inactive_lanes_leave_a_cost_exact) {
  Random random;
  for (const Kind& kind : kinds) {
    EXPECT_TRUE(random.access(kind.op, kind.size, all_lanes >> 1).predicted().exact);
    const Wavefronts none = random.access(kind.op, kind.size, 0).predicted();
    const bool matrix = kind.op == SharedOp::ldmatrix || kind.op == SharedOp::stmatrix;
    EXPECT_EQ(none.high == 0, !matrix) << "an instruction that no lane executes costs nothing";
  }
}

TEST(Wavefronts, ideal_is_reached_by_contiguous_lanes) {
  for (const Kind& kind : kinds) {
    const bool matrix = kind.op == SharedOp::ldmatrix || kind.op == SharedOp::stmatrix;
    Measured m;
    m.kind = kind.op;
    m.size = kind.size;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      m.shared[lane] = lane * static_cast<std::uint32_t>(matrix ? 16 : kind.size);
      m.global[lane] = m.shared[lane];
    }
    const Wavefronts w = m.predicted();
    const int want = matrix ? kind.size : std::max(1, kind.size / 4);
    EXPECT_EQ(w.ideal, want);
    EXPECT_EQ(w.high, want);
  }
}

TEST(Wavefronts, bytes_of_one_word_do_not_conflict) {
  Measured m;
  m.kind = SharedOp::load;
  m.size = 1;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    m.shared[lane] = lane;
  }
  EXPECT_EQ(m.predicted().low, 1);
  m.size = 2;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    m.shared[lane] = 128 * lane;
  }
  EXPECT_EQ(m.predicted().low, 32);
}

// The rule `merged groups`: partners are all at distance 1 or all at distance 2, and without them groups stay apart.
TEST(Wavefronts, wide_loads_merge_where_all_lanes_have_partners) {
  Measured m;
  m.kind = SharedOp::load;
  m.size = 8;
  const auto cost_of = [&](const auto& word_pair) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      m.shared[lane] = 8 * word_pair(lane);
    }
    return m.predicted().low;
  };
  EXPECT_EQ(cost_of([](std::uint32_t lane) { return lane / 2; }), 1) << "lane ^ 1";
  EXPECT_EQ(cost_of([](std::uint32_t lane) { return lane / 4 * 2 + lane % 2; }), 1) << "lane ^ 2";
  EXPECT_EQ(cost_of([](std::uint32_t lane) { return lane % 16; }), 2) << "lane ^ 16 is no partner";
  EXPECT_EQ(cost_of([](std::uint32_t lane) { return lane < 16 ? lane / 2 : lane / 4 * 2 + lane % 2; }), 2)
      << "half of them at distance 1, half at 2";
  m.active = 0x5555'5555;  // an inactive partner is as good
  EXPECT_EQ(cost_of([](std::uint32_t lane) { return lane / 2; }), 1);
  m.kind = SharedOp::store;
  EXPECT_EQ(cost_of([](std::uint32_t lane) { return lane / 2; }), 2) << "stores never merge";
}

TEST(Wavefronts, sizes_that_do_not_exist_are_refused) {
  const auto message = [](SharedOp op, int size) -> std::string {
    try {
      Measured m;
      m.kind = op;
      m.size = size;
      (void)m.predicted();
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(SharedOp::load, 3), "shared access: size 3, expected 1, 2, 4, 8 or 16 bytes a lane");
  EXPECT_EQ(message(SharedOp::store, 32), "shared access: size 32, expected 1, 2, 4, 8 or 16 bytes a lane");
  EXPECT_EQ(message(SharedOp::ldmatrix, 3), "shared access: size 3, expected 1, 2 or 4 matrices");
  EXPECT_EQ(message(SharedOp::stmatrix, 0), "shared access: size 0, expected 1, 2 or 4 matrices");
  EXPECT_EQ(message(SharedOp::cp_async_ca, 2), "shared access: size 2, expected 4, 8 or 16 bytes a lane");
  EXPECT_EQ(message(SharedOp::cp_async_cg, 8), "shared access: size 8, expected 16 bytes a lane");
  const Shared shared{};
  EXPECT_THROW((void)shared_wavefronts({SharedOp::cp_async_cg, 16, shared}), Error);
}

// --- Global memory -------------------------------------------------------------------------------------------------

TEST(GlobalTraffic, counts_blocks_of_the_active_lanes) {
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const int size = 1 << random.below(5);
    const std::uint32_t active = i % 3 == 0 ? random.mask() : all_lanes;
    const Measured m = random.access(SharedOp::load, size, active);
    const GlobalTraffic t = global_traffic({size, m.global, active});
    std::set<std::uint64_t> bytes;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (int b = 0; b < size && (active >> lane & 1U) != 0; ++b) {
        bytes.insert(m.global[lane] + static_cast<std::uint64_t>(b));
      }
    }
    std::set<std::uint64_t> sectors;
    std::set<std::uint64_t> lines;
    for (const std::uint64_t b : bytes) {
      sectors.insert(b / 32);
      lines.insert(b / 128);
    }
    EXPECT_EQ(t.requests, bytes.empty() ? 0 : 1);
    EXPECT_EQ(t.sectors, static_cast<int>(sectors.size()));
    EXPECT_EQ(t.lines, static_cast<int>(lines.size()));
    EXPECT_EQ(t.ideal_sectors, static_cast<int>((bytes.size() + 31) / 32));
  }
}

TEST(GlobalTraffic, a_full_vector_access_takes_16_sectors_in_4_lines_and_one_more_when_misaligned) {
  Global address{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    address[lane] = 16 * lane;
  }
  const GlobalTraffic t = global_traffic({16, address});
  EXPECT_EQ(t.sectors, 16);
  EXPECT_EQ(t.ideal_sectors, 16);
  EXPECT_EQ(t.lines, 4);
  for (std::uint64_t& a : address) {
    a += 16;
  }
  EXPECT_EQ(global_traffic({16, address}).sectors, 17);
  EXPECT_EQ(global_traffic({16, address}).ideal_sectors, 16);
  EXPECT_THROW((void)global_traffic({12, address}), Error);
}

}  // namespace
}  // namespace tileloom::hw
