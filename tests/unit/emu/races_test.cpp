// SPDX-License-Identifier: Apache-2.0
// Races in shared memory: each hazard with what orders it and what does not.
#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {
namespace {

// A kernel `k` of 64 threads unless stated otherwise. %t: the thread, %w: its warp, %l: its lane; %p1: warp 1, %p0:
// warp 0, %q0: thread 0; %s4: shared address of the thread's own word, %s16: of its own 16 bytes; %g: global address of
// 16 bytes of its own.
std::string kernel_of(const std::string& body) {
  return std::string(header) + R"(.global .align 16 .b8 g[32768];
.visible .entry k()
{
  .shared .align 16 .b8 s[32768];
  .reg .pred %p<3>, %q<3>; .reg .b32 %r<20>, %t, %w, %l, %s4, %s16, %s; .reg .b64 %d<9>, %g;
  mov.u32 %t, %tid.x; shr.u32 %w, %t, 5; and.b32 %l, %t, 31;
  setp.eq.u32 %p0, %w, 0; setp.eq.u32 %p1, %w, 1; setp.eq.u32 %q0, %t, 0; setp.eq.u32 %q1, %t, 1;
  mov.u32 %s, s; mad.lo.u32 %s4, %t, 4, %s; mad.lo.u32 %s16, %t, 16, %s;
  mov.u64 %g, g; mul.wide.u32 %d1, %t, 16; add.u64 %g, %g, %d1;
  mov.u32 %r1, 7;
)" + body +
         "\n  ret;\n}\n";
}

std::vector<Finding> findings_in(const std::string& ptx, std::uint32_t threads, std::uint32_t ctas = 1) {
  const Module module = Module::from_ptx(ptx, "k.ptx");
  Memory memory;
  LaunchOptions options;
  options.grid = {ctas};
  options.block = {threads};
  options.check = true;
  return launch(module, "k", options, {}, memory).findings;
}

// `HAZARD: FIRST, SECOND: REMEDY` of each finding.
std::vector<std::string> races(const std::string& body, std::uint32_t threads = 64) {
  const auto name = [](Remedy remedy) -> std::string {
    switch (remedy) {
      case Remedy::cta_barrier:
        return "barrier";
      case Remedy::warp_barrier:
        return "warp barrier";
      case Remedy::wait:
        return "wait";
      case Remedy::wait_and_barrier:
        return "wait and barrier";
      default:
        return "barrier after wait";
    }
  };
  std::vector<std::string> found;
  for (const Finding& f : findings_in(kernel_of(body), threads)) {
    found.push_back(std::string(to_string(f.hazard)) + ": " + std::string(to_string(f.first.verb)) + " " +
                    f.first.at.opcode + ", " + std::string(to_string(f.second.verb)) + " " + f.second.at.opcode + ": " +
                    name(f.remedy));
  }
  return found;
}

using Found = std::vector<std::string>;
const Found none;

// Warp 0's first, then warp 1's at warp 0's words: which is also the order in which they run.
const std::string store = "@%p0 st.shared.u32 [%s4], %r1;\n";
const std::string load = "@%p0 ld.shared.u32 %r2, [%s4];\n";
const std::string load_other = "@%p1 ld.shared.u32 %r2, [%s4+-128];\n";
const std::string store_other = "@%p1 st.shared.u32 [%s4+-128], %r1;\n";
const std::string barrier = "bar.sync 0;\n";
const std::string copy = "cp.async.cg.shared.global [%s16], [%g], 16;\n";
const std::string commit = "cp.async.commit_group;\n";
const std::string wait_all = "cp.async.wait_all;\n";
const std::string load_own_16 = "ld.shared.u32 %r2, [%s16];\n";
const std::string load_near_16 = "xor.b32 %r3, %s16, 16; ld.shared.u32 %r2, [%r3];\n";  // of the same warp
// Warp 1 at what warp 0 copies to; warp 0 at what warp 1 copies to.
const std::string load_far_16 = "@%p1 ld.shared.u32 %r2, [%s16+-512];\n";
const std::string store_far_16 = "@%p1 st.shared.u32 [%s16+-508], %r1;\n";
const std::string load_ahead_16 = "@%p0 ld.shared.u32 %r2, [%s16+512];\n";
const std::string store_ahead_16 = "@%p0 st.shared.u32 [%s16+516], %r1;\n";

TEST(Races, BetweenWarps) {
  EXPECT_EQ(races(store + load_other), Found{"read after write: write st.shared.u32, read ld.shared.u32: barrier"});
  EXPECT_EQ(races(store + barrier + load_other), none);
  EXPECT_EQ(races(load + store_other), Found{"write after read: read ld.shared.u32, write st.shared.u32: barrier"});
  EXPECT_EQ(races(load + barrier + store_other), none);
  EXPECT_EQ(races(store + store_other), Found{"write after write: write st.shared.u32, write st.shared.u32: barrier"});
  EXPECT_EQ(races(store + barrier + store_other), none);
  EXPECT_EQ(races(load + load_other), none);
  EXPECT_EQ(races(store + load), none);
}

// Warp 0 runs first: the other warp's access is the second, whichever it is in the program.
TEST(Races, EitherOrderOfRunning) {
  EXPECT_EQ(races("@%p1 st.shared.u32 [%s+4], %r1;\n@%p0 ld.shared.u32 %r2, [%s+4];"),
            Found{"write after read: read ld.shared.u32, write st.shared.u32: barrier"});
}

TEST(Races, BytesThatDoNotOverlap) {
  EXPECT_EQ(races("@%p0 st.shared.u8 [%s+1], %r1;\n@%p1 ld.shared.u8 %r2, [%s+2];\n@%p1 ld.shared.u8 %r2, [%s];"),
            none);
  EXPECT_EQ(races("@%p0 st.shared.u8 [%s+1], %r1;\n@%p1 ld.shared.u16 %r2, [%s];"),
            Found{"read after write: write st.shared.u8, read ld.shared.u16: barrier"});
  EXPECT_EQ(races("@%p0 st.shared.u16 [%s+2], %r1;\n@%p1 ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [%s];").size(), 1U);
}

TEST(Races, BetweenLanesOfAWarp) {
  const std::string load_neighbour = "xor.b32 %r3, %s4, 4; ld.shared.u32 %r2, [%r3];\n";
  const Found race{"read after write: write st.shared.u32, read ld.shared.u32: warp barrier"};
  EXPECT_EQ(races(store + load_neighbour), race);
  EXPECT_EQ(races(store + "bar.warp.sync -1;\n" + load_neighbour), none);
  EXPECT_EQ(races(store + barrier + load_neighbour), none);
  // Warp-wide instructions converge and order no memory.
  EXPECT_EQ(races(store + "shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;\n" + load_neighbour), race);
  EXPECT_EQ(races(store + "vote.sync.any.pred %p2, %p1, -1;\n" + load_neighbour), race);
}

// Half a warp is ordered, the other half is not.
TEST(Races, WarpBarrierOfSomeLanes) {
  const std::string half_syncs = "setp.lt.u32 %q2, %l, 16;\n@%q2 bar.warp.sync 0xFFFF;\n";
  EXPECT_EQ(races(store + half_syncs + "xor.b32 %r3, %s4, 4;\n@%q2 ld.shared.u32 %r2, [%r3];"), none);
  EXPECT_EQ(races(store + half_syncs + "xor.b32 %r3, %s4, 4;\n@!%q2 ld.shared.u32 %r2, [%r3];").size(), 1U);
  EXPECT_EQ(races(store + half_syncs + "xor.b32 %r3, %s4, 64;\n@%q2 ld.shared.u32 %r2, [%r3];").size(), 1U);
}

// A warp barrier tells the others of a warp what one of them learnt, and nothing to another warp.
TEST(Races, OrderIsTransitive) {
  const std::string store_0 = "@%q0 st.shared.u32 [%s], %r1;\n";
  EXPECT_EQ(races(store_0 + "bar.sync 1;\nbar.warp.sync -1;\n@%p1 ld.shared.u32 %r2, [%s];"), none);
  EXPECT_EQ(races(store_0 + "bar.warp.sync -1;\n@%p1 ld.shared.u32 %r2, [%s];").size(), 1U);
}

TEST(Races, NamedBarriersOrderTheirOwnThreadsOnly) {
  const std::string pair = "setp.lt.u32 %q2, %w, 2;\n@%p0 st.shared.u32 [%s], %r1;\n@%q2 bar.sync 3, 64;\n";
  EXPECT_EQ(races(pair + "@%p1 ld.shared.u32 %r2, [%s];", 96), Found{});
  EXPECT_EQ(races(pair + "@!%q2 ld.shared.u32 %r2, [%s];", 96).size(), 1U);
}

// Who only arrives tells, and is told nothing.
TEST(Races, ArriveIsOneWay) {
  const std::string producer = "@%p0 st.shared.u32 [%s4], %r1;\n@%p0 bar.arrive 2, 64;\n";
  EXPECT_EQ(races(producer + "@%p1 bar.sync 2, 64;\n@%p1 ld.shared.u32 %r2, [%s4+-128];"), none);
  EXPECT_EQ(races("@%p1 ld.shared.u32 %r2, [%s4+-128];\n@%p1 bar.sync 2, 64;\n@%p0 bar.arrive 2, 64;\n" + barrier +
                  "@%p0 st.shared.u32 [%s4], %r1;"),
            none);
  EXPECT_EQ(races("@%p1 ld.shared.u32 %r2, [%s4+-128];\n@%p1 bar.sync 2, 64;\n@%p0 bar.arrive 2, 64;\n"
                  "@%p0 st.shared.u32 [%s4], %r1;")
                .size(),
            1U);
  // Warp 1, the last at the first barrier, reads before warp 0 arrives.
  EXPECT_EQ(races(barrier + "@%p1 ld.shared.u32 %r2, [%s4+-128];\n@%p1 bar.sync 2, 64;\n@%p0 bar.arrive 2, 64;\n"
                            "@%p0 st.shared.u32 [%s4], %r1;"),
            Found{"write after read: read ld.shared.u32, write st.shared.u32: barrier"});
  // What is stored after arriving is not told.
  EXPECT_EQ(races("@%p0 bar.arrive 2, 64;\n@%p0 st.shared.u32 [%s4], %r1;\n@%p1 bar.sync 2, 64;\n"
                  "@%p1 ld.shared.u32 %r2, [%s4+-128];")
                .size(),
            1U);
}

TEST(Races, CopyReadByItsOwnThread) {
  EXPECT_EQ(races(copy + commit + load_own_16),
            Found{"read after write: copy cp.async.cg.shared.global, read ld.shared.u32: wait"});
  EXPECT_EQ(races(copy + commit + barrier + load_own_16).size(), 1U);
  EXPECT_EQ(races(copy + wait_all + load_own_16), none);
  EXPECT_EQ(races(copy + commit + "cp.async.wait_group 0;\n" + load_own_16), none);
  EXPECT_EQ(races(copy + commit + "cp.async.wait_group 1;\n" + load_own_16).size(), 1U);
  EXPECT_EQ(races(copy + commit + commit + "cp.async.wait_group 1;\n" + load_own_16), none);
  EXPECT_EQ(races(copy + "cp.async.wait_group 0;\n" + load_own_16).size(), 1U);  // not committed
  // Of two groups the first is complete.
  const std::string two = "cp.async.ca.shared.global [%s16+4096], [%g], 16;\n" + commit + copy + commit;
  EXPECT_EQ(races(two + "cp.async.wait_group 1;\nld.shared.u32 %r2, [%s16+4096];\n"), none);
  EXPECT_EQ(races(two + "cp.async.wait_group 1;\n" + load_own_16).size(), 1U);
}

TEST(Races, CopyReadByAnotherThread) {
  const std::string found = "read after write: copy cp.async.cg.shared.global, read ld.shared.u32: ";
  EXPECT_EQ(races(copy + wait_all + barrier + load_far_16), none);
  EXPECT_EQ(races(copy + wait_all + "bar.warp.sync -1;\n" + load_near_16), none);
  EXPECT_EQ(races(copy + barrier + load_far_16), Found{found + "wait and barrier"});
  EXPECT_EQ(races(copy + wait_all + load_far_16), Found{found + "barrier after wait"});
  EXPECT_EQ(races(copy + barrier + wait_all + load_ahead_16), Found{found + "barrier after wait"});
  EXPECT_EQ(races(copy + wait_all + load_near_16), Found{found + "barrier after wait"});
}

TEST(Races, CopyOverAnAccess) {
  EXPECT_EQ(races(load_ahead_16 + copy + wait_all),
            Found{"write after read: read ld.shared.u32, copy cp.async.cg.shared.global: barrier"});
  EXPECT_EQ(races(load_ahead_16 + barrier + copy + wait_all), none);
  EXPECT_EQ(races(load_own_16 + copy + wait_all), none);
  EXPECT_EQ(races(store_ahead_16 + copy + wait_all),
            Found{"write after write: write st.shared.u32, copy cp.async.cg.shared.global: barrier"});
  EXPECT_EQ(races(store_ahead_16 + barrier + copy + wait_all), none);
}

TEST(Races, AccessOverACopy) {
  EXPECT_EQ(races(copy + "st.shared.u32 [%s16], %r1;\n" + wait_all),
            Found{"write after write: copy cp.async.cg.shared.global, write st.shared.u32: wait"});
  EXPECT_EQ(races(copy + wait_all + "st.shared.u32 [%s16], %r1;"), none);
  EXPECT_EQ(races(copy + wait_all + barrier + store_far_16), none);
  EXPECT_EQ(races(copy + barrier + store_far_16 + wait_all).size(), 1U);
}

// Two copies to the same bytes may land in either order, in one group or in two.
TEST(Races, CopyOverACopy) {
  const std::string again = "cp.async.ca.shared.global [%s16], [%g], 16;\n";
  const Found race{"write after write: copy cp.async.cg.shared.global, copy cp.async.ca.shared.global: wait"};
  EXPECT_EQ(races(copy + again + wait_all), race);
  EXPECT_EQ(races(copy + commit + again + wait_all), race);
  EXPECT_EQ(races(copy + wait_all + again + wait_all), none);
  EXPECT_EQ(races(copy + "cp.async.ca.shared.global [%s16+2048], [%g], 16;\n" + wait_all), none);
}

// Zero-filled bytes are written like the others.
TEST(Races, CopyThatFillsWithZeros) {
  const std::string fill = "mov.u32 %r7, 0; cp.async.cg.shared.global [%s16], [%g], 16, %r7;\n";
  EXPECT_EQ(races(fill + load_own_16).size(), 1U);
  EXPECT_EQ(races(fill + wait_all + load_own_16), none);
}

TEST(Races, LoopThatReusesAStage) {
  const auto loop = [](const std::string& last) {
    return "mov.u32 %r9, 0;\nLOOP:\n" + copy + wait_all + barrier + load_far_16 + last +
           "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 2;\n@%p2 bra LOOP;";
  };
  EXPECT_EQ(races(loop(barrier)), none);
  EXPECT_EQ(races(loop("")), Found{"write after read: read ld.shared.u32, copy cp.async.cg.shared.global: barrier"});
}

// A row of ldmatrix is read by the lane that gives its address; x1 takes eight of them.
TEST(Races, MatrixLoadsAndStores) {
  const std::string one = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%s16];\n";
  EXPECT_EQ(races("@%p1 st.shared.u32 [%s16+-512], %r1;\n" + barrier + one), none);
  const std::string far = "xor.b32 %r3, %s16, 512;\n";
  EXPECT_EQ(races(one + far + "@%p1 st.shared.u32 [%r3], %r1;"),
            Found{"write after read: read ldmatrix.sync.aligned.m8n8.x1.shared.b16, write st.shared.u32: barrier"});
  EXPECT_EQ(races(one + far + "setp.ge.u32 %q2, %l, 8;\n@%q2 st.shared.u32 [%r3], %r1;"), none);
  EXPECT_EQ(races(one + barrier + far + "st.shared.u32 [%r3], %r1;"), none);
}

