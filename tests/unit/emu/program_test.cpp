// SPDX-License-Identifier: Apache-2.0
// Control flow, collectives, barriers, calls and memory of whole programs.
#include <algorithm>
#include <numeric>

#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {
namespace {

using U = std::uint64_t;

std::vector<U> run_body(const std::string& body, char result, std::size_t threads = 32,
                        const std::vector<U>& first = {}) {
  std::vector<Inputs> inputs(threads);
  for (std::size_t i = 0; i < first.size(); ++i) inputs[i].x[0] = first[i];
  return run(Module::from_ptx(wrap_body(body, result), "p.ptx"), inputs);
}

std::string failure_of(const std::string& body, std::size_t threads = 32) {
  return message_of([&] { run_body(body, 'r', threads); });
}

TEST(Control, LanesLoopDifferentNumbersOfTimesAndMeetAgain) {
  const auto out = run_body(R"(
  mov.u32 %r5, 0; mov.u32 %r6, 0;
LOOP:
  add.u32 %r6, %r6, %r5;
  add.u32 %r5, %r5, 1;
  setp.le.u32 %p5, %r5, %t;
  @%p5 bra LOOP;
  activemask.b32 %r7;
  shl.b32 %r7, %r7, 0;
  mov.b64 %d0, {%r6, %r7};)",
                            'd');
  for (U t = 0; t < 32; ++t) EXPECT_EQ(out[t], U{0xFFFFFFFF} << 32 | t * (t + 1) / 2) << t;
}

TEST(Control, NestedDivergenceTakesEachPathOnce) {
  const auto out = run_body(R"(
  and.b32 %r5, %t, 1; setp.eq.u32 %p5, %r5, 0;
  and.b32 %r6, %t, 2; setp.eq.u32 %p6, %r6, 0;
  @%p5 bra EVEN;
  @%p6 bra ODD_LOW;
  mov.u32 %r0, 3; bra.uni DONE;
ODD_LOW: mov.u32 %r0, 1; bra.uni DONE;
EVEN:
  @!%p6 bra EVEN_HIGH;
  mov.u32 %r0, 0; bra DONE;
EVEN_HIGH: mov.u32 %r0, 2;
DONE:)",
                            'r');
  for (U t = 0; t < 32; ++t) EXPECT_EQ(out[t], t % 4);
}

TEST(Control, BranchTable) {
  const std::string body = R"(
  and.b32 %r5, %t, 3;
TABLE: .branchtargets A, B, C, A;
  brx.idx %r5, TABLE;
A: mov.u32 %r0, 10; bra DONE;
B: mov.u32 %r0, 20; bra DONE;
C: mov.u32 %r0, 30;
DONE:)";
  const auto out = run_body(body, 'r');
  const U expected[] = {10, 20, 30, 10};
  for (U t = 0; t < 32; ++t) EXPECT_EQ(out[t], expected[t % 4]);
  std::string outside = body;
  outside.replace(outside.find("3;"), 2, "7;");
  EXPECT_EQ(failure_of(outside), "bad branch: brx.idx at p.ptx:25 takes target 4 of 4; thread (4,0,0), CTA (0,0,0)");
}

TEST(Control, InnerBlocksHideNames) {
  const auto out = run_body(R"(
  mov.u32 %r0, 1;
  { .reg .b32 %r0; mov.u32 %r0, 2; L: { .reg .pred q; setp.eq.u32 q, %r0, 5; @q bra L; } }
  bra L;
L:)",
                            'r');
  EXPECT_EQ(out[0], 1U);
}

// Some lanes of a warp wait in a loop for others of the same warp.
TEST(Control, DivergedLanesAllMakeProgress) {
  const auto out = run_body(R"(
  .shared .align 4 .b32 flag;
  mov.u32 %r0, 0;
  setp.eq.u32 %p5, %t, 7;
  st.shared.u32 [flag], 0;
  @%p5 bra SETTER;
SPIN: ld.volatile.shared.u32 %r5, [flag]; setp.eq.u32 %p6, %r5, 0; @%p6 bra SPIN;
  bra DONE;
SETTER: st.volatile.shared.u32 [flag], 9;
DONE: ld.shared.u32 %r0, [flag];)",
                            'r');
  EXPECT_EQ(out[3], 9U);
}

