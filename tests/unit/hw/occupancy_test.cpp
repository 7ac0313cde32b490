// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/occupancy.hpp"

#include <gtest/gtest.h>

#include "tileloom/hw/throughput.hpp"

namespace tileloom::hw {
namespace {

// cudaOccupancyMaxActiveBlocksPerMultiprocessor on an H200 said so.
TEST(Occupancy, AsCudaSays) {
  const Limits h200 = limits(sm_90);
  EXPECT_EQ(occupancy({128, 254, 98304}, h200).ctas(), 2U);
  EXPECT_EQ(occupancy({256, 255, 196608}, h200).ctas(), 1U);
  EXPECT_EQ(occupancy({128, 72, 32768}, h200).ctas(), 6U);
  EXPECT_EQ(occupancy({128, 164, 65536}, h200).ctas(), 3U);
  EXPECT_EQ(occupancy({128, 80, 49152}, h200).ctas(), 4U);
}

TEST(Occupancy, EachResourceLimitsAlone) {
  const Limits h200 = limits(sm_90);
  const Occupancy o = occupancy({1024, 32, 0}, h200);
  EXPECT_EQ(o.by_threads, 2U);
  EXPECT_EQ(o.by_registers, 2U);
  EXPECT_EQ(o.by_shared, h200.shared_bytes_per_sm / h200.reserved_shared_bytes_per_cta);
  EXPECT_EQ(o.by_ctas, 32U);
}

TEST(Throughput, IsOfTheNewestThatIsNotNewer) {
  EXPECT_EQ(throughput(sm_89).multiprocessors, 108);
  EXPECT_EQ(throughput(Arch{120}).multiprocessors, 132);
  EXPECT_EQ(throughput(Arch{75}).multiprocessors, 108);
}

}  // namespace
}  // namespace tileloom::hw
