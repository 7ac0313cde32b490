// SPDX-License-Identifier: Apache-2.0
// Counters against the rules of hw/memory_cost, for addresses that the test chooses.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "harness.hpp"
#include "tileloom/hw/memory_cost.hpp"

namespace tileloom::emu::test {
namespace {

constexpr unsigned rounds = 40;  // more patterns than an instruction keeps

using Offsets = std::array<std::array<std::uint32_t, 32>, rounds>;

// Runs `instruction` once a round: %r1 is the lane's shared address, %d1 its global one, at the offsets given; %r3 is
// the round's third value. `setup` may set predicate %p1.
Counters count(const std::string& instruction, const Offsets& shared, const Offsets& global,
               const std::string& setup = "") {
  const std::string text = std::string(header) + R"(.visible .entry k(.param .u64 table, .param .u64 data)
{
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<9>;
  .shared .align 128 .b8 box[16384];
  ld.param.u64 %d2, [table]; ld.param.u64 %d3, [data];
  mov.u32 %r9, %tid.x; mul.wide.u32 %d4, %r9, 8; add.u64 %d2, %d2, %d4;
  mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r30, 0; mov.u32 %r31, box;
)" + setup + R"(
LOOP:
  ld.global.v2.u32 {%r1, %r2}, [%d2]; add.u32 %r1, %r1, %r31;
  cvt.u64.u32 %d1, %r2; add.u64 %d1, %d1, %d3;
  cvt.u64.u32 %d5, %r1; cvta.shared.u64 %d6, %d5;
  )" + instruction + R"(
  add.u64 %d2, %d2, 256; add.u32 %r30, %r30, 1; setp.lt.u32 %p8, %r30, )" +
                           std::to_string(rounds) + R"(;
  @%p8 bra LOOP;
  ret;
}
)";
  std::vector<std::uint32_t> table;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      table.push_back(shared[round][lane]);
      table.push_back(global[round][lane]);
    }
  }
  const Module module = Module::from_ptx(text, "count.ptx");
  Memory memory;
  Arguments arguments(module.kernel("k"));
  const DevicePtr at = memory.allocate(table.size() * 4, "table");
  memory.write(at, std::as_bytes(std::span(table)));
  arguments.set(0, at).set(1, memory.allocate(1 << 16, "data"));
  LaunchOptions options;
  options.block = {32};
  options.count = true;
  return *launch(module, "k", options, arguments.bytes(), memory).counters;
}

const InstructionCount& find(const Counters& counters, const std::string& opcode) {
  for (const InstructionCount& i : counters.instructions) {
    if (i.at.opcode.starts_with(opcode)) return i;
  }
  throw Error(ErrorKind::bad_input, "no " + opcode);
}

// Random multiples of `step`: scattered ones, rows, and the same pattern moved by whole lines.
Offsets random_offsets(std::uint32_t seed, std::uint32_t step, std::uint32_t bytes) {
  std::mt19937 random(seed);
  Offsets made;
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint32_t base = static_cast<std::uint32_t>(random()) % (bytes / 4) / 128 * 128;
    const std::uint32_t stride = step << random() % 6;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint32_t scattered = static_cast<std::uint32_t>(random()) % (bytes / 2) / step * step;
      made[round][lane] = (base + (round % 3 == 0 ? scattered : lane * stride)) % (bytes - 16) / step * step;
      if (round % 3 == 2)
        made[round][lane] =
            (made[round - 1][lane] + 128 * static_cast<std::uint32_t>(random() % 8)) % (bytes - 16) / step * step;
    }
  }
  return made;
}

std::array<std::uint64_t, 32> wide(const std::array<std::uint32_t, 32>& narrow) {
  std::array<std::uint64_t, 32> made;
  std::copy(narrow.begin(), narrow.end(), made.begin());
  return made;
}

SharedCount shared_by_rule(hw::SharedOp op, int size, int bytes, const Offsets& shared, const Offsets& global) {
  SharedCount sum;
  for (unsigned round = 0; round < rounds; ++round) {
    const auto from = wide(global[round]);
    hw::SharedAccess access{op, size, shared[round]};
    access.global = from;
    const hw::Wavefronts w = hw::shared_wavefronts(access);
    sum.requests += 1;
    sum.wavefronts_low += static_cast<std::uint64_t>(w.low);
    sum.wavefronts_high += static_cast<std::uint64_t>(w.high);
    sum.profiled += static_cast<std::uint64_t>(w.high);
    sum.ideal += static_cast<std::uint64_t>(w.ideal);
    sum.exact &= w.exact;
    const bool matrix = op == hw::SharedOp::ldmatrix || op == hw::SharedOp::stmatrix;
    sum.bytes += static_cast<std::uint64_t>(bytes * (matrix ? 8 * size : 32));
    std::array<std::vector<std::uint32_t>, 32> words;
    for (unsigned lane = 0; lane < (matrix ? 8U * static_cast<unsigned>(size) : 32U); ++lane) {
      for (std::uint32_t word = shared[round][lane] / 4;
           word <= (shared[round][lane] + static_cast<std::uint32_t>(bytes) - 1) / 4; ++word) {
        auto& bank = words[word % 32];
        if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
      }
    }
    for (std::size_t bank = 0; bank < 32; ++bank) sum.bank_words[bank] += words[bank].size();
  }
  return sum;
}

