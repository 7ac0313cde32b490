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
  for (const std::string text : {"",         "sm_", "sm_91",   "sm_90 ",  " sm_90",           "sm_90aa",
                                 "hoper",    "RTX", "rtx40",   "rtx9090", "rtx4090x",         "Tesla",
                                 "h100h100", "090", "sm_-90",  "9.0",     "sm_9000000000000", "compute_",
                                 "a",        "+90", "sm_sm_90"}) {
    try {
      (void)parse_arch(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(std::string(error.what()),
                "architecture: expected one of sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, "
                "sm_120, sm_121; found '" +
                    text + "'");
      EXPECT_EQ(error.hint(), "write it as nvcc does, for example sm_90, or name a chip, for example H100");
    }
  }
}

TEST(Arch, ChipsAndGenerationsInAnyCase) {
  const std::pair<const char*, int> cases[] = {
      {"V100", 70},   {"volta", 70},       {"T4", 75},       {"RTX 2080 Ti", 75},      {"A100", 80},
      {"Ampere", 80}, {"nvidia a100", 80}, {"A10G", 86},     {"GeForce RTX 3090", 86}, {"Orin", 87},
      {"L40", 89},    {"l40s", 89},        {"RTX 4090", 89}, {"rtx-4080-super", 89},   {"Ada", 89},
      {"H100", 90},   {"H200", 90},        {"hopper", 90},   {"NVIDIA H200", 90},      {"SM_90", 90},
      {"B200", 100},  {"Blackwell", 100},  {"B300", 103},    {"RTX 5090", 120},        {"DGX Spark", 121}};
  for (const auto& [text, sm] : cases) EXPECT_EQ(parse_arch(text), Arch{sm}) << text;
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
