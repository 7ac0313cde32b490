// SPDX-License-Identifier: Apache-2.0
// Races and uninitialised reads in global memory, within a CTA and between CTAs, and stores whose lanes disagree.
#include <algorithm>

#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {
namespace {

// A kernel k(p, q). %t: the thread, %c: the CTA; %q0: thread 0, %c0 and %c1: the CTA; %p, %q: the pointers; %p4: the
// thread's word of p, %pc4: the CTA's; %g: 64 bytes of a variable that begin as zeros; %s: shared memory.
std::string kernel_of(const std::string& body) {
  return std::string(header) + R"(.global .align 16 .b8 g[4096];
.visible .entry k(.param .u64 p, .param .u64 q)
{
  .shared .align 16 .b8 s[4096];
  .reg .pred %q0, %c0, %c1, %w0, %w1, %x; .reg .b32 %r<20>, %t, %c, %w, %s, %s16; .reg .b64 %d<9>, %p, %q, %p4, %pc4, %g;
  ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mov.u64 %g, g; mov.u32 %s, s;
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; shr.u32 %w, %t, 5;
  setp.eq.u32 %q0, %t, 0; setp.eq.u32 %c0, %c, 0; setp.eq.u32 %c1, %c, 1; setp.eq.u32 %w0, %w, 0; setp.eq.u32 %w1, %w, 1;
  mul.wide.u32 %d1, %t, 4; add.u64 %p4, %p, %d1; mul.wide.u32 %d1, %c, 4; add.u64 %pc4, %p, %d1;
  mad.lo.u32 %s16, %t, 16, %s; mov.u32 %r1, 7;
)" + body +
         "\n  ret;\n}\n";
}

struct Case {
  std::string body;
  std::uint32_t ctas = 2, threads = 64;
  unsigned host_threads = 1;
};

// Buffers of 4096 bytes: p has been written by the host, q has not.
LaunchReport report_of(const Case& c) {
  const Module module = Module::from_ptx(kernel_of(c.body), "k.ptx");
  Memory memory;
  std::vector<std::byte> zeros(4096);
  const DevicePtr p = memory.allocate(zeros.size(), "p");
  memory.write(p, zeros);
  Arguments arguments(module.kernel("k"));
  arguments.set(0, p).set(1, memory.allocate(zeros.size(), "q"));
  LaunchOptions options;
  options.grid = {c.ctas};
  options.block = {c.threads};
  options.check = true;
  options.host_threads = c.host_threads;
  return launch(module, "k", options, arguments.bytes(), memory);
}

using Texts = std::vector<std::string>;
const Texts none;

std::string name_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::cta_barrier:
      return "barrier";
    case Remedy::warp_barrier:
      return "warp barrier";
    case Remedy::other_launch:
      return "other launch";
    case Remedy::wider_scope:
      return "wider scope";
    case Remedy::one_lane:
      return "one lane";
    default:
      return "wait";
  }
}

// `HAZARD in BUFFER: FIRST, SECOND: REMEDY`.
Texts races(const Case& c) {
  Texts found;
  for (const Finding& f : report_of(c).findings) {
    found.push_back(std::string(to_string(f.hazard)) + " in " + f.buffer + ": " + f.first.at.opcode + ", " +
                    f.second.at.opcode + ": " + name_of(f.remedy));
  }
  return found;
}
Texts races(const std::string& body) {
  return races(Case{body});
}

TEST(GlobalRaces, BetweenCtas) {
  EXPECT_EQ(races("@%q0 st.global.u32 [%p], %r1;"),
            Texts{"write after write in p: st.global.u32, st.global.u32: other launch"});
  EXPECT_EQ(races("@%q0 st.global.u32 [%pc4], %r1;"), none);
  EXPECT_EQ(races("@%q0 st.global.u32 [%g], %r1;"),
            Texts{"write after write in g: st.global.u32, st.global.u32: other launch"});
  EXPECT_EQ(races("@%c0 st.global.u32 [%p4], %r1;\n@%c1 ld.global.u32 %r2, [%p4];"),
            Texts{"read after write in p: st.global.u32, ld.global.u32: other launch"});
  EXPECT_EQ(races("@%c1 st.u32 [%p4], %r1;\n@%c0 ld.u32 %r2, [%p4];"),
            Texts{"write after read in p: ld.u32, st.u32: other launch"});
  EXPECT_EQ(races("ld.global.u32 %r2, [%p4];"), none);
}

