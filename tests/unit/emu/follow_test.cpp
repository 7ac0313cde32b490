// SPDX-License-Identifier: Apache-2.0
// Where a followed element goes through single instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness.hpp"

namespace tileloom::emu::test {
namespace {

// Thread t loads %h1 (16 bits) at 2t and %r1 (32 bits) at 4t of `in`; what the body puts into %r0 is stored at 4t of
// `out`. Names all elements of `in`.
Provenance follow(const std::string& body, FollowOptions options) {
  const std::string text = std::string(header) + R"(.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .f32 %f<9>;
  .shared .align 128 .b8 box[1024];
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
  mov.u32 %r9, %tid.x; mul.wide.u32 %d3, %r9, 2; add.u64 %d4, %d1, %d3; mul.wide.u32 %d3, %r9, 4;
  add.u64 %d5, %d1, %d3; add.u64 %d2, %d2, %d3; mov.u32 %r30, box; shl.b32 %r31, %r9, 2; add.u32 %r31, %r31, %r30;
  ld.global.u16 %h1, [%d4]; ld.global.u32 %r1, [%d5]; mov.u32 %r0, 0;
  )" + body + R"(
  st.global.u32 [%d2], %r0;
  ret;
}
)";
  const Module module = Module::from_ptx(text, "follow.ptx");
  Memory memory;
  Arguments arguments(module.kernel("k"));
  const std::vector<std::uint16_t> values(64, 0x3C00);
  const DevicePtr in = memory.allocate(128, "in");
  memory.write(in, std::as_bytes(std::span(values)));
  arguments.set(0, in).set(1, memory.allocate(128, "out"));
  LaunchOptions launch_options;
  launch_options.block = {32};
  launch_options.follow = std::move(options);
  return *launch(module, "k", launch_options, arguments.bytes(), memory).provenance;
}

constexpr int nothing = -1;

// For each half of `out`: the half of `in` that it is.
std::vector<int> origins(const std::string& body) {
  const Provenance seen = follow(body, {.buffers = {"in"}});
  std::vector<int> from(64, nothing);
  for (const FollowedResult& r : seen.results) {
    if (r.at.buffer == "out") from[r.at.byte / 2] = static_cast<int>(seen.element(r.name).byte / 2);
  }
  return from;
}

template <class F>
std::vector<int> each(F of) {
  std::vector<int> all;
  for (int half = 0; half < 64; ++half) all.push_back(of(half / 2, half % 2));
  return all;
}

TEST(Follow, ExactCopiesKeepTheName) {
  const auto same = each([](int lane, int h) { return 2 * lane + h; });
  const auto swapped = each([](int lane, int h) { return 2 * lane + 1 - h; });
  const auto low = each([](int lane, int h) { return h == 0 ? lane : nothing; });
  const std::string round_trip = "st.shared.u32 [%r31], %r1; bar.sync 0; ";
  EXPECT_EQ(origins("mov.b32 %r0, %r1;"), same);
  EXPECT_EQ(origins("cvt.u32.u16 %r0, %h1;"), low);
  EXPECT_EQ(origins("mov.b32 {%h2, %h3}, %r1; mov.b32 %r0, {%h3, %h2};"), swapped);
  EXPECT_EQ(origins("prmt.b32 %r0, %r1, 0, 0x1032;"), swapped);
  EXPECT_EQ(origins("shl.b32 %r2, %r1, 16; mov.b32 {%h2, %h3}, %r2; mov.b32 {%h4, %h5}, %r1; mov.b32 %r0, {%h5, %h3};"),
            swapped);
  EXPECT_EQ(origins(round_trip + "ld.shared.u32 %r0, [%r31];"), same);
  EXPECT_EQ(origins("cp.async.ca.shared.global [%r31], [%d5], 4; cp.async.wait_all; ld.shared.u32 %r0, [%r31];"), same);
  EXPECT_EQ(origins("cvt.f32.f16 %f1, %h1; cvt.rn.f16.f32 %h2, %f1; cvt.u32.u16 %r0, %h2;"), low);
  EXPECT_EQ(origins("shfl.sync.bfly.b32 %r0, %r1, 5, 31, -1;"),
            each([](int lane, int h) { return 2 * (lane ^ 5) + h; }));
  EXPECT_EQ(origins("setp.lt.u32 %p1, %r9, 10; selp.b32 %r0, %r1, 7, %p1;"),
            each([](int lane, int h) { return lane < 10 ? 2 * lane + h : nothing; }));
  EXPECT_EQ(origins("setp.lt.u32 %p1, %r9, 10; mov.b32 %r0, %r1; @%p1 mov.b32 %r0, 3;"),
            each([](int lane, int h) { return lane < 10 ? nothing : 2 * lane + h; }));
}