TEST(Races, Atomics) {
  const std::string add = "atom.shared.add.u32 %r2, [%s], %r1;\n";
  EXPECT_EQ(races(add), none);
  EXPECT_EQ(races(add + barrier + "ld.shared.u32 %r3, [%s];"), none);
  EXPECT_EQ(races("@%p0 " + add + "@%p1 ld.shared.u32 %r3, [%s];").size(), 1U);
  EXPECT_EQ(races("@%q0 st.shared.u32 [%s], %r1;\n@!%q0 " + add),
            Found{"read after write: write st.shared.u32, update atom.shared.add.u32: warp barrier"});
}

// Data handed over by a flag: the accesses of the flag order them, with a fence on either side, or as a release and an
// acquire.
TEST(Races, StrongAccessesOrderWhatTheirThreadsDid) {
  const auto handed = [](const std::string& set, const std::string& wait, const std::string& then) {
    return "@%p1 st.shared.u32 [%s], 0;\n" + barrier + "@%p0 st.shared.u32 [%s4+256], %r1;\nbar.warp.sync -1;\n" + set +
           "@%p0 ret;\nWAIT:\n" + wait + " %r2, [%s];\nsetp.ne.u32 %p2, %r2, 7;\n@%p2 bra WAIT;\n" + then +
           "ld.shared.u32 %r3, [%s4+128];";
  };
  const std::string fence = "fence.acq_rel.cta;\n";
  const std::string set = "@%q0 atom.shared.exch.b32 %r2, [%s], %r1;\n";
  const std::string wait = "ld.volatile.shared.u32";
  EXPECT_EQ(races(handed(fence + set, wait, fence)), none);
  EXPECT_EQ(races(handed("membar.cta;\n@%q0 st.volatile.shared.u32 [%s], %r1;\n", wait, "membar.gl;\n")), none);
  EXPECT_EQ(races(handed("@%q0 st.release.cta.shared.u32 [%s], %r1;\n", "ld.acquire.cta.shared.u32", "")), none);
  EXPECT_EQ(races(handed("@%q0 st.release.cta.shared.u32 [%s], %r1;\n", wait, fence)), none);
  const Found race{"read after write: write st.shared.u32, read ld.shared.u32: barrier"};
  EXPECT_EQ(races(handed(set, wait, fence)), race);
  EXPECT_EQ(races(handed(fence + set, wait, "")), race);
  EXPECT_EQ(races(handed(fence + set, wait, "fence.proxy.async;\n")), race);
  EXPECT_EQ(races("@%p0 st.shared.u32 [%s4+256], %r1;\n@%p1 ld.shared.u32 %r3, [%s4+128];").size(), 1U);
}