// Neighbouring bytes of one granule are of nobody else's concern.
TEST(GlobalRaces, BytesThatDoNotOverlap) {
  EXPECT_EQ(races("cvt.u64.u32 %d2, %c; add.u64 %d2, %p, %d2;\n@%q0 st.global.u8 [%d2], %r1;"), none);
  EXPECT_EQ(races("cvt.u64.u32 %d2, %c; add.u64 %d2, %d2, %d2; add.u64 %d2, %p, %d2;\n@%q0 st.global.u16 [%d2], %r1;\n"
                  "@%q0 ld.global.u8 %r2, [%d2+1];"),
            none);
}

TEST(GlobalRaces, WithinACta) {
  const std::string store = "@%c1 ret;\n@%w0 st.global.u32 [%p4], %r1;\n";
  const std::string load = "@%w1 ld.global.u32 %r2, [%p4+-128];\n";
  EXPECT_EQ(races(store + load), Texts{"read after write in p: st.global.u32, ld.global.u32: barrier"});
  EXPECT_EQ(races(store + "bar.sync 0;\n" + load), none);
  EXPECT_EQ(races(store + "membar.gl;\n" + load).size(), 1U) << "a fence alone orders nothing";
}

// The last CTA to arrive sums what all have stored: PTX's message passing, part by part.
std::string last_cta(const std::string& before, const std::string& add, const std::string& after) {
  return "@!%q0 bra DONE;\nst.global.u32 [%pc4+64], %r1;\n" + before + add + " %r2, [%p], 1;\n" + after +
         "setp.ne.u32 %x, %r2, 1;\n@%x bra DONE;\nld.global.v2.u32 {%r3, %r4}, [%p+64];\nDONE:";
}

TEST(GlobalRaces, MessagePassingNeedsBothFences) {
  const std::string add = "atom.global.add.u32";
  EXPECT_EQ(races(last_cta("membar.gl;\n", add, "membar.gl;\n")), none);
  EXPECT_EQ(races(last_cta("fence.acq_rel.gpu;\n", add, "fence.sc.sys;\n")), none);
  const Texts race{"read after write in p: st.global.u32, ld.global.v2.u32: other launch"};
  EXPECT_EQ(races(last_cta("", add, "membar.gl;\n")), race);
  EXPECT_EQ(races(last_cta("membar.gl;\n", add, "")), race);
  EXPECT_EQ(races(last_cta("membar.cta;\n", add, "membar.gl;\n")), race);
  EXPECT_EQ(races(last_cta("membar.gl;\n", add, "fence.acq_rel.cta;\n")), race);
}

TEST(GlobalRaces, MessagePassingByReleaseAndAcquire) {
  EXPECT_EQ(races(last_cta("", "atom.acq_rel.gpu.global.add.u32", "")), none);
  EXPECT_EQ(races(last_cta("", "atom.release.gpu.global.add.u32", "membar.gl;\n")), none);
  EXPECT_EQ(races(last_cta("membar.gl;\n", "atom.acquire.gpu.global.add.u32", "")), none);
  EXPECT_EQ(races(last_cta("", "atom.release.gpu.global.add.u32", "")).size(), 1U);
  EXPECT_EQ(races(last_cta("", "atom.relaxed.gpu.global.add.u32", "")).size(), 1U);
  EXPECT_EQ(
      races(last_cta("", "atom.acq_rel.cta.global.add.u32", "")),
      (Texts{"read after write in p: st.global.u32, ld.global.v2.u32: other launch",
             "read after write in p: atom.acq_rel.cta.global.add.u32, atom.acq_rel.cta.global.add.u32: wider scope"}));
}