TEST(Follow, TheMatrixInstructionsMoveWhatTheirRowsSay) {
  const std::string load =
      "st.shared.u32 [%r31], %r1; bar.sync 0; and.b32 %r4, %r9, 7; shl.b32 %r4, %r4, 4; "
      "add.u32 %r4, %r4, %r30; ldmatrix.sync.aligned.m8n8.x1";
  EXPECT_EQ(origins(load + ".shared.b16 {%r0}, [%r4];"), each([](int lane, int h) { return 2 * lane + h; }));
  EXPECT_EQ(origins(load + ".trans.shared.b16 {%r0}, [%r4];"),
            each([](int lane, int h) { return 8 * (2 * (lane % 4) + h) + lane / 4; }));
}

TEST(Follow, WhatIsComputedHasNoNameButIsDerived) {
  const auto none = each([](int, int) { return nothing; });
  for (const char* body : {"add.u32 %r0, %r1, 1;", "and.b32 %r0, %r1, 0x7FFF7FFF;", "fma.rn.f16x2 %r0, %r1, %r1, %r1;",
                           "prmt.b32 %r0, %r1, 0, 0x2103;", "popc.b32 %r0, %r1;"}) {
    EXPECT_EQ(origins(body), none) << body;
  }
  const FollowOptions one{.buffers = {"in"}, .element = BufferElement{"in", 22}};  // lane 5, high half
  const Provenance seen = follow("mul.rn.f16x2 %r2, %r1, %r1; add.rn.f16x2 %r0, %r2, %r2;", one);
  ASSERT_EQ(seen.results.size(), 1U);
  EXPECT_EQ(seen.results[0].at, (MemoryPlace{"out", 22}));
  EXPECT_EQ(seen.results[0].name, 0U);
  EXPECT_TRUE(follow("popc.b32 %r0, %r1;", one).results.empty());
}

TEST(Follow, AnElementIsFollowedThroughEachMove) {
  const Provenance seen =
      follow("st.shared.u32 [%r31], %r1; ld.shared.u32 %r0, [%r31];", {.element = BufferElement{"in", 22}});
  std::vector<std::string> ways;
  for (const FollowedMove& m : seen.moves) {
    ways.push_back(std::string(to_string(m.kind)) + " lane " + std::to_string(m.lane) + " " + m.reg + "[" +
                   std::to_string(m.high) + ":" + std::to_string(m.low) + "]" +
                   (m.from ? " from " + m.from->buffer + std::to_string(m.from->byte) : "") +
                   (m.to ? " to " + m.to->buffer + std::to_string(m.to->byte) : ""));
  }
  EXPECT_EQ(ways, (std::vector<std::string>{"load lane 11 d[15:0] from in22", "load lane 5 d[31:16] from in22",
                                            "store lane 5 d[31:16] to 22", "load lane 5 d[31:16] from 22",
                                            "store lane 5 d[31:16] to out22"}));
}

TEST(Follow, FaultsOfTheRequestAreNamed) {
  EXPECT_EQ(message_of([] { static_cast<void>(follow("", {.buffers = {"inn"}})); }),
            "follow: expected one of the buffers in, out, found 'inn'");
  EXPECT_EQ(message_of([] {
              static_cast<void>(follow("", {.element = BufferElement{"in", 128}}));
            }),
            "follow: expected an even byte offset below 128 in in, found 128");
}

}  // namespace
}  // namespace tileloom::emu::test