TEST(Control, InstructionLimit) {
  LaunchOptions options;
  options.max_instructions = 1000;
  const Module module = Module::from_ptx(wrap_body("FOREVER: bra FOREVER;", 'r'), "p.ptx");
  EXPECT_EQ(message_of([&] { static_cast<void>(run(module, std::vector<Inputs>(32), options)); }),
            "instruction limit: CTA (0,0,0) has run more than 1000 warp instructions; warp 0 is at bra at p.ptx:22");
}

TEST(Control, ProgressStops) {
  LaunchOptions options;
  options.progress = [](const Progress& p) { return p.ctas == 0; };
  const Module module = Module::from_ptx(wrap_body("FOREVER: bra FOREVER;", 'r'), "p.ptx");
  EXPECT_EQ(message_of([&] { static_cast<void>(run(module, std::vector<Inputs>(32), options)); }), "stopped");
}

TEST(Control, TrapAndMissingFunctions) {
  EXPECT_EQ(failure_of("setp.eq.u32 %p5, %t, 4; @%p5 trap;"),
            "trap: trap at p.ptx:22 executed; thread (4,0,0), CTA (0,0,0)");
  const std::string head =
      std::string(header) + ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n";
  const std::string call =
      "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], 0; st.param.b64 [b], 0; call.uni (r), vprintf, "
      "(a, b); }";
  const Module module = Module::from_ptx(wrap_body(call, 'r', head), "p.ptx");
  EXPECT_EQ(
      message_of([&] { static_cast<void>(run(module, std::vector<Inputs>(32))); }),
      "missing function: call.uni at p.ptx:23 calls vprintf, which has no body in this module; thread (0,0,0), CTA "
      "(0,0,0)");
}

// Each lane recurses to its own depth: frames, arguments and results are the lane's own.
TEST(Calls, RecursionPerLane) {
  const std::string head = std::string(header) + R"(
.func (.param .b32 r) sum (.param .b32 n)
{
  .reg .pred p; .reg .b32 %a<6>; .local .align 4 .b8 depot[8]; .reg .b64 %q<3>;
  mov.u64 %q0, depot;
  ld.param.b32 %a0, [n];
  st.local.u32 [%q0+4], %a0;
  setp.eq.u32 p, %a0, 0;
  mov.u32 %a3, 0;
  @p bra DONE;
  sub.u32 %a1, %a0, 1;
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %a1; call.uni (y), sum, (x); ld.param.b32 %a2, [y]; }
  ld.local.u32 %a4, [%q0+4];
  add.u32 %a3, %a2, %a4;
DONE:
  st.param.b32 [r], %a3;
  ret;
}
)";
  const Module module = Module::from_ptx(
      wrap_body(
          "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call.uni (y), sum, (x); ld.param.b32 %r0, [y]; }", 'r',
          head),
      "p.ptx");
  const auto out = run(module, std::vector<Inputs>(32));
  for (U t = 0; t < 32; ++t) EXPECT_EQ(out[t], t * (t + 1) / 2) << t;
}

TEST(Calls, EndlessRecursionIsAnError) {
  const std::string head = std::string(header) + ".func f () { call.uni f, (); ret; }\n";
  const Module module = Module::from_ptx(wrap_body("call.uni f, ();", 'r', head), "p.ptx");
  EXPECT_EQ(message_of([&] { static_cast<void>(run(module, std::vector<Inputs>(32))); }),
            "stack overflow: call.uni at p.ptx:4 calls 4097 deep; thread (0,0,0), CTA (0,0,0)");
}

TEST(Warp, ShuffleMovesValuesInsideSegments) {
  for (const unsigned width : {32U, 16U, 8U}) {
    const unsigned segment = (32 - width) << 8;
    const auto control = std::to_string(segment | 31);
    const auto up = run_body("shfl.sync.up.b32 %r0, %t, 3, " + std::to_string(segment) + ", -1;", 'r');
    const auto down = run_body("shfl.sync.down.b32 %r0|%p5, %t, 3, " + control + ", -1;", 'r');
    const auto xored = run_body("shfl.sync.bfly.b32 %r0, %t, 5, " + control + ", -1;", 'r');
    const auto indexed = run_body("shfl.sync.idx.b32 %r0, %t, 6, " + control + ", -1;", 'r');
    for (unsigned t = 0; t < 32; ++t) {
      const unsigned begin = t / width * width;
      EXPECT_EQ(up[t], t < begin + 3 ? t : t - 3);
      EXPECT_EQ(down[t], t + 3 >= begin + width ? t : t + 3);
      EXPECT_EQ(xored[t], t ^ 5U);
      EXPECT_EQ(indexed[t], begin + 6);
    }
  }
}