// What thread 0 hears reaches the others of its CTA through a barrier, and what they did reaches it through one.
TEST(GlobalRaces, MessagePassingOfWholeCtas) {
  const auto body = [](const std::string& gather, const std::string& spread) {
    return "mad.lo.u32 %r5, %c, 256, 256; cvt.u64.u32 %d2, %r5; add.u64 %d2, %d2, %p4; st.global.u32 [%d2], %r1;\n" +
           gather + "@%q0 membar.gl;\n@%q0 atom.global.add.u32 %r2, [%p], 1;\n@%q0 membar.gl;\n" + spread +
           "@%c0 ret;\nld.global.u32 %r3, [%p4+256];\nld.global.u32 %r4, [%p4+512];";
  };
  const std::string barrier = "bar.sync 0;\n";
  EXPECT_EQ(races(body(barrier, barrier)), none);
  EXPECT_EQ(races(body("", barrier)).size(), 1U);
  EXPECT_EQ(races(body(barrier, "")).size(), 1U);
}

TEST(GlobalRaces, AtomicsExcludeEachOther) {
  EXPECT_EQ(races("atom.global.add.u32 %r2, [%p], 1;\nred.global.add.u32 [%p+4], 1;"), none);
  EXPECT_EQ(races("@%c0 red.global.add.u32 [%p], 1;\n@%c1 ld.global.u32 %r2, [%p];").size(), 1U);
  EXPECT_EQ(races("@%c0 red.global.add.u32 [%p], 1;\n@%c1 ld.relaxed.gpu.global.u32 %r2, [%p];"), none);
  EXPECT_EQ(races("@%c0 st.volatile.global.u32 [%p], %r1;\n@%c1 ld.volatile.global.u32 %r2, [%p];"), none);
}

// The source of a copy is read at any time up to its wait.
TEST(GlobalRaces, CopiesReadTheirSource) {
  const std::string copy =
      "@%c1 ret;\nmul.wide.u32 %d2, %t, 16; add.u64 %d2, %p, %d2;\n"
      "cp.async.cg.shared.global [%s16], [%d2], 16;\n";
  const std::string store = "st.global.u32 [%d2], %r1;\n";
  EXPECT_EQ(races(copy + store + "cp.async.wait_all;"),
            Texts{"write after read in p: cp.async.cg.shared.global, st.global.u32: wait"});
  EXPECT_EQ(races(copy + "cp.async.wait_all;\n" + store), none);
  EXPECT_EQ(races(Case{"@%c0 st.global.u32 [%p], %r1;\n@%c0 ret;\ncp.async.ca.shared.global [%s], [%p], 4;", 2, 1}),
            Texts{"read after write in p: st.global.u32, cp.async.ca.shared.global: other launch"});
}