GlobalCount global_by_rule(int size, const Offsets& global) {
  GlobalCount sum;
  for (unsigned round = 0; round < rounds; ++round) {
    const hw::GlobalTraffic t = hw::global_traffic({size, wide(global[round])});
    sum.requests += 1;
    sum.sectors += static_cast<std::uint64_t>(t.sectors);
    sum.ideal_sectors += static_cast<std::uint64_t>(t.ideal_sectors);
    sum.bytes += static_cast<std::uint64_t>(size) * 32;
  }
  return sum;
}

std::uint64_t bypass_sectors(const Offsets& shared, const Offsets& global, std::uint32_t readers = hw::all_lanes) {
  std::uint64_t sectors = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const auto from = wide(global[round]);
    sectors += static_cast<std::uint64_t>(
        hw::bypass_sectors({hw::SharedOp::cp_async_cg, 16, shared[round], from, hw::all_lanes, readers}));
  }
  return sectors;
}

struct Case {
  const char* instruction;
  hw::SharedOp op;
  int size;   // as the rules have it
  int bytes;  // of a lane
  bool is_generic = false;
};

const Case shared_cases[] = {
    {"ld.shared.u8 %h5, [%r1];", hw::SharedOp::load, 1, 1},
    {"ld.shared.u32 %r5, [%r1];", hw::SharedOp::load, 4, 4},
    {"ld.volatile.shared.v2.u32 {%r5, %r6}, [%r1];", hw::SharedOp::load, 8, 8},
    {"ld.v4.u32 {%r5, %r6, %r7, %r8}, [%d6];", hw::SharedOp::load, 16, 16},
    {"st.shared.v4.u32 [%r1], {%r10, %r11, %r12, %r13};", hw::SharedOp::store, 16, 16},
    {"st.u16 [%d6], %h5;", hw::SharedOp::store, 2, 2},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r1];", hw::SharedOp::ldmatrix, 1, 16},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r5, %r6}, [%r1];", hw::SharedOp::ldmatrix, 2, 16},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r1];", hw::SharedOp::ldmatrix, 4, 16},
    {"cp.async.ca.shared.global [%r1], [%d1], 4;", hw::SharedOp::cp_async_ca, 4, 4},
    {"cp.async.ca.shared.global [%r1], [%d1], 8;", hw::SharedOp::cp_async_ca, 8, 8},
    {"cp.async.cg.shared.global [%r1], [%d1], 16;", hw::SharedOp::cp_async_cg, 16, 16},
};

TEST(Count, SharedCostsAreTheRulesOfTheirAddresses) {
  std::uint32_t seed = 1;
  for (const Case& c : shared_cases) {
    const auto step = static_cast<std::uint32_t>(c.bytes);
    const Offsets shared = random_offsets(++seed, step, 16384);
    const Offsets global = random_offsets(++seed, step, 1 << 15);
    const std::string opcode = std::string(c.instruction).substr(0, std::string(c.instruction).find(' '));
    const InstructionCount found = find(count(c.instruction, shared, global), opcode);
    EXPECT_EQ(found.shared, shared_by_rule(c.op, c.size, c.bytes, shared, global)) << c.instruction;
    EXPECT_EQ(found.executions, rounds);
    EXPECT_EQ(found.lanes, rounds * 32);
    const bool copies = found.access == AccessClass::cp_async;
    GlobalCount traffic = copies ? global_by_rule(c.size, global) : GlobalCount{};
    if (c.op == hw::SharedOp::cp_async_cg) traffic.sectors = bypass_sectors(shared, global);
    EXPECT_EQ(found.global, traffic) << c.instruction;
  }
}

TEST(Count, GlobalTrafficIsThatOfTheAddresses) {
  for (const auto& [instruction, bytes] : {std::pair{"st.global.u16 [%d1], %h5;", 2},
                                           {"red.global.add.u32 [%d1], %r10;", 4},
                                           {"ld.u32 %r5, [%d1];", 4},
                                           {"ld.global.v4.f32 {%r5, %r6, %r7, %r8}, [%d1];", 16}}) {
    const Offsets global = random_offsets(77, static_cast<std::uint32_t>(bytes), 1 << 15);
    const std::string opcode = std::string(instruction).substr(0, std::string(instruction).find(' '));
    const InstructionCount found = find(count(instruction, random_offsets(5, 16, 16384), global), opcode);
    EXPECT_EQ(found.global, global_by_rule(bytes, global)) << instruction;
    EXPECT_EQ(found.shared, SharedCount{}) << instruction;
  }
}

