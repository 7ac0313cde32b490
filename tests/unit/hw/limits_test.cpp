// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/limits.hpp"

#include <gtest/gtest.h>

#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

constexpr int known[] = {70, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121};

TEST(Limits, fit_together_on_every_arch) {
  for (const int sm : known) {
    SCOPED_TRACE(sm);
    const Limits l = limits(Arch{sm});
    EXPECT_EQ(l.threads_per_sm, 32 * l.warps_per_sm);
    EXPECT_GE(l.threads_per_sm, l.threads_per_cta);
    EXPECT_EQ(l.shared_bytes_per_cta + l.reserved_shared_bytes_per_cta, l.shared_bytes_per_sm)
        << "one CTA can have all that the system leaves";
    EXPECT_LE(l.static_shared_bytes_per_cta, l.shared_bytes_per_cta);
    EXPECT_LE(l.registers_per_cta, l.registers_per_sm);
    EXPECT_EQ(l.registers_per_sm % l.register_allocation_unit, 0U);
    EXPECT_EQ(l.shared_bytes_per_sm % l.shared_allocation_unit, 0U);
    EXPECT_LE(l.ctas_per_sm, l.warps_per_sm);
    EXPECT_FALSE(l.source.empty());
  }
}

TEST(Limits, shared_memory_of_a_cta_in_bytes) {
  EXPECT_EQ(limits(sm_80).shared_bytes_per_cta, 166912U);
  EXPECT_EQ(limits(sm_89).shared_bytes_per_cta, 101376U);
  EXPECT_EQ(limits(sm_90).shared_bytes_per_cta, 232448U);
  EXPECT_EQ(limits(Arch{121}).shared_bytes_per_cta, 101376U);
}

TEST(Limits, an_arch_without_sourced_limits_is_refused) {
  for (const int sm : {0, 72, 91}) {
    try {
      (void)limits(Arch{sm});
      ADD_FAILURE() << sm;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::cannot_run);
      EXPECT_EQ(std::string(e.what()), "sm_" + std::to_string(sm) + ": its limits are not known");
    }
  }
}

}  // namespace
}  // namespace tileloom::hw
