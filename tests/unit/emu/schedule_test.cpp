// SPDX-License-Identifier: Apache-2.0
// When copies arrive, and who runs when.
#include <algorithm>
#include <set>

#include "emu/machine/schedule.hpp"
#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {
namespace {

// k(in, out): 32 threads each copy 4 bytes of `in` to shared memory, and store to `out` what they see there: before
// the wait, and after it. Then they copy over the bytes that thread 0 alone still reads.
std::vector<std::uint32_t> seen(const Delivery& delivery) {
  const Module module = Module::from_ptx(std::string(header) + R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .shared .align 16 .b8 s[128];
  .reg .b32 %t, %s, %r<9>; .reg .b64 %in, %out, %d;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x; mov.u32 %s, s; mad.lo.u32 %s, %t, 4, %s;
  mul.wide.u32 %d, %t, 4; add.u64 %in, %in, %d; mul.wide.u32 %d, %t, 12; add.u64 %out, %out, %d;
  mov.u32 %r1, 5; st.shared.u32 [%s], %r1;
  cp.async.ca.shared.global [%s], [%in], 4;
  cp.async.commit_group;
  cp.async.commit_group;
  ld.shared.u32 %r2, [%s]; st.global.u32 [%out], %r2;
  cp.async.wait_all;
  ld.shared.u32 %r2, [%s]; st.global.u32 [%out+4], %r2;
  ret;
}
)",
                                         "k.ptx");
  std::vector<std::uint32_t> in(32), out(96);
  for (std::uint32_t i = 0; i < 32; ++i) in[i] = 100 + i;
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap_read_only(std::as_bytes(std::span(in)), "in"));
  arguments.set(1, memory.wrap(std::as_writable_bytes(std::span(out)), "out"));
  LaunchOptions options;
  options.block = {32};
  options.delivery = delivery;
  launch(module, "k", options, arguments.bytes(), memory);
  return out;
}

int early_arrivals(const Delivery& delivery) {
  const std::vector<std::uint32_t> out = seen(delivery);
  int early = 0;
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_TRUE(out[3 * t] == 100 + t || out[3 * t] == 0xFFFF'FFFF);
    EXPECT_EQ(out[3 * t + 1], 100 + t);
    early += out[3 * t] == 100 + t ? 1 : 0;
  }
  return early;
}

TEST(Delivery, LateEarlyOrInBetween) {
  EXPECT_EQ(early_arrivals({Delivery::When::late, 0}), 0);
  EXPECT_EQ(early_arrivals({Delivery::When::early, 0}), 32);
  std::set<std::vector<std::uint32_t>> outcomes;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Delivery delivery{Delivery::When::seeded, seed};
    const int early = early_arrivals(delivery);
    EXPECT_GT(early, 0);
    EXPECT_LT(early, 32);
    EXPECT_EQ(seen(delivery), seen(delivery)) << "a seed means one delivery";
    outcomes.insert(seen(delivery));
  }
  EXPECT_EQ(outcomes.size(), 8U);
}

TEST(Schedule, CtasStartOnceEach) {
  for (std::uint64_t ctas = 1; ctas < 60; ++ctas) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const CtaOrder order(seed, ctas);
      std::set<std::uint64_t> seen_ctas;
      for (std::uint64_t i = 0; i < ctas; ++i) seen_ctas.insert(order[i]);
      EXPECT_EQ(seen_ctas.size(), ctas);
      EXPECT_LT(*seen_ctas.rbegin(), ctas);
    }
  }
  const CtaOrder plain({}, 5);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(plain[i], i);
  const CtaOrder largest(3, std::uint64_t{0x7FFFFFFF} * 65535 * 65535);
  EXPECT_NE(largest[0], largest[1]);
}

// Four warps store their number in one word: the last one to run wins.
std::uint32_t last_warp(std::optional<std::uint64_t> schedule) {
  const Module module = Module::from_ptx(std::string(header) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %t; .reg .b64 %out;
  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; shr.u32 %t, %t, 5; st.global.u32 [%out], %t;
  bar.sync 0;
  ret;
}
)",
                                         "k.ptx");
  std::uint32_t out = 0;
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap(std::as_writable_bytes(std::span(&out, 1)), "out"));
  LaunchOptions options;
  options.block = {128};
  options.schedule = schedule;
  launch(module, "k", options, arguments.bytes(), memory);
  return out;
}

TEST(Schedule, WarpsRunInTheOrderOfTheSeed) {
  EXPECT_EQ(last_warp({}), 3U);
  std::set<std::uint32_t> winners;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    EXPECT_EQ(last_warp(seed), last_warp(seed));
    winners.insert(last_warp(seed));
  }
  EXPECT_EQ(winners.size(), 4U);
}

}  // namespace
}  // namespace tileloom::emu::test