TEST(Warp, VotesMatchAndReduce) {
  EXPECT_EQ(run_body("setp.lt.u32 %p5, %t, 5; vote.sync.ballot.b32 %r0, %p5, -1;", 'r')[9], 31U);
  EXPECT_EQ(run_body("setp.lt.u32 %p5, %t, 5; vote.sync.any.pred %p0, !%p5, -1;", 'p')[2], 1U);
  EXPECT_EQ(run_body("setp.lt.u32 %p5, %t, 5; vote.sync.all.pred %p0, %p5, -1;", 'p')[2], 0U);
  EXPECT_EQ(run_body("setp.lt.u32 %p5, %t, 5; vote.sync.uni.pred %p0, %p5, -1;", 'p')[2], 0U);
  EXPECT_EQ(run_body("shr.u32 %r5, %t, 4; match.any.sync.b32 %r0, %r5, -1;", 'r')[20], 0xFFFF0000U);
  EXPECT_EQ(run_body("match.all.sync.b32 %r0|%p5, 3, -1;", 'r')[20], 0xFFFFFFFFU);
  EXPECT_EQ(run_body("redux.sync.add.s32 %r0, %t, -1;", 'r')[0], 496U);
  EXPECT_EQ(run_body("neg.s32 %r5, %t; redux.sync.min.s32 %r0, %r5, -1;", 'r')[0], 0xFFFFFFE1U);
  EXPECT_EQ(run_body("elect.sync %r0|%p0, -1;", 'p')[0], 1U);
  EXPECT_EQ(run_body("elect.sync %r0|%p0, -1;", 'p')[1], 0U);
}

// Two halves reach the same shuffle on different paths: the first waits for the second.
TEST(Warp, CollectiveGathersDivergedLanes) {
  const auto out = run_body(R"(
  setp.lt.u32 %p5, %t, 16;
  @%p5 bra MEET;
  add.u32 %r5, %t, 0;
MEET:
  shfl.sync.bfly.b32 %r0, %t, 16, 31, -1;)",
                            'r');
  for (U t = 0; t < 32; ++t) EXPECT_EQ(out[t], t ^ 16);
}

TEST(Warp, DivergedCollectiveIsAnErrorThatSaysWhoIsWhere) {
  EXPECT_EQ(failure_of(R"(
  setp.lt.u32 %p5, %t, 16;
  @%p5 bra OTHER;
  shfl.sync.bfly.b32 %r0, %t, 16, 31, -1;
OTHER: bar.sync 0;)"),
            "divergence: bar.sync at p.ptx:26 needs lanes 0-31 of warp 0, CTA (0,0,0): only lanes 0-15 have come; "
            "lanes 16-31 "
            "wait at shfl.sync.bfly.b32 at p.ptx:25");
  EXPECT_EQ(
      failure_of("vote.sync.ballot.b32 %r0, %p1, 6;"),
      "divergence: vote.sync.ballot.b32 at p.ptx:22 names lanes 1-2, not lane 0 itself; thread (0,0,0), CTA (0,0,0)");
  const std::string mma =
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%r1,%r2,%r3,%r4},{%r5,%r5,%r5,%r5},{%r6,%r6},{%r1,%r2,%r3,%r4};";
  EXPECT_EQ(failure_of("setp.eq.u32 %p5, %t, 3; @%p5 exit; " + mma),
            "divergence: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 at p.ptx:22 needs lanes 0-31 of warp 0, CTA "
            "(0,0,0): only lanes 0-2, 4-31 have come; lanes 3 have exited");
}

TEST(Warp, SyncwarpAtDifferentPlacesMeets) {
  const auto out = run_body(R"(
  .shared .align 4 .b32 box[32];
  mov.u32 %r5, box; shl.b32 %r6, %t, 2; add.u32 %r5, %r5, %r6;
  setp.lt.u32 %p5, %t, 16;
  @%p5 bra LOW;
  ld.shared.u32 %r7, [%r5]; bar.warp.sync -1; ld.shared.u32 %r0, [box]; bra DONE;
LOW: st.shared.u32 [%r5], 8; bar.warp.sync -1; mov.u32 %r0, 1;
DONE:)",
                            'r');
  EXPECT_EQ(out[20], 8U);
}