TEST(Races, GenericAddressesOfSharedMemory) {
  EXPECT_EQ(
      races(store +
            "@!%p1 ret;\nxor.b32 %r3, %s4, 128; cvt.u64.u32 %d2, %r3; cvta.shared.u64 %d2, %d2; ld.u32 %r2, [%d2];"),
      Found{"read after write: write st.shared.u32, read ld.u32: barrier"});
  EXPECT_EQ(races("ld.u32 %r2, [%g];\nst.u32 [%g], %r1;"), none);
}

TEST(Races, EachPairOfInstructionsOnce) {
  const std::vector<Finding> found = findings_in(kernel_of(store + load_other), 64, 5);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].occurrences, 5 * 32U);
}

TEST(Races, EveryCtaHasItsOwnSharedMemory) {
  EXPECT_EQ(findings_in(kernel_of("mov.u32 %r5, %ctaid.x; st.shared.u32 [%s4], %r5;"), 64, 8).size(), 0U);
}

TEST(Races, ByteRangeAndThreads) {
  const std::vector<Finding> found =
      findings_in(kernel_of("@%q0 st.shared.v2.u32 [%s+24], {%r1, %r1};\nsetp.eq.u32 %q2, %t, 37;\n"
                            "@%q2 ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [%s+16];"),
                  64);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first_byte, 24U);
  EXPECT_EQ(found[0].last_byte, 31U);
  EXPECT_EQ(found[0].first.warp, 0U);
  EXPECT_EQ(found[0].first.lane, 0U);
  EXPECT_EQ(found[0].second.warp, 1U);
  EXPECT_EQ(found[0].second.lane, 5U);
}

