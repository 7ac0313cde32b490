// SPDX-License-Identifier: Apache-2.0
// Publicly reported questions about swizzles and bank conflicts, answered by layouts and the cost rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "tileloom/error.hpp"
#include "tileloom/hw/instructions.hpp"
#include "tileloom/hw/memory_cost.hpp"
#include "tileloom/layout/expression.hpp"

namespace tileloom {
namespace {

using layout::AnyLayout;

constexpr int chunk = 8;  // halves in a row of an ldmatrix matrix: 16 bytes

// A layout of halves from its text; `Sw<B,M,S>` or nothing, then the layout.
AnyLayout swizzled(const std::string& swizzle, const std::string& text) {
  return layout::parse_any_layout(swizzle.empty() ? text : swizzle + " o _0 o " + text);
}

std::uint32_t byte_at(const AnyLayout& l, std::int64_t row, std::int64_t column, std::int64_t rows) {
  return static_cast<std::uint32_t>(2 * std::visit([&](const auto& map) { return map(row + rows * column); }, l));
}

// Worst way of the 8x8 matrices that an ldmatrix takes out of 8 rows of `width` halves.
int worst_way(const std::string& swizzle, int width) {
  const AnyLayout rows = swizzled(swizzle, "(_8,_" + std::to_string(width) + "):(_" + std::to_string(width) + ",_1)");
  int worst = 0;
  for (int column = 0; column < width; column += chunk) {
    std::array<std::uint32_t, 32> lanes{};
    for (int row = 0; row < 8; ++row) {
      lanes[static_cast<std::size_t>(row)] = byte_at(rows, row, column, 8);
    }
    const hw::Wavefronts cost = hw::shared_wavefronts({hw::SharedOp::ldmatrix, 1, lanes});
    EXPECT_TRUE(cost.exact);
    worst = std::max(worst, cost.high);
  }
  return worst;
}

// reed-lau/cute-gemm#5: which swizzle for which row. B = 2 and 3 are the same for rows of 32, not for rows of 64.
TEST(ReedLau_cute_gemm_5, SwizzleForARowLength) {
  struct Case {
    int width;
    const char* swizzle;
    int way;
  };
  for (const Case& c : {Case{16, "", 2},
                        {16, "Sw<1,3,3>", 1},
                        {32, "", 4},
                        {32, "Sw<1,3,3>", 2},
                        Case{32, "Sw<2,3,3>", 1},
                        {32, "Sw<3,3,3>", 1},
                        {32, "Sw<2,3,2>", 2},
                        {32, "Sw<3,4,3>", 2},
                        Case{64, "", 8},
                        {64, "Sw<2,3,3>", 2},
                        {64, "Sw<3,3,3>", 1},

                        Case{64, "Sw<3,4,3>", 2},
                        {128, "", 8},
                        {128, "Sw<3,3,3>", 2},
                        {128, "Sw<3,3,4>", 1}}) {
    EXPECT_EQ(worst_way(c.swizzle, c.width), c.way) << c.swizzle << " rows of " << c.width;
  }
}

// The report's table also has Swizzle<3,3,2>; CuTe refuses to compile it, and so does the text.
TEST(ReedLau_cute_gemm_5, AShiftBelowTheBitsIsNoSwizzle) {
  EXPECT_THROW((void)swizzled("Sw<3,3,2>", "(_8,_64):(_64,_1)"), Error);
}

// NVIDIA/cutlass#3172: M-major atom (128,8), x4.trans. Free is 4 wavefronts an instruction, whatever a conflict counter
// says.
TEST(Cutlass_3172, MMajorAtomThroughTransposingLoads) {
  const auto wavefronts = [](const std::string& swizzle) {
    const AnyLayout atom = swizzled(swizzle, "(_128,_8):(_1,_128)");
    int worst = 0;
    for (int m = 0; m + 32 <= 128; m += 32) {
      std::array<std::uint32_t, 32> lanes{};
      for (int lane = 0; lane < 32; ++lane) {  // four 8x8 matrices along M, their rows along K
        lanes[static_cast<std::size_t>(lane)] = byte_at(atom, m + lane / 8 * chunk, lane % 8, 128);
      }
      worst = std::max(worst, hw::shared_wavefronts({hw::SharedOp::ldmatrix, 4, lanes}).high);
    }
    return worst;
  };
  EXPECT_EQ(wavefronts("Sw<3,3,4>"), 4);
  EXPECT_EQ(wavefronts("Sw<3,3,3>"), 8);
  EXPECT_EQ(wavefronts("Sw<3,3,5>"), 8);
  EXPECT_EQ(wavefronts(""), 32);
}

// NVIDIA/cutlass#1766 and its kind: a swizzle that moves less than 16 bytes tears the rows that ldmatrix reads apart.
TEST(Cutlass_1766, ASwizzleMustKeep16BytesTogether) {
  const auto whole_chunks = [](const std::string& swizzle) {
    const AnyLayout atom = swizzled(swizzle, "(_8,_32):(_32,_1)");
    for (int row = 0; row < 8; ++row) {
      for (int column = 0; column < 32; ++column) {
        const int in_chunk = column % chunk;
        if (byte_at(atom, row, column, 8) != byte_at(atom, row, column - in_chunk, 8) + 2U * in_chunk) {
          return false;
        }
      }
    }
    return true;
  };
  EXPECT_FALSE(whole_chunks("Sw<3,2,3>")) << "2^2 halves are 8 bytes";
  EXPECT_TRUE(whole_chunks("Sw<3,3,3>"));
}

// NVIDIA/cutlass#1927: the same swizzle at twice the row length is still a bijection; what changes is its size.
TEST(Cutlass_1927, ASwizzleIsABijectionAtEveryRowLength) {
  for (const int width : {32, 64, 128}) {
    const AnyLayout atom =
        swizzled("Sw<3,3,3>", "(_8,_" + std::to_string(width) + "):(_" + std::to_string(width) + ",_1)");
    std::set<std::uint32_t> bytes;
    for (int i = 0; i < 8 * width; ++i) {
      bytes.insert(byte_at(atom, i % 8, i / 8, 8));
    }
    EXPECT_EQ(bytes.size(), static_cast<std::size_t>(8 * width));
    EXPECT_EQ(*bytes.rbegin(), 2U * (8 * width - 1));
  }
}

// NVIDIA/cutlass#3197: the same tile right in f16 and wrong in bf16. Who holds what, and so every address, depends on
// the width of an element alone.
TEST(Cutlass_3197, BfloatHasTheAddressesOfHalf) {
  const hw::MmaAtom& half = hw::mma_atom("SM80_16x8x16_F32F16F16F32_TN");
  const hw::MmaAtom& bfloat = hw::mma_atom("SM80_16x8x16_F32BF16BF16F32_TN");
  EXPECT_EQ(half.a.tv, bfloat.a.tv);
  EXPECT_EQ(half.b.tv, bfloat.b.tv);
  EXPECT_EQ(half.c.tv, bfloat.c.tv);
}

}  // namespace
}  // namespace tileloom
