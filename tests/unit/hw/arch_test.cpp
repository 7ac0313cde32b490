// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/arch.hpp"

#include <gtest/gtest.h>

#include "tileloom/error.hpp"
#include "tileloom/hw/mma_numerics.hpp"

namespace tileloom::hw {
namespace {

constexpr int known[] = {70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121};

TEST(Arch, EverySpellingOfEveryKnownArchParses) {
  for (const int sm : known) {
    const std::string digits = std::to_string(sm);
    for (const std::string& text : {"sm_" + digits, "sm" + digits, digits, "compute_" + digits, "sm_" + digits + "a",
                                    "sm_" + digits + "f", digits + "a"}) {
      EXPECT_EQ(parse_arch(text), Arch{sm}) << text;
    }
    EXPECT_EQ(to_string(Arch{sm}), "sm_" + digits);
    EXPECT_EQ(parse_arch(to_string(Arch{sm})), Arch{sm});
  }
}

TEST(Arch, AnythingElseIsNamedInTheError) {
  for (const std::string text : {"", "sm_", "sm_91", "sm_90 ", " sm_90", "sm_90aa", "SM_90", "hopper", "090", "sm_-90",
                                 "9.0", "sm_9000000000000", "compute_", "a", "+90", "sm_sm_90"}) {
    try {
      (void)parse_arch(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(std::string(error.what()),
                "architecture: expected one of sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, "
                "sm_120, sm_121; found '" +
                    text + "'");
      EXPECT_EQ(error.hint(), "write it as nvcc does, for example sm_90");
    }
  }
}

TEST(Arch, OrderIsThatOfTheNumbers) {
  EXPECT_LT(sm_80, sm_86);
  EXPECT_LT(parse_arch("sm_90"), parse_arch("sm_100"));
}

TEST(MmaNumericsK16, EveryArchFromSm80OnTakesSixteenProducts) {
  for (const int sm : known) {
    if (sm >= 80) {
      const MmaNumerics numerics = mma_numerics_k16(Arch{sm});
      EXPECT_EQ(numerics.steps * numerics.terms, 16) << sm;
      EXPECT_FALSE(numerics.source.empty()) << sm;
    }
  }
}

TEST(MmaNumericsK16, OnlyWhatWasMeasuredSaysSo) {
  for (const int sm : known) {
    if (sm >= 80) {
      EXPECT_EQ(mma_numerics_k16(Arch{sm}).measured, sm == 90) << sm;
    }
  }
}

TEST(MmaNumericsK16, OlderArchsHaveNoSuchInstruction) {
  for (const int sm : {70, 72, 75}) {
    try {
      (void)mma_numerics_k16(Arch{sm});
      ADD_FAILURE() << sm;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cannot_run);
      EXPECT_EQ(std::string(error.what()),
                "tensor-core instruction of K = 16: expected sm_80 or later, found sm_" + std::to_string(sm));
      EXPECT_EQ(error.hint(), "choose an architecture from sm_80 on");
    }
  }
}

}  // namespace
}  // namespace tileloom::hw