// The place is the innermost frame outside the libraries' headers.
TEST(Races, Text) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "/src/k.cu"
.file 2 "/opt/cutlass/include/cute/arch/copy.hpp"
.visible .entry k()
{
  .shared .align 16 .b8 s[256]; .reg .b32 %r<9>; .reg .pred %p;
  mov.u32 %r1, %tid.x; mov.u32 %r2, s; shr.u32 %r1, %r1, 5; setp.eq.u32 %p, %r1, 0;
  .loc 1 12 5
  @%p st.shared.u32 [%r2+8], %r1;
  .loc 2 99 3, function_name $info, inlined_at 1 14 7
  @!%p ld.shared.u16 %r3, [%r2+10];
  ret;
}
)";
  const std::vector<Finding> found = findings_in(ptx, 64);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_string(found[0]), R"(race: read after write, shared bytes 10..11 of CTA (0,0,0), 32 times
  write   st.shared.u32  k.cu:12 (k.ptx:11)  warp 0 lane 0
  read    ld.shared.u16  k.cu:14 (k.ptx:13)  warp 1 lane 0
  nothing orders them: a bar.sync between them would)");
}

// An unrolled loop is one instruction of the source; the example is one between two warps.
TEST(Races, UnrolledInstructionsAreOneFinding) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "/src/k.cu"
.visible .entry k()
{
  .shared .align 16 .b8 s[512]; .reg .b32 %r<9>; .reg .pred %p;
  mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r4, %r1, 4, %r2; xor.b32 %r5, %r4, 4; xor.b32 %r6, %r4, 128;
  .loc 1 12 5
  st.shared.u32 [%r4], %r1;
  .loc 1 14 5
  ld.shared.u32 %r3, [%r5];
  ld.shared.u32 %r3, [%r6];
  ret;
}
)";
  const std::vector<Finding> found = findings_in(ptx, 64);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(to_string(found[0]),
            R"(race: read after write, shared bytes 0..3 of CTA (0,0,0), 96 times, 2 pairs of PTX instructions
  write   st.shared.u32  k.cu:12 (k.ptx:10)  warp 0 lane 0
  read    ld.shared.u32  k.cu:14 (k.ptx:13)  warp 1 lane 0
  nothing orders them: a bar.sync between them would)");
  EXPECT_EQ(found[1].hazard, Hazard::write_after_read);
}