TEST(GlobalRaces, TheSameOnAnyNumberOfHostThreads) {
  const std::string body =
      "st.global.u32 [%p4], %c;\n@%q0 st.global.u32 [%pc4+1024], %r1;\nld.global.u32 %r3, [%p4+512];\n"
      "@%q0 ld.global.u32 %r2, [%pc4+1028];\nld.global.u32 %r2, [%q];";
  const auto texts = [&](unsigned host_threads) {
    const LaunchReport report = report_of({body, 40, 96, host_threads});
    Texts found;
    for (const Finding& f : report.findings) found.push_back(to_string(f));
    for (const UninitialisedRead& r : report.uninitialised_reads) found.push_back(to_string(r));
    return found;
  };
  const Texts alone = texts(1);
  EXPECT_EQ(alone.size(), 3U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(texts(4), alone);
}

TEST(GlobalRaces, Text) {
  const LaunchReport report = report_of({"@%q0 st.global.u32 [%p+8], %r1;", 3});
  ASSERT_EQ(report.findings.size(), 1U);
  const std::string line = std::to_string(report.findings[0].first.at.ptx_line);
  EXPECT_EQ(
      to_string(report.findings[0]),
      "race: write after write, bytes 8..11 of p, 3 times\n"
      "  write   st.global.u32  k.ptx:" +
          line +
          "  CTA (0,0,0) warp 0 lane 0\n"
          "  write   st.global.u32  k.ptx:" +
          line +
          "  CTA (1,0,0) warp 0 lane 0\n"
          "  nothing orders two CTAs of one launch but a release at gpu scope in the first and an acquire of it in "
          "the second; or let the second be another launch");
}

// -- One store
TEST(LanesOfOneStore, MustAgree) {
  EXPECT_EQ(races("@%c1 ret;\n@%w0 st.shared.u32 [%s], %t;"),
            Texts{"write after write in : st.shared.u32, st.shared.u32: one lane"});
  EXPECT_EQ(races("@%c1 ret;\n@%w0 st.shared.u32 [%s], %r1;"), none);
  EXPECT_EQ(races("@%c1 ret;\n@%w0 st.global.v2.u32 [%p], {%r1, %t};"),
            Texts{"write after write in p: st.global.v2.u32, st.global.v2.u32: one lane"});
  EXPECT_EQ(races("@%c1 ret;\n@%w0 st.shared.v4.u32 [%s16], {%t, %t, %t, %t};"), none);
  EXPECT_EQ(races("@%c1 ret;\n@%w0 st.shared.u8 [%s], %t;").size(), 1U);
}

TEST(LanesOfOneStore, NamesTheLanesAndTheByte) {
  const LaunchReport report =
      report_of({"setp.eq.u32 %x, %t, 3; selp.u32 %r2, 1, 0, %x; mov.u32 %r3, 64; mad.lo.u32 %r3, %t, 4, %r3;\n"
                 "setp.eq.u32 %x, %t, 9; @%x mov.u32 %r3, 76; add.u32 %r3, %r3, %s; @%w0 st.shared.u32 [%r3], %r2;",
                 1});
  ASSERT_EQ(report.findings.size(), 1U);
  const Finding& f = report.findings[0];
  EXPECT_EQ(f.first.lane, 3U);
  EXPECT_EQ(f.second.lane, 9U);
  EXPECT_EQ(f.first_byte, 76U);
  EXPECT_EQ(f.last_byte, 76U);
  EXPECT_EQ(explain_remedy(f),
            "lanes 3 and 9 store different values at once and one of them is lost: only one lane may store");
}

// -- Uninitialised reads
Texts uninitialised(const std::string& body, std::uint32_t ctas = 1) {
  Texts found;
  for (const UninitialisedRead& r : report_of({body, ctas}).uninitialised_reads) {
    found.push_back(r.reader.at.opcode + " of " + r.buffer + " at " + std::to_string(r.first_byte) + ".." +
                    std::to_string(r.last_byte) + ", " + std::to_string(r.occurrences) + " times");
  }
  return found;
}

TEST(UninitialisedGlobalReads, OfWhatNobodyWrote) {
  EXPECT_EQ(uninitialised("ld.global.u32 %r2, [%q+8];"), Texts{"ld.global.u32 of q at 8..11, 64 times"});
  EXPECT_EQ(uninitialised("ld.global.u32 %r2, [%p+8]; ld.global.u32 %r2, [%g];"), none);
  EXPECT_EQ(uninitialised("@%q0 st.global.u16 [%q], 1; @%q0 ld.global.u32 %r2, [%q];"),
            Texts{"ld.global.u32 of q at 2..3, 1 times"});
  EXPECT_EQ(uninitialised("@%q0 cp.async.ca.shared.global [%s], [%q], 8;"),
            Texts{"cp.async.ca.shared.global of q at 0..7, 1 times"});
  EXPECT_EQ(uninitialised("@%q0 red.global.add.u32 [%q], 1;"), Texts{"red.global.add.u32 of q at 0..3, 1 times"});
}

TEST(UninitialisedGlobalReads, WrittenAfterwards) {
  EXPECT_EQ(uninitialised("@%q0 ld.global.u32 %r2, [%q]; @%q0 st.global.u32 [%q], 1;"),
            Texts{"ld.global.u32 of q at 0..3, 1 times"});
  EXPECT_EQ(uninitialised("@%q0 st.global.u32 [%q], 1; @%q0 ld.global.u32 %r2, [%q];"), none);
}

// Another CTA's write is a race, or it is ordered: either way the bytes are somebody's.
TEST(UninitialisedGlobalReads, WrittenByAnotherCta) {
  EXPECT_EQ(uninitialised("@%c1 st.global.u32 [%q], 1; @%c0 ld.global.u32 %r2, [%q];", 2), none);
  const std::string ordered =
      "@!%q0 bra DONE;\nmul.wide.u32 %d1, %c, 4; add.u64 %d2, %q, %d1; st.global.u32 [%d2], %r1;\nmembar.gl;\n"
      "atom.global.add.u32 %r2, [%g], 1;\nmembar.gl;\nsetp.ne.u32 %x, %r2, 1;\n@%x bra DONE;\n"
      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%q];\nDONE:";
  EXPECT_EQ(uninitialised(ordered, 2), Texts{"ld.global.v4.u32 of q at 8..15, 1 times"})
      << "the two CTAs have written a word each";
}

