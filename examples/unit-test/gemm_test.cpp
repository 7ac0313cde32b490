// SPDX-License-Identifier: Apache-2.0
// Unit tests of the CuTe kernel in gemm.cu, on a machine without a GPU: its PTX runs in Tileloom's emulator. A start
// for tests of your own kernel; docs/emulator-api.md explains each part.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tileloom/emu/emulator.hpp"
#include "tileloom/emu/float16.hpp"

namespace emu = tileloom::emu;

namespace {

std::string ptx_text() {
  std::ifstream file(GEMM_PTX);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Decoded once for all tests.
const emu::Module& module() {
  static const emu::Module made = emu::Module::from_ptx(ptx_text(), "gemm.ptx");
  return made;
}

// One problem: its data on the host, and how the kernel is launched on it.
struct Gemm {
  int m, n, k;
  std::vector<std::uint16_t> a, b;  // f16
  std::vector<float> d;

  // Multiples of 1/8 from -1 to 7/8: every sum is exact, in any order.
  Gemm(int rows, int columns, int depth) : m(rows), n(columns), k(depth), a(m * k), b(n * k), d(m * n) {
    std::uint32_t state = 1;
    for (std::vector<std::uint16_t>* operand : {&a, &b}) {
      for (std::uint16_t& value : *operand) {
        state = state * 1664525 + 1013904223;
        value = emu::from_f32<emu::f16_format>(static_cast<float>(state >> 16 & 15) / 8 - 1);
      }
    }
  }

  emu::LaunchReport run(const emu::Module& kernels, emu::LaunchOptions options = {}) {
    emu::Memory memory;
    const emu::DevicePtr device_d = memory.allocate(d.size() * sizeof(float), "D");
    const emu::DevicePtr device_a = memory.allocate(a.size() * 2, "A");
    const emu::DevicePtr device_b = memory.allocate(b.size() * 2, "B");
    memory.write(device_a, std::as_bytes(std::span(a)));
    memory.write(device_b, std::as_bytes(std::span(b)));
    emu::Arguments arguments(kernels.kernel("gemm_64x64"));
    arguments.set(0, device_d).set(1, device_a).set(2, device_b).set(3, m).set(4, n).set(5, k);
    options.grid = {static_cast<std::uint32_t>(m / 64), static_cast<std::uint32_t>(n / 64)};
    options.block = {128};
    emu::LaunchReport report = emu::try_launch(kernels, "gemm_64x64", options, arguments.bytes(), memory);
    memory.read(device_d, std::as_writable_bytes(std::span(d)));
    return report;
  }

  [[nodiscard]] float expected(int row, int column) const {
    float sum = 0;
    for (int i = 0; i < k; ++i) {
      sum += emu::to_f32<emu::f16_format>(a[row * k + i]) * emu::to_f32<emu::f16_format>(b[column * k + i]);
    }
    return sum;
  }
};

// -- The result -------------------------------------------------------------------------------------------------------

struct Shape {
  int m, n, k;
};
class GemmShapes : public testing::TestWithParam<Shape> {};

TEST_P(GemmShapes, EveryElementIsRight) {
  const auto [m, n, k] = GetParam();
  Gemm gemm(m, n, k);
  const emu::LaunchReport report = gemm.run(module());
  ASSERT_FALSE(report.failure.has_value()) << report.failure->message;
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      ASSERT_EQ(gemm.d[row * n + column], gemm.expected(row, column)) << "at (" << row << "," << column << ")";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GemmShapes,
                         testing::Values(Shape{64, 64, 64}, Shape{64, 64, 192}, Shape{128, 64, 128}, Shape{64, 192, 64},
                                         Shape{192, 128, 320}));

// -- Races ------------------------------------------------------------------------------------------------------------

TEST(GemmRaces, NothingIsLeftUnordered) {
  const emu::LaunchReport report = Gemm(128, 128, 192).run(module(), {.check = true});
  EXPECT_FALSE(report.failure.has_value()) << report.failure->message;
  for (const emu::Finding& finding : report.findings) ADD_FAILURE() << to_string(finding);
  for (const emu::UninitialisedRead& read : report.uninitialised_reads) ADD_FAILURE() << to_string(read);
}

// The test above can fail: without the second barrier of the loop a warp copies the next tile over the one that others
// still read.
TEST(GemmRaces, ARemovedBarrierIsReported) {
  std::string text = ptx_text();
  text.insert(text.rfind("bar.sync"), "// ");
  const emu::Module broken = emu::Module::from_ptx(text, "broken.ptx");

  const emu::LaunchReport report = Gemm(64, 64, 192).run(broken, {.check = true});
  ASSERT_FALSE(report.findings.empty());
  for (const emu::Finding& finding : report.findings) {
    const bool copy_came_first = finding.hazard == emu::Hazard::read_after_write;
    const emu::RacingAccess& copy = copy_came_first ? finding.first : finding.second;
    const emu::RacingAccess& read = copy_came_first ? finding.second : finding.first;
    EXPECT_EQ(copy.verb, emu::AccessVerb::copy) << to_string(finding);
    EXPECT_EQ(read.at.opcode, "ldmatrix.sync.aligned.x4.m8n8.shared.b16");
    EXPECT_EQ(read.at.file, "gemm.cu");
  }
}

// -- What it costs ----------------------------------------------------------------------------------------------------

TEST(GemmCost, SharedMemoryHasNoBankConflicts) {
  const emu::LaunchReport report = Gemm(64, 64, 128).run(module(), {.count = true});
  for (const emu::LineCount& line : emu::by_line(*report.counters)) {
    EXPECT_EQ(line.shared.wavefronts_high, line.shared.ideal) << line.file << ":" << line.line;
  }
}

TEST(GemmCost, OperandsAreReadOnceInWholeSectors) {
  const emu::LaunchReport report = Gemm(64, 64, 128).run(module(), {.count = true});
  for (const emu::ClassCount& accesses : emu::by_class(*report.counters)) {
    if (accesses.access != emu::AccessClass::cp_async) continue;
    EXPECT_EQ(accesses.global.bytes, 2 * 2 * 64 * 128);  // of A and B, 2 bytes each
    EXPECT_EQ(accesses.global.sectors, accesses.global.ideal_sectors);
  }
}

// -- The way of one element -------------------------------------------------------------------------------------------

TEST(GemmRoute, AnElementOfAFeedsItsRowOfD) {
  constexpr int row = 3;
  constexpr int column = 9;
  Gemm gemm(64, 64, 64);
  const emu::BufferElement element{"A", static_cast<std::uint64_t>(2 * (row * gemm.k + column))};
  const emu::LaunchReport report = gemm.run(module(), {.follow = emu::FollowOptions{.element = element}});

  // One cp.async, then ldmatrix and mma.sync in both warps that need it; never through another register.
  std::multiset<emu::MoveKind> kinds;
  std::set<std::uint32_t> warps;
  for (const emu::FollowedMove& move : report.provenance->moves) {
    kinds.insert(move.kind);
    if (move.kind == emu::MoveKind::load_matrix) warps.insert(move.warp);
  }
  EXPECT_EQ(kinds.count(emu::MoveKind::copy), 1U);
  EXPECT_EQ(kinds.count(emu::MoveKind::load), 0U);
  EXPECT_EQ(kinds.count(emu::MoveKind::move), 0U);
  EXPECT_EQ(warps.size(), 2U);

  std::set<std::uint64_t> results;
  for (const emu::FollowedResult& result : report.provenance->results) results.insert(result.at.byte / sizeof(float));
  std::set<std::uint64_t> its_row;
  for (std::uint64_t n = 0; n < 64; ++n) its_row.insert(row * 64 + n);
  EXPECT_EQ(results, its_row);
}

}  // namespace