TEST(Races, WhatWouldOrderThem) {
  Finding f;
  f.first = {AccessVerb::copy, {}, 2, 3};
  f.second = {AccessVerb::read, {}, 1, 0};
  f.remedy = Remedy::wait_and_barrier;
  EXPECT_EQ(explain_remedy(f),
            "nothing orders them: warp 2 lane 3 has not waited for its copy; a cp.async.wait_group that completes the "
            "copy's group and then a bar.sync would");
  f.remedy = Remedy::barrier_after_wait;
  EXPECT_EQ(explain_remedy(f),
            "nothing orders them: warp 2 lane 3 has waited for its copy, warp 1 lane 0 has not heard "
            "of it; a bar.sync after the wait would");
  f.second.warp = 2;
  EXPECT_EQ(explain_remedy(f),
            "nothing orders them: warp 2 lane 3 has waited for its copy, warp 2 lane 0 has not heard "
            "of it; a bar.warp.sync after the wait would");
  f.remedy = Remedy::wait;
  EXPECT_EQ(explain_remedy(f),
            "nothing orders them: warp 2 lane 3 has not waited for its copy; a cp.async.wait_group "
            "that completes the copy's group between them would");
  f.remedy = Remedy::warp_barrier;
  EXPECT_EQ(explain_remedy(f), "nothing orders them: a bar.warp.sync between them would");
}

