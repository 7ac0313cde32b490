// SPDX-License-Identifier: Apache-2.0
// Suggested layouts: what is said of them is what check says once they are put into the configuration, and nothing that
// is searched is better.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tileloom/trace/suggest.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

const std::string hgemm = "examples/hgemm-128x256x32.json";

struct Sums {
  std::int64_t write = 0, read = 0;
  int worst_write = 0, worst_read = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

Sums sums_of(const LayoutCost& c) {
  Sums s;
  if (c.write) s.write = c.write->high, s.worst_write = c.write->worst.high;
  if (c.read) s.read = c.read->high, s.worst_read = c.read->worst.high;
  return s;
}

// What check says of one operand at shared memory.
Sums checked(const Kernel& kernel, Operand o) {
  const std::string x(1, letter(o));
  Sums s;
  for (const SiteCost& site : check_kernel(kernel).sites) {
    if (site.memory != "shared" || !site.site.starts_with(x + ":") || !site.shared) {
      continue;
    }
    const bool write = site.site.ends_with("-> shared");
    (write ? s.write : s.read) = site.shared->high;
    (write ? s.worst_write : s.worst_read) = site.shared->worst.high;
  }
  return s;
}

std::vector<std::string> as_options(const Settings& settings) {
  std::vector<std::string> all;
  for (const auto& [field, value] : settings) {
    all.push_back(field + "=" + value);
  }
  return all;
}

bool passes(const Kernel& kernel) {
  return check_kernel(kernel).ok();
}

// Reads a kernel's configuration again, as --set does, with further settings.
using Reader = std::function<Kernel(const std::vector<std::string>&)>;

void expect_as_stated(const Reader& read, const Suggestion& s, Operand o) {
  const Kernel kernel = read(as_options(s.settings));
  EXPECT_TRUE(passes(kernel)) << s.what;
  EXPECT_EQ(checked(kernel, o), sums_of(s.cost)) << kernel.config.name << " " << letter(o) << " " << s.what;
  EXPECT_EQ(kernel.shared_bytes, s.shared_bytes) << s.what;
  EXPECT_EQ(kernel.config.smem, s.config.smem);
  EXPECT_EQ(kernel.config.smem_at, s.config.smem_at);
}

std::vector<std::pair<std::string, Reader>> readers() {
  std::vector<std::pair<std::string, Reader>> all;
  for (const char* file : {"examples/one-warp.json", hgemm.c_str()}) {
    all.emplace_back(file, [file](const auto& settings) { return kernel_of_file(file, settings); });
  }
  for (const kernels::Configuration& c : kernels::configurations()) {
    const std::string name(c.name);
    if (name.ends_with("_f16")) {
      continue;  // the same layouts as with f32 sums, or as hgemm
    }
    all.emplace_back(name,
                     [name](const auto& settings) { return build_kernel(cli::read_kernel_config(name, settings)); });
  }
  return all;
}

TEST(Suggest, every_suggestion_costs_what_is_stated_and_passes) {
  int suggestions = 0;
  for (const auto& [name, read] : readers()) {
    const Kernel kernel = read({});
    const Suggestions all = suggest_layouts(kernel);
    for (const OperandSuggestions& o : all.operands) {
      EXPECT_EQ(checked(kernel, o.operand), sums_of(o.now)) << name;
      ASSERT_FALSE(o.best.empty()) << name;
      EXPECT_LE(o.best.front().cost.excess(), o.now.excess()) << name;
      EXPECT_TRUE(std::ranges::is_sorted(o.best, {}, [](const Suggestion& s) { return s.cost.excess(); }));
      for (const Suggestion& s : o.best) {
        expect_as_stated(read, s, o.operand);
        ++suggestions;
      }
      if (o.padding) {
        expect_as_stated(read, *o.padding, o.operand);
      }
    }
    if (all.wider) {
      const Suggestion& s = all.wider->suggestion;
      const Kernel wider = read(as_options(s.settings));
      EXPECT_TRUE(passes(wider));
      EXPECT_EQ(checked(wider, Operand::a), sums_of(all.wider->a));
      EXPECT_EQ(checked(wider, Operand::b), sums_of(all.wider->b));
      EXPECT_EQ(wider.shared_bytes, s.shared_bytes);
    }
  }
  EXPECT_GE(suggestions, 40);
}

// The shipped epilogue reads its slab with two-way conflicts; a longer shift frees it without a byte more.
TEST(Suggest, the_shipped_epilogue_can_be_free_of_conflicts) {
  const Suggestions s = suggest_layouts(build_kernel(cli::read_kernel_config("multistage", {})));
  const OperandSuggestions& c = s.operands.at(2);
  EXPECT_EQ(c.now.read->worst.high, 2 * c.now.read->worst.ideal);
  EXPECT_EQ(c.best.front().cost.excess(), 0);
  EXPECT_EQ(c.best.front().what, "Sw<3,3,4> on plain rows");
  EXPECT_FALSE(s.wider);
}

// --- Nothing is better -------------------------------------------------------------------------------------------

// All wavefronts of both ends beyond the ideal if `layout` is put at `field`; nothing where it is no layout for it.
std::optional<std::int64_t> excess_with(const Reader& read, Operand o, const std::string& layout) {
  try {
    const Kernel kernel = read({std::string("smem.") + letter(o) + "=" + layout});
    const CheckReport r = check_kernel(kernel);
    std::int64_t excess = 0;
    bool any = false;
    for (const SiteCost& site : r.sites) {
      if (site.memory == "shared" && site.site.starts_with(std::string(1, letter(o)) + ":")) {
        if (!site.shared) return std::nullopt;
        excess += site.shared->high - site.shared->ideal;
        any = true;
      }
    }
    return any && r.ok() ? std::optional(excess) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Every text `Sw<B,M,S> o _0 o plain` there is, and every padding, legal or not.
std::vector<std::string> all_layouts(int rows, int columns) {
  const std::string shape = "(_" + std::to_string(rows) + ",_" + std::to_string(columns) + ")";
  std::vector<std::string> all;
  for (int pad = 0; pad <= 64; pad += 4) {
    all.push_back(shape + ":(_" + std::to_string(columns + pad) + ",_1)");
  }
  for (int bits = 1; bits <= 4; ++bits) {
    for (int base = 0; base <= 7; ++base) {
      for (int shift = -6; shift <= 6; ++shift) {
        all.push_back("Sw<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) +
                      "> o _0 o " + all.front());
      }
    }
  }
  return all;
}

TEST(Suggest, brute_force_finds_nothing_better) {
  struct Case {
    int rows;
    int columns;
    std::vector<std::string> settings;
  };
  const std::string cg = R"j({"atom": "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", "thr": )j";
  const auto copy = [&](const std::string& thr) { return "g2s.A=" + cg + "\"" + thr + R"j(", "val": "(_1,_8)"})j"; };
  for (const Case& c :
       {Case{16, 16, {}}, Case{16, 64, {copy("(_4,_8):(_8,_1)")}}, Case{16, 32, {copy("(_8,_4):(_4,_1)")}},
        Case{32, 64, {copy("(_4,_8):(_8,_1)"), "mma.permutation=<_32,_8,_16>"}},
        Case{16, 64, {copy("(_4,_8):(_8,_1)"), "s2r.A=UniversalCopy<uint32_t>"}}}) {
    const std::string k = std::to_string(c.columns);
    std::vector<std::string> base{"tile=[" + std::to_string(c.rows) + ",8," + k + "]",
                                  "smem.B=(_8,_" + k + "):(_" + k + ",_1)", "gmem.A=(M,K):(K{div=8},_1)"};
    base.insert(base.end(), c.settings.begin(), c.settings.end());
    const Reader read = [&](std::vector<std::string> more) {
      more.insert(more.begin(), base.begin(), base.end());
      return kernel_of_file("examples/one-warp.json", more);
    };
    const std::vector<std::string> layouts = all_layouts(c.rows, c.columns);
    std::int64_t least = INT64_MAX;
    std::string best;
    int legal = 0;
    for (const std::string& l : layouts) {
      if (const auto excess = excess_with(read, Operand::a, l)) {
        ++legal;
        best = *excess < least ? l : best;
        least = std::min(least, *excess);
      }
    }
    EXPECT_GT(legal, 10);
    const Suggestions s = suggest_layouts(read({"smem.A=" + layouts.front()}));
    EXPECT_EQ(s.operands.at(0).best.front().cost.excess(), least) << c.rows << " x " << c.columns << " " << best;
  }
}

// --- What no layout changes --------------------------------------------------------------------------------------

TEST(Suggest, rows_of_64_bytes_are_bound_by_the_source) {
  const Suggestions s = suggest_layouts(kernel_of_file(hgemm));
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_TRUE(s.operands[i].bound);
    const SourceBound& b = *s.operands[i].bound;
    EXPECT_EQ(b.worst, 8);
    EXPECT_EQ(b.ideal, 4);
    EXPECT_EQ(b.lines, 8);
    EXPECT_EQ(b.row_bytes, 64);
    EXPECT_EQ(b.all, s.operands[i].best.front().cost.write->high) << "the best reaches the bound";
  }
  EXPECT_FALSE(s.operands[2].bound);
  ASSERT_TRUE(s.wider);
  EXPECT_EQ(s.wider->suggestion.config.tile[2], 64);
  EXPECT_EQ(s.wider->a.excess() + s.wider->b.excess(), 0);
}

// The bound holds for every layout, not only for those that are searched: 1000 random orders of 16-byte pieces.
TEST(Suggest, no_order_of_pieces_is_below_the_bound) {
  std::uint32_t state = 7;
  const auto random = [&](std::uint32_t n) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8) % n;
  };
  std::array<std::uint64_t, 32> global{};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    global[lane] = lane / 4 * 8192 + lane % 4 * 16;
  }
  int least = 32;
  for (int round = 0; round < 1000; ++round) {
    std::array<std::uint32_t, 64> piece{};
    for (std::uint32_t i = 0; i < 64; ++i) piece[i] = i * 16;
    for (std::uint32_t i = 63; i > 0; --i) std::swap(piece[i], piece[random(i + 1)]);
    std::array<std::uint32_t, 32> shared{};
    std::copy_n(piece.begin(), 32, shared.begin());
    least = std::min(least, hw::shared_wavefronts({hw::SharedOp::cp_async_cg, 16, shared, global}).low);
  }
  EXPECT_GE(least, 8);
}

