// SPDX-License-Identifier: Apache-2.0
#include "bench/ceilings.hpp"

#include <array>

#include "unit/bench/session_fixture.hpp"

namespace tileloom::bench {
namespace {

class CeilingsTest : public SessionTest {
 protected:
  void SetUp() override { fake("FAKE_CUDA_MIB", "16"); }

  static std::vector<Ceiling> ceilings() {
    static constexpr std::array<std::byte, 4> code{};
    Session session(false);
    return measure_ceilings(session, {code, code, code});
  }
  static std::vector<std::string> names(const std::vector<Ceiling>& ceilings) {
    std::vector<std::string> all;
    for (const Ceiling& c : ceilings) {
      all.push_back(c.name + " " + c.unit);
    }
    return all;
  }
};

// Every kernel takes 50 us there, on two multiprocessors.
TEST_F(CeilingsTest, RatesAreWorkOverTime) {
  const std::vector<Ceiling> all = ceilings();
  EXPECT_EQ(names(all), (std::vector<std::string>{"mma.sync f16 TFLOPS", "mma.sync f32 TFLOPS", "wgmma f16 TFLOPS",
                                                  "wgmma f32 TFLOPS", "read TB/s", "copy TB/s", "empty kernel us"}));
  // 8 repeats in 50 us make 160 in 1 ms; 64 x 64 tiles, K 4096, 8 warps and 2 CTAs
  const double mma = 160 * 2.0 * 64 * 64 * 4096 * 8 * 2 / 50e-6 * 1e-12;
  EXPECT_NEAR(all[0].burst, mma, 1e-3 * mma);
  EXPECT_NEAR(all[1].sustained, mma, 1e-3 * mma);
  // 64 x 256 tiles, K 4096, 2 groups of warps and 2 CTAs
  const double wgmma = 160 * 2.0 * 64 * 256 * 4096 * 2 * 2 / 50e-6 * 1e-12;
  EXPECT_NEAR(all[2].sustained, wgmma, 1e-3 * wgmma);
  EXPECT_NEAR(all[4].burst, 4 * (1 << 20) / 50e-6 * 1e-12, 1e-6) << "a quarter of the memory";
  EXPECT_NEAR(all[5].burst, 2 * all[4].burst, 1e-6) << "read and written";
  EXPECT_NEAR(all[6].sustained, 50, 1e-3);
  EXPECT_EQ(all[0].sm_mhz, 1500);
  EXPECT_EQ(all[6].watts, 650.5);
}

TEST_F(CeilingsTest, WgmmaIsOfOneArchitecture) {
  for (const char* sm : {"80", "89", "100"}) {
    fake("FAKE_CUDA_SM", sm);
    EXPECT_EQ(names(ceilings()), (std::vector<std::string>{"mma.sync f16 TFLOPS", "mma.sync f32 TFLOPS", "read TB/s",
                                                           "copy TB/s", "empty kernel us"}));
  }
}

TEST_F(CeilingsTest, WorkThatIsNotDoneIsNotTimed) {
  fake("FAKE_CEILING_WRONG", "multiply");
  test::Caught error = test::error_of([] { (void)ceilings(); });
  EXPECT_EQ(error.exit_code, 1);
  EXPECT_EQ(error.message,
            "ceilings: mma.sync f16: expected 16 times the sums from 16 times the work, found a relative difference of "
            "0.875");
  fake("FAKE_CEILING_WRONG", "zero");
  EXPECT_NE(test::error_of([] { (void)ceilings(); }).message.find("difference of"), std::string::npos);
  fake("FAKE_CEILING_WRONG", "one_cta");
  EXPECT_NE(test::error_of([] { (void)ceilings(); }).message.find("the same sums from every CTA"), std::string::npos);
  fake("FAKE_CEILING_WRONG", "copy");
  error = test::error_of([] { (void)ceilings(); });
  EXPECT_NE(error.message.find("ceilings: copy: expected 0x"), std::string::npos) << error.message;
}

TEST_F(CeilingsTest, BuffersMustExceedTheL2) {
  fake("FAKE_CUDA_L2", "1000000");
  const test::Caught error = test::error_of([] { (void)ceilings(); });
  EXPECT_EQ(error.exit_code, 3);
  EXPECT_EQ(error.message,
            "ceilings: buffers larger than the L2: expected 30.5 MiB of free GPU memory, found 16.0 of 16.0 MiB");
}

TEST_F(CeilingsTest, NeedABuildWithCuda) {
  const test::Caught error = test::error_of([] {
    Session session(false);
    (void)measure_ceilings(session, {});
  });
  EXPECT_EQ(error.exit_code, 3);
  EXPECT_EQ(error.message, "ceilings: expected a build with CUDA, found one without");
}

}  // namespace
}  // namespace tileloom::bench