TEST(Races, PlainRunsLookForNone) {
  const Module module = Module::from_ptx(kernel_of(store + load_other), "k.ptx");
  Memory memory;
  LaunchOptions options;
  options.block = {64};
  EXPECT_TRUE(launch(module, "k", options, {}, memory).findings.empty());
}

// `VERB OPCODE at BYTES, N times` of each uninitialised read.
std::vector<std::string> uninitialised(const std::string& body, std::uint32_t ctas = 1) {
  const Module module = Module::from_ptx(kernel_of(body), "k.ptx");
  Memory memory;
  LaunchOptions options;
  options.grid = {ctas};
  options.block = {64};
  options.check = true;
  std::vector<std::string> found;
  for (const UninitialisedRead& r : launch(module, "k", options, {}, memory).uninitialised_reads) {
    found.push_back(std::string(to_string(r.reader.verb)) + " " + r.reader.at.opcode + " at " +
                    std::to_string(r.first_byte) + ".." + std::to_string(r.last_byte) + ", " +
                    std::to_string(r.occurrences) + " times");
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(UninitialisedReads, OfBytesThatNobodyWrote) {
  EXPECT_EQ(uninitialised("ld.shared.u32 %r2, [%s4];"), Texts{"read ld.shared.u32 at 0..3, 64 times"});
  EXPECT_EQ(uninitialised("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%s16];"),
            Texts{"read ldmatrix.sync.aligned.m8n8.x1.shared.b16 at 0..15, 16 times"});
  EXPECT_EQ(uninitialised("atom.shared.add.u32 %r2, [%s4], 1;"), Texts{"update atom.shared.add.u32 at 0..3, 64 times"});
}

TEST(UninitialisedReads, OfASingleByteBesideWrittenOnes) {
  EXPECT_EQ(uninitialised("st.shared.u16 [%s4], 1; st.shared.u8 [%s4+3], 1; ld.shared.u32 %r2, [%s4];"),
            Texts{"read ld.shared.u32 at 2..2, 64 times"});
}

TEST(UninitialisedReads, NotOfWhatWasWrittenCopiedOrAdded) {
  EXPECT_EQ(uninitialised("st.shared.u32 [%s4], 1; ld.shared.u32 %r2, [%s4];"), Texts{});
  EXPECT_EQ(uninitialised("cp.async.cg.shared.global [%s16], [%g], 16, 4; cp.async.wait_all;"
                          "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%s16];"),
            Texts{})
      << "the zero-filled bytes of a copy are written too";
  EXPECT_EQ(uninitialised("st.shared.u32 [%s4], 1; atom.shared.add.u32 %r2, [%s4], 1; ld.shared.u32 %r3, [%s4];"),
            Texts{});
}

// Shared memory of a CTA does not live on in the next.
TEST(UninitialisedReads, EveryCtaStartsAnew) {
  EXPECT_EQ(uninitialised("mov.u32 %r3, %ctaid.x; setp.eq.u32 %q0, %r3, 0; @%q0 st.shared.u32 [%s4], 1;"
                          "ld.shared.u32 %r2, [%s4];",
                          3),
            Texts{"read ld.shared.u32 at 0..3, 128 times"});
}

TEST(UninitialisedReads, TextNamesBytesCtaAndThread) {
  const UninitialisedRead read{
      {AccessVerb::read, {"ld.shared.u32", "k.cuh", 212, "k.ptx", 310}, 1, 3, {4, 5, 6}}, "", 8, 11, 1};
  EXPECT_EQ(to_string(read),
            "uninitialised read, shared bytes 8..11 of CTA (4,5,6), 1 time\n"
            "  read    ld.shared.u32  k.cuh:212 (k.ptx:310)  warp 1 lane 3\n"
            "  nothing has written these bytes in this CTA");
}

}  // namespace
}  // namespace tileloom::emu::test