TEST(UninitialisedGlobalReads, MemoryLivesOnBetweenLaunches) {
  const Module module =
      Module::from_ptx(kernel_of("@%c0 st.global.u32 [%q], 1;\n@%c1 ld.global.u32 %r2, [%q+4];"), "k.ptx");
  for (const bool checked : {true, false}) {
    Memory memory;
    Arguments arguments(module.kernel("k"));
    arguments.set(0, memory.allocate(64, "p")).set(1, memory.allocate(64, "q"));
    LaunchOptions options;
    options.block = {1};
    options.check = checked;
    launch(module, "k", options, arguments.bytes(), memory);  // CTA 0 alone
    options.grid = {2};
    options.check = true;
    const LaunchReport report = launch(module, "k", options, arguments.bytes(), memory);
    EXPECT_EQ(report.uninitialised_reads.size(), checked ? 1U : 0U) << "a plain launch may have written anything";
  }
}

TEST(UninitialisedGlobalReads, OutputsOfTheCaller) {
  std::vector<std::byte> bytes(64);
  const Module module = Module::from_ptx(kernel_of("@%q0 ld.global.u32 %r2, [%q];"), "k.ptx");
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap(bytes, "in")).set(1, memory.wrap_output(bytes, "out"));
  LaunchOptions options;
  options.check = true;
  EXPECT_EQ(launch(module, "k", options, arguments.bytes(), memory).uninitialised_reads.size(), 1U);
  arguments.set(1, memory.wrap(bytes, "in again"));
  EXPECT_EQ(launch(module, "k", options, arguments.bytes(), memory).uninitialised_reads.size(), 0U);
}

// -- What ends a launch
TEST(TryLaunch, KeepsWhatWasFoundBefore) {
  const Module module = Module::from_ptx(
      kernel_of("st.global.u32 [%p], %t;\nld.shared.u32 %r2, [%s];\n@%q0 ld.global.u32 %r3, [%p+4096];"), "k.ptx");
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.allocate(4096, "p")).set(1, memory.allocate(64, "q"));
  LaunchOptions options;
  options.block = {64};
  options.check = true;
  const LaunchReport report = try_launch(module, "k", options, arguments.bytes(), memory);
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->kind, "out of bounds");
  EXPECT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.uninitialised_reads.size(), 1U);
  EXPECT_EQ(message_of([&] { launch(module, "k", options, arguments.bytes(), memory); }), report.failure->message);
}

}  // namespace
}  // namespace tileloom::emu::test