TEST(Barrier, OrdersSharedMemoryAndReduces) {
  const auto out = run_body(R"(
  .shared .align 4 .b32 box[256];
  mov.u32 %r5, box; shl.b32 %r6, %t, 2; add.u32 %r7, %r5, %r6;
  st.shared.u32 [%r7], %t;
  bar.sync 0;
  xor.b32 %r6, %t, 255; shl.b32 %r6, %r6, 2; add.u32 %r7, %r5, %r6;
  ld.shared.u32 %r0, [%r7];
  setp.lt.u32 %p5, %t, 100;
  bar.red.popc.u32 %r8, 0, %p5;
  add.u32 %r0, %r0, %r8;)",
                            'r', 256);
  for (U t = 0; t < 256; ++t) EXPECT_EQ(out[t], (t ^ 255) + 100);
}

TEST(Barrier, ExitedThreadsAreNotWaitedFor) {
  EXPECT_EQ(run_body("setp.lt.u32 %p5, %t, 40; @!%p5 exit; bar.sync 0; mov.u32 %r0, 5;", 'r', 128)[39], 5U);
}

TEST(Barrier, ProducersArriveConsumersWait) {
  const auto out = run_body(R"(
  .shared .align 4 .b32 box;
  setp.lt.u32 %p5, %t, 32;
  @%p5 bra CONSUMER;
  st.shared.u32 [box], 77; bar.arrive 3, 64; bra DONE;
CONSUMER: bar.sync 3, 64; ld.shared.u32 %r0, [box];
DONE:)",
                            'r', 64);
  EXPECT_EQ(out[0], 77U);
}

TEST(Barrier, DeadlockSaysWhoWaitsForWhat) {
  EXPECT_EQ(
      failure_of(R"(
  setp.lt.u32 %p5, %t, 32;
  @%p5 bra OTHER;
  bar.sync 1;
OTHER: bar.sync 2;)",
                 64),
      "deadlock: no warp of CTA (0,0,0) can go on; warp 0 waits at barrier 2 (32 of 64 threads), bar.sync at p.ptx:26; "
      "warp 1 waits at barrier 1 (32 of 64 threads), bar.sync at p.ptx:25");
  EXPECT_EQ(failure_of("bar.sync 1, 40;"),
            "barrier misuse: bar.sync at p.ptx:22 expects 40 threads, not a multiple of 32 up to the CTA's 32; thread "
            "(0,0,0), CTA (0,0,0)");
  EXPECT_EQ(failure_of("bar.sync 16;"),
            "barrier misuse: bar.sync at p.ptx:22 names barrier 16 of 16; thread (0,0,0), CTA (0,0,0)");
}

TEST(Memory, ErrorsNameAccessBufferAndThread) {
  EXPECT_EQ(
      failure_of("ld.global.u32 %r0, [%d31+256];"),
      "out of bounds: ld.global.u32 at p.ptx:22 reads bytes 256..259 of out (256 bytes); thread (0,0,0), CTA (0,0,0)");
  EXPECT_EQ(
      failure_of("ld.global.u32 %r0, [%d31+-8];"),
      "out of bounds: ld.global.u32 at p.ptx:22 reads bytes -8..-5 of out (256 bytes); thread (0,0,0), CTA (0,0,0)");
  EXPECT_EQ(
      failure_of("st.global.u32 [%d30], %r1;"),
      "read-only: st.global.u32 at p.ptx:22 writes bytes 0..3 of in, which is read-only; thread (0,0,0), CTA (0,0,0)");
  EXPECT_EQ(
      failure_of("mov.u64 %d5, 16; atom.add.u32 %r0, [%d5], 1;"),
      "out of bounds: atom.add.u32 at p.ptx:22 updates 4 bytes at 0x10, which is in no buffer; thread (0,0,0), CTA "
      "(0,0,0)");
  EXPECT_EQ(
      failure_of(".shared .b32 box[4]; st.shared.v2.u32 [box+12], {%r1, %r2};"),
      "out of bounds: st.shared.v2.u32 at p.ptx:22 writes bytes 12..19 of shared memory (16 bytes); thread (0,0,0), "
      "CTA (0,0,0)");
  EXPECT_EQ(
      failure_of(".shared .align 16 .b32 box[8]; ld.shared.v2.u32 {%r1, %r2}, [box+4];"),
      "misaligned: ld.shared.v2.u32 at p.ptx:22 reads 8 bytes at byte 4 of shared memory, address 0x4, which is no "
      "multiple of 8; thread (0,0,0), CTA (0,0,0)");
  EXPECT_EQ(failure_of("ld.param.u64 %d5, [in+16];"),
            "out of bounds: ld.param.u64 at p.ptx:22 reads bytes 16..23 of the kernel's parameters (16 bytes); thread "
            "(0,0,0), CTA (0,0,0)");
  EXPECT_EQ(
      failure_of(".local .b32 l[2]; ld.local.u32 %r0, [l+512];"),
      "out of bounds: ld.local.u32 at p.ptx:22 reads bytes 512..515 of local memory (16 bytes); thread (0,0,0), CTA "
      "(0,0,0)");
}