TEST(Count, WhatTheRulesDoNotSettleIsARange) {
  const Offsets shared = random_offsets(3, 16, 16384);
  const Offsets global = random_offsets(4, 16, 1 << 15);
  const Counters atomic = count("red.shared.add.u32 [%r1], %r10;", shared, global);
  EXPECT_EQ(find(atomic, "red").shared.wavefronts_low, rounds);
  EXPECT_EQ(find(atomic, "red").shared.wavefronts_high, rounds * 32);
  EXPECT_FALSE(find(atomic, "red").shared.exact);
  // Half of the lanes in each memory.
  const Counters both =
      count("selp.b64 %d7, %d6, %d1, %p1; ld.u32 %r5, [%d7];", shared, global, "setp.lt.u32 %p1, %r9, 16;");
  EXPECT_FALSE(find(both, "ld.u32").shared.exact);
  EXPECT_EQ(find(both, "ld.u32").shared.bytes, rounds * 16 * 4);
  EXPECT_EQ(find(both, "ld.u32").global.bytes, rounds * 16 * 4);
}

// Even lanes read nothing: their zeros are written all the same.
TEST(Count, ACopyIsPricedByTheLanesThatRead) {
  constexpr std::uint32_t odd = 0xAAAA'AAAA;
  const Offsets shared = random_offsets(3, 16, 16384);
  const Offsets global = random_offsets(4, 16, 1 << 15);
  const Counters filled = count("cp.async.cg.shared.global [%r1], [%d1], 16, %r20;", shared, global,
                                "and.b32 %r20, %r9, 1; shl.b32 %r20, %r20, 4;");
  std::uint64_t wavefronts = 0, profiled = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const auto from = wide(global[round]);
    const hw::SharedAccess access{hw::SharedOp::cp_async_cg, 16, shared[round], from, hw::all_lanes, odd};
    wavefronts += static_cast<std::uint64_t>(hw::shared_wavefronts(access).high);
    profiled += static_cast<std::uint64_t>(hw::profiled_sized_copy(access));
  }
  const InstructionCount& copy = find(filled, "cp.async.cg");
  EXPECT_TRUE(copy.shared.exact);
  EXPECT_EQ(copy.shared.wavefronts_high, wavefronts);
  EXPECT_EQ(copy.shared.profiled, profiled);
  EXPECT_GT(profiled, wavefronts);
  EXPECT_EQ(copy.global.sectors, bypass_sectors(shared, global, odd));
  EXPECT_EQ(copy.shared.bytes, rounds * 32 * 16);
  EXPECT_EQ(copy.global.bytes, rounds * 16 * 16);
}

TEST(Count, PredicatesAndBranchesDecideWhoExecutes) {
  const Offsets any = random_offsets(3, 16, 16384);
  const Counters off = count("@%p1 add.u32 %r5, %r5, 1;", any, any, "setp.lt.u32 %p1, %r9, 5;");
  for (const InstructionCount& i : off.instructions) {
    if (i.at.opcode == "add.u32" && i.lanes == rounds * 5) {
      EXPECT_EQ(i.executions, rounds);
    }
  }
  const Counters none = count("@%p1 xor.b32 %r5, %r5, 1;", any, any, "setp.lt.u32 %p1, %r9, 0;");
  EXPECT_EQ(find(none, "xor").executions, rounds);
  EXPECT_EQ(find(none, "xor").lanes, 0U);
  const Counters split =
      count("@%p1 bra L1; xor.b32 %r5, %r5, 1; L1: and.b32 %r6, %r6, 1;", any, any, "setp.lt.u32 %p1, %r9, 20;");
  EXPECT_EQ(find(split, "bra").lanes, rounds * 20);
  EXPECT_EQ(find(split, "xor").lanes, rounds * 12);
  EXPECT_EQ(find(split, "and").executions, rounds);  // together again
  EXPECT_EQ(find(split, "and").lanes, rounds * 32);
}

TEST(Count, LinesAndClassesSumInstructions) {
  const Offsets any = random_offsets(3, 16, 16384);
  const Counters counters = count("ld.shared.u32 %r5, [%r1];", any, any);
  std::uint64_t executions = 0;
  std::uint64_t by_lines = 0;
  std::uint64_t by_classes = 0;
  for (const InstructionCount& i : counters.instructions) executions += i.executions;
  for (const LineCount& l : by_line(counters)) by_lines += l.executions;
  for (const ClassCount& c : by_class(counters)) by_classes += c.executions;
  EXPECT_EQ(by_lines, executions);
  EXPECT_EQ(by_classes, executions);
  std::vector<std::string> names;
  for (const ClassCount& c : by_class(counters)) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ld.global", "ld.shared", "other"}));
}

}  // namespace
}  // namespace tileloom::emu::test