// A layout that CuTe refuses has no cost now, and yet suggestions.
TEST(Suggest, a_layout_that_does_not_vectorize_can_be_replaced) {
  const Kernel kernel =
      kernel_of_file(hgemm, {"smem.A=tile_to_shape(Sw<3,2,3> o _0 o (_8,_32):(_32,_1), (_128,_32,_3))"});
  const OperandSuggestions a = suggest_layouts(kernel).operands.at(0);
  ASSERT_FALSE(a.best.empty());
  EXPECT_EQ(a.best.front().what, "Sw<2,3,3>");
  EXPECT_TRUE(passes(build_kernel(a.best.front().config)));
}

TEST(Suggest, padding_that_is_no_use_gives_its_bytes_back) {
  const Kernel padded = kernel_of_file(hgemm, {"smem.A=(_128,_32,_3):(_40,_1,_5120)"});
  const OperandSuggestions a = suggest_layouts(padded).operands.at(0);
  EXPECT_LT(a.best.front().cost.excess(), a.now.excess());
  EXPECT_LT(a.best.front().shared_bytes, padded.shared_bytes);
}

// M-major operands: columns are padded, swizzles are longer.
TEST(Suggest, transposed_operands_are_searched_too) {
  const std::vector<std::string> transposed{"tile=[64,8,16]", "mma.permutation=<_64,_8,_16>",
                                            "smem.A=(_64,_16):(_1,_64)", "s2r.A=SM75_U16x8_LDSM_T"};
  const Kernel kernel = kernel_of_file("examples/one-warp.json", transposed);
  const OperandSuggestions a = suggest_layouts(kernel).operands.at(0);
  EXPECT_EQ(a.now.read->worst.high, 32);
  EXPECT_EQ(a.best.front().cost.excess(), 0);
  EXPECT_EQ(a.best.front().what, "Sw<3,3,3>");
  ASSERT_TRUE(a.padding);
  EXPECT_EQ(a.padding->what, "columns of 72 elements");
  EXPECT_EQ(a.padding->cost.excess(), 0);
}

}  // namespace
}  // namespace tileloom::trace::test