TEST(Memory, WidthsSignsVectorsAndSpaces) {
  const std::vector<U> value{0x81828384F5F6F7F8};
  EXPECT_EQ(run_body("ld.global.s8 %r0, [%d30];", 'r', 1, value)[0], 0xFFFFFFF8U);
  EXPECT_EQ(run_body("ld.global.u8 %r0, [%d30+7];", 'r', 1, value)[0], 0x81U);
  EXPECT_EQ(run_body("ld.global.s16 %d0, [%d30+6];", 'd', 1, value)[0], 0xFFFFFFFFFFFF8182U);
  EXPECT_EQ(run_body("ld.global.s8 %h0, [%d30];", 'h', 1, value)[0], 0xFFF8U);
  EXPECT_EQ(run_body("ld.global.s32 %d0, [%d30];", 'd', 1, value)[0], 0xFFFFFFFFF5F6F7F8U);
  EXPECT_EQ(run_body("ld.global.v2.u32 {%r5, %r0}, [%d30];", 'r', 1, value)[0], 0x81828384U);
  EXPECT_EQ(run_body("ld.global.v4.u16 {_, %h5, _, %h0}, [%d30];", 'h', 1, value)[0], 0x8182U);
  EXPECT_EQ(run_body("ld.global.nc.L1::no_allocate.L2::128B.u64 %d0, [%d30];", 'd', 1, value)[0], value[0]);
  EXPECT_EQ(run_body(".shared .align 8 .b64 s; cvta.shared.u64 %d5, s; st.u64 [%d5], %d1; ld.shared.u64 %d0, [s];", 'd',
                     1, value)[0],
            value[0]);
  EXPECT_EQ(run_body(".local .align 8 .b64 l[2]; mov.u64 %d4, l; cvta.local.u64 %d5, %d4; st.u64 [%d5+8], %d1; "
                     "cvta.to.local.u64 %d6, %d5; ld.local.u64 %d0, [%d6+8];",
                     'd', 1, value)[0],
            value[0]);
  EXPECT_EQ(run_body(".shared .align 8 .b64 s; cvta.shared.u64 %d5, s; isspacep.shared %p0, %d5;", 'p', 1)[0], 1U);
  EXPECT_EQ(run_body("isspacep.shared %p0, %d30;", 'p', 1)[0], 0U);
  EXPECT_EQ(run_body("isspacep.global %p0, %d30;", 'p', 1)[0], 1U);
}

TEST(Memory, ModuleVariablesAndAddressesInThem) {
  const std::string head = std::string(header) + R"(
.const .align 4 .f32 table[2][2] = {{1.0, 2.0}, {3.0}};
.global .align 8 .u64 pointer = generic(numbers)+8;
.global .align 4 .u32 numbers[] = {1, 2, 3, 4};
)";
  EXPECT_EQ(message_of([&] { static_cast<void>(Module::from_ptx(wrap_body("", 'r', head), "p.ptx")); }),
            "p.ptx:6: 'numbers' is not declared, or neither a variable nor a function");
  std::string ordered = head;
  const std::string line = ".global .align 8 .u64 pointer = generic(numbers)+8;\n";
  ordered.erase(ordered.find(line), line.size());
  ordered += line;
  const Module module = Module::from_ptx(
      wrap_body(
          "ld.const.u32 %r5, [table+8]; ld.global.u64 %d5, [pointer]; ld.u32 %r6, [%d5]; ld.const.u32 %r7, [table+12]; "
          "add.u32 %r5, %r5, %r7; mov.b64 %d0, {%r5, %r6};",
          'd', ordered),
      "p.ptx");
  EXPECT_EQ(run(module, std::vector<Inputs>(1))[0], U{3} << 32 | 0x40400000);
}

