// SPDX-License-Identifier: Apache-2.0
// The cost of one warp instruction in the emulator: a loop around 64 copies of it, on one host thread.
#include <benchmark/benchmark.h>

#include <string>

#include "tileloom/emu/emulator.hpp"

namespace {

using namespace tileloom::emu;

constexpr int copies = 64;
constexpr std::uint32_t rounds = 200;

std::string kernel_around(const std::string& instruction) {
  std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<9>;
  .shared .align 16 .b8 box[8192];
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 16; add.u64 %d1, %d1, %d2;
  mov.u32 %r2, box; shl.b32 %r3, %r1, 4; add.u32 %r2, %r2, %r3;
  mov.b64 %d3, %d1; mov.b32 %r4, 0x3C003C00; cvt.u16.u32 %h1, %r4; setp.eq.u32 %p1, %r1, 40;
  mov.u32 %r5, 0; mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0; mov.u32 %r15, 0;
  mov.u32 %r30, 0;
LOOP:
)";
  for (int i = 0; i < copies; ++i) text += "  " + instruction + "\n";
  text += "  add.u32 %r30, %r30, 1; setp.lt.u32 %p2, %r30, " + std::to_string(rounds) + "; @%p2 bra LOOP;\n";
  return text + "  mov.u64 %d4, %d1; st.global.u32 [%d1], %r5;\n  ret;\n}\n";
}

void run(benchmark::State& state, const std::string& instruction) {
  const Module module = Module::from_ptx(kernel_around(instruction), "bench.ptx");
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.allocate(8192, "p"));
  LaunchOptions options;
  options.block = {32};
  options.host_threads = 1;
  for (auto _ : state) benchmark::DoNotOptimize(launch(module, "k", options, arguments.bytes(), memory));
  state.counters["ns_per_instruction"] =
      benchmark::Counter(static_cast<double>(copies * rounds) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(run, add_u32, "add.u32 %r5, %r5, %r1;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, add_u64, "add.u64 %d3, %d3, 16;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, mad_lo, "mad.lo.s32 %r5, %r5, %r1, %r3;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, mul_wide, "mul.wide.u32 %d3, %r5, %r1;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, shl, "shl.b32 %r5, %r1, 4;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, lop3, "lop3.b32 %r5, %r5, %r1, %r3, 0xE8;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, setp, "setp.lt.s32 %p3, %r5, %r1;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, selp, "selp.b32 %r5, %r1, %r3, %p1;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, predicated_off, "@%p1 add.u32 %r5, %r5, %r1;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, fma_f32, "fma.rn.f32 %r5, %r5, %r4, %r4;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, cvt_f16, "cvt.rn.f16.f32 %h2, %r4;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, fma_f16x2, "fma.rn.f16x2 %r5, %r4, %r4, %r4;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, ld_global, "ld.global.u32 %r5, [%d1];")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, ld_global_v4, "ld.global.v4.u32 {%r5,%r10,%r11,%r12}, [%d1];")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, st_shared, "st.shared.u32 [%r2], %r5;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, ld_shared_v4, "ld.shared.v4.u32 {%r5,%r10,%r11,%r12}, [%r2];")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, shfl, "shfl.sync.bfly.b32 %r5, %r1, 16, 31, -1;")->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, ldmatrix_x4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r2];")
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, cp_async, "cp.async.cg.shared.global [%r2], [%d1], 16; cp.async.wait_all;")
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, mma_f32,
                  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r10,%r11,%r12,%r13}, {%r4,%r4,%r4,%r4}, "
                  "{%r4,%r4}, {%r4,%r4,%r4,%r4};")
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(run, mma_f16,
                  "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r10,%r11}, {%r4,%r4,%r4,%r4}, {%r4,%r4}, "
                  "{%r4,%r4};")
    ->MeasureProcessCPUTime();

}  // namespace