TEST(Memory, AtomicsCountEveryThreadOfEveryCta) {
  const Module module = Module::from_ptx(std::string(header) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b64 %d<4>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .f64 %e<3>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 96, %r2;
  red.global.add.u32 [%d1], 1;
  atom.global.max.s32 %r4, [%d1+4], %r3;
  atom.global.inc.u32 %r5, [%d1+8], 6;
  red.global.add.f32 [%d1+12], 0f3F800000;
  red.global.add.f64 [%d1+16], 0d3FF0000000000000;
  atom.global.or.b64 %d2, [%d1+24], 5;
  atom.global.cas.b32 %r6, [%d1+32], 0, 9;
  ret;
})",
                                         "p.ptx");
  Memory memory;
  std::vector<std::uint32_t> out(16, 0);
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap(std::as_writable_bytes(std::span(out)), "out"));
  LaunchOptions options;
  options.grid = {50};
  options.block = {96};
  options.host_threads = 4;
  launch(module, "k", options, arguments.bytes(), memory);
  EXPECT_EQ(out[0], 4800U);
  EXPECT_EQ(out[1], 4799U);
  EXPECT_EQ(out[2], 4800U % 7);
  EXPECT_EQ(std::bit_cast<float>(out[3]), 4800.0F);
  EXPECT_EQ(std::bit_cast<double>(U{out[5]} << 32 | out[4]), 4800.0);
  EXPECT_EQ(out[6], 5U);
  EXPECT_EQ(out[8], 9U);
}

TEST(Memory, AsyncCopiesArriveWhenWaitedForAndNotBefore) {
  const std::string copy = R"(
  .shared .align 16 .b8 box[64];
  mov.u32 %r5, box;
  cp.async.ca.shared.global [%r5], [%d30], 8, 5;
  cp.async.commit_group;
  cp.async.ca.shared.global [%r5+8], [%d30], 8;
  cp.async.commit_group;
)";
  const std::vector<U> value{0x8877665544332211};
  EXPECT_EQ(run_body(copy + "ld.shared.u64 %d0, [%r5];", 'd', 1, value)[0], ~U{0});
  EXPECT_EQ(run_body(copy + "cp.async.wait_group 1; ld.shared.u64 %d0, [%r5];", 'd', 1, value)[0], 0x5544332211U);
  EXPECT_EQ(run_body(copy + "cp.async.wait_group 1; ld.shared.u64 %d0, [%r5+8];", 'd', 1, value)[0], ~U{0});
  EXPECT_EQ(run_body(copy + "cp.async.wait_all; ld.shared.u64 %d0, [%r5+8];", 'd', 1, value)[0], value[0]);
  EXPECT_EQ(
      failure_of(".shared .align 16 .b8 box[64]; cp.async.cg.shared.global [box], [%d31+256], 16;"),
      "out of bounds: cp.async.cg.shared.global at p.ptx:22 reads bytes 256..271 of out (256 bytes); thread (0,0,0), "
      "CTA (0,0,0)");
}

TEST(Launch, RefusesWhatTheKernelOrTheArchCannot) {
  const Module module = Module::from_ptx(wrap_body("", 'r'), "p.ptx");
  Memory memory;
  const std::vector<std::byte> parameters(16);
  const auto refuse = [&](const LaunchOptions& options, std::size_t bytes = 16) {
    return message_of([&] { launch(module, "k", options, std::span(parameters).first(bytes), memory); });
  };
  EXPECT_EQ(refuse({.block = {32, 33}}), "kernel 'k': block (32,33,1) is over (1024,1024,64) or 1024 threads");
  EXPECT_EQ(refuse({.block = {0}}), "kernel 'k': block (0,1,1) is empty");
  EXPECT_EQ(refuse({.grid = {1, 65536}}), "kernel 'k': grid (1,65536,1) is over (2147483647,65535,65535)");
  EXPECT_EQ(refuse({}, 12), "kernel 'k': expects 16 parameter bytes, found 12");
  EXPECT_EQ(refuse({.dynamic_shared_bytes = 232449}),
            "kernel 'k': 232449 bytes of shared memory a CTA, sm_90 has 232448");
  EXPECT_EQ(refuse({.dynamic_shared_bytes = 166913, .arch = hw::sm_80}),
            "kernel 'k': 166913 bytes of shared memory a CTA, sm_80 has 166912");
  EXPECT_EQ(message_of([&] { launch(module, "nothing", {}, parameters, memory); }),
            "p.ptx: no kernel's name contains 'nothing'");
  std::string newer = wrap_body("", 'r');
  newer.replace(newer.find("sm_80"), 5, "sm_90");
  const Module hopper = Module::from_ptx(newer, "p.ptx");
  EXPECT_EQ(message_of([&] { launch(hopper, "k", {.arch = hw::sm_80}, parameters, memory); }),
            "kernel 'k': its PTX is for sm_90 and newer, asked for sm_80");
}

TEST(Launch, ErrorOfTheLowestCtaWinsOnAnyNumberOfThreads) {
  const Module module =
      Module::from_ptx(wrap_body("mov.u32 %r5, %ctaid.x; setp.ge.u32 %p5, %r5, 7; @%p5 trap;", 'r'), "p.ptx");
  for (const unsigned threads : {1U, 3U, 8U}) {
    Memory memory;
    Arguments arguments(module.kernel("k"));
    arguments.set(0, memory.allocate(24, "in")).set(1, memory.allocate(8, "out"));
    EXPECT_EQ(
        message_of([&] { launch(module, "k", {.grid = {40}, .host_threads = threads}, arguments.bytes(), memory); }),
        "trap: trap at p.ptx:22 executed; thread (0,0,0), CTA (7,0,0)");
  }
}

TEST(Launch, WarnsWhereAGpuMayDiffer) {
  const auto warnings = [](const std::string& body) {
    const Module module = Module::from_ptx(wrap_body(body, 'r'), "p.ptx");
    Memory memory;
    Arguments arguments(module.kernel("k"));
    arguments.set(0, memory.allocate(24, "in")).set(1, memory.allocate(8, "out"));
    return launch(module, "k", {}, arguments.bytes(), memory).warnings;
  };
  EXPECT_EQ(
      warnings("mul.f32 %r5, %r1, %r2; add.f32 %r0, %r5, %r3;"),
      std::vector<std::string>{"p.ptx:22: 1 sum of a product without explicit rounding in k, the first here: ptxas may "
                               "contract them to fma, and a GPU's last bits may differ"});
  EXPECT_EQ(warnings("mul.rn.f32 %r5, %r1, %r2; add.f32 %r0, %r5, %r3;").size(), 0U);
  EXPECT_EQ(warnings("mul.f32 %r5, %r1, %r2; add.rn.f32 %r0, %r5, %r3;").size(), 0U);
  EXPECT_EQ(
      warnings("ex2.approx.f32 %r0, %r1; sin.approx.f32 %r0, %r1;"),
      std::vector<std::string>{"p.ptx:22: 2 approximate instructions in k, the first ex2.approx.f32: a GPU's last bits "
                               "differ from the emulator's"});
}

TEST(Buffers, HostAccessIsChecked) {
  Memory memory;
  const DevicePtr at = memory.allocate(100, "x");
  EXPECT_EQ(at.address % 256, 0U);
  std::vector<std::byte> bytes(100);
  memory.read(at, bytes);
  EXPECT_EQ(std::to_integer<int>(bytes[42]), 0xFF);
  EXPECT_EQ(message_of([&] { memory.write(at.offset(1), bytes); }), "100 bytes at byte 1 of x, which has 100 bytes");
  EXPECT_EQ(message_of([&] { memory.read({5}, bytes); }), "address 0x5 is in no buffer");
  const DevicePtr inner = memory.wrap(std::span(bytes).subspan(3), "inner");
  EXPECT_EQ(inner.address % 256, reinterpret_cast<std::uintptr_t>(bytes.data() + 3) % 256);
  EXPECT_EQ(message_of([&] { memory.write(memory.allocate(0, "none"), std::span(bytes).first(1)); }),
            "1 bytes at byte 0 of none, which has 0 bytes");
}

}  // namespace
}  // namespace tileloom::emu::test
