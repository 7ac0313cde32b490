// SPDX-License-Identifier: Apache-2.0
// Lane maps, and the instructions that use them.
#include "tileloom/emu/float16.hpp"
#include "tileloom/emu/tensor_core.hpp"
#include "tileloom/hw/lane_maps.hpp"
#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;

// The figures of the PTX ISA for mma.m16n8k16: group = lane / 4, thread = lane % 4.
TEST(LaneMaps, AgreeWithTheManual) {
  const hw::LaneMap a = hw::a_map(hw::mma_atom("m16n8k16 f16"));
  const hw::LaneMap b = hw::b_map(hw::mma_atom("m16n8k16 f16"));
  const hw::LaneMap c = hw::c_map(hw::mma_atom("m16n8k16 f16"));
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2;
    const int thread = lane & 3;
    for (int i = 0; i < 8; ++i) {
      const int row = (i >= 0 && i < 2) || (i >= 4 && i < 6) ? group : group + 8;
      const int column = i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
      EXPECT_EQ(a.at(lane, i), (hw::MatrixPosition{row, column}));
    }
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(b.at(lane, i), (hw::MatrixPosition{group, i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8}));
      EXPECT_EQ(c.at(lane, i), (hw::MatrixPosition{i < 2 ? group : group + 8, thread * 2 + (i & 1)}));
    }
  }
}

// A kernel around one mma: fragments from memory, lane by lane, registers in order.
std::string mma_kernel(const std::string& types, int c_registers) {
  const std::string c_list = c_registers == 4 ? "{%c0,%c1,%c2,%c3}" : "{%c0,%c1}";
  const std::string v = c_registers == 4 ? ".v4" : ".v2";
  return std::string(header) + R"(.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{
  .reg .b32 %a<4>, %b<2>, %c<4>, %t; .reg .b64 %q<8>;
  mov.u32 %t, %tid.x;
  ld.param.u64 %q0, [a]; mul.wide.u32 %q3, %t, 16; add.u64 %q0, %q0, %q3;
  ld.param.u64 %q1, [b]; mul.wide.u32 %q4, %t, 8; add.u64 %q1, %q1, %q4;
  ld.param.u64 %q2, [c]; mul.wide.u32 %q5, %t, )" +
         std::to_string(4 * c_registers) + R"(; add.u64 %q2, %q2, %q5;
  ld.global.v4.b32 {%a0,%a1,%a2,%a3}, [%q0];
  ld.global.v2.b32 {%b0,%b1}, [%q1];
  ld.global)" +
         v + ".b32 " + c_list + R"(, [%q2];
  mma.sync.aligned.m16n8k16.row.col.)" +
         types + " " + c_list + ", {%a0,%a1,%a2,%a3}, {%b0,%b1}, " + c_list + R"(;
  st.global)" +
         v + ".b32 [%q2], " + c_list + ";\n  ret;\n}\n";
}

struct Matrices {
  std::vector<U16> a = std::vector<U16>(16 * 16);  // [m][k]
  std::vector<U16> b = std::vector<U16>(8 * 16);   // [n][k]
  std::vector<U32> c = std::vector<U32>(16 * 8);   // [m][n]
};

// The same product through a kernel: matrices to fragments and back as the manual's figures say.
std::vector<U32> through_kernel(const Module& module, const Matrices& in, bool half) {
  std::vector<U16> a(32 * 8);
  std::vector<U16> b(32 * 4);
  std::vector<U32> c32(32 * 4);
  std::vector<U16> c16(32 * 4);
  const hw::MmaAtom& atom = hw::mma_atom("m16n8k16 f16");
  const hw::LaneMap a_map = hw::a_map(atom);
  const hw::LaneMap b_map = hw::b_map(atom);
  const hw::LaneMap c_map = hw::c_map(atom);
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < 8; ++v) {
      const auto p = a_map.at(lane, v);
      a[static_cast<std::size_t>(lane * 8 + v)] = in.a[static_cast<std::size_t>(p.row * 16 + p.column)];
    }
    for (int v = 0; v < 4; ++v) {
      const auto p = b_map.at(lane, v);
      b[static_cast<std::size_t>(lane * 4 + v)] = in.b[static_cast<std::size_t>(p.row * 16 + p.column)];
      const auto q = c_map.at(lane, v);
      c32[static_cast<std::size_t>(lane * 4 + v)] = in.c[static_cast<std::size_t>(q.row * 8 + q.column)];
      c16[static_cast<std::size_t>(lane * 4 + v)] =
          static_cast<U16>(in.c[static_cast<std::size_t>(q.row * 8 + q.column)]);
    }
  }
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap_read_only(std::as_bytes(std::span(a)), "a"));
  arguments.set(1, memory.wrap_read_only(std::as_bytes(std::span(b)), "b"));
  arguments.set(2, half ? memory.wrap(std::as_writable_bytes(std::span(c16)), "c")
                        : memory.wrap(std::as_writable_bytes(std::span(c32)), "c"));
  launch(module, "k", {.block = {32}}, arguments.bytes(), memory);
  std::vector<U32> d(16 * 8);
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < 4; ++v) {
      const auto q = c_map.at(lane, v);
      const auto at = static_cast<std::size_t>(lane * 4 + v);
      d[static_cast<std::size_t>(q.row * 8 + q.column)] = half ? c16[at] : c32[at];
    }
  }
  return d;
}

// One element of A and one of B are 1, at every (m, k) and n: exactly D(m, n) is 1. A wrong entry of any lane map moves
// it: the fragments are placed by the figures in the test, not by hw.
TEST(Mma, OneHotFragments) {
  const Module module = Module::from_ptx(mma_kernel("f32.f16.f16.f32", 4), "mma.ptx");
  for (int lane_a = 0; lane_a < 32; ++lane_a) {
    for (int va = 0; va < 8; ++va) {
      std::vector<U16> a(32 * 8, 0);
      std::vector<U16> b(32 * 4, 0);
      std::vector<U32> c(32 * 4, 0);
      const int m = lane_a / 4 + (va / 2 % 2 != 0 ? 8 : 0);
      const int k = lane_a % 4 * 2 + va % 2 + (va >= 4 ? 8 : 0);
      const int n = (m + k) % 8;
      a[static_cast<std::size_t>(lane_a * 8 + va)] = 0x3C00;
      const int lane_b = n * 4 + k % 8 / 2;
      b[static_cast<std::size_t>(lane_b * 4 + k % 2 + (k >= 8 ? 2 : 0))] = 0x3C00;
      Memory memory;
      Arguments arguments(module.kernel("k"));
      arguments.set(0, memory.wrap_read_only(std::as_bytes(std::span(a)), "a"));
      arguments.set(1, memory.wrap_read_only(std::as_bytes(std::span(b)), "b"));
      arguments.set(2, memory.wrap(std::as_writable_bytes(std::span(c)), "c"));
      launch(module, "k", {.block = {32}, .host_threads = 1}, arguments.bytes(), memory);
      const int hot = (m % 8 * 4 + n / 2) * 4 + n % 2 + (m >= 8 ? 2 : 0);
      for (int i = 0; i < 128; ++i)
        EXPECT_EQ(c[static_cast<std::size_t>(i)], i == hot ? 0x3F800000U : 0U) << m << "," << k;
    }
  }
}

TEST(Mma, EqualsTheElementRuleForAllTypes) {
  struct Case {
    std::string types;
    MmaInput input;
    MmaAccumulator accumulator;
  };
  const std::vector<Case> cases{{"f32.f16.f16.f32", MmaInput::f16, MmaAccumulator::f32},
                                {"f16.f16.f16.f16", MmaInput::f16, MmaAccumulator::f16},
                                {"f32.bf16.bf16.f32", MmaInput::bf16, MmaAccumulator::f32}};
  const hw::MmaNumerics numerics = hw::mma_numerics_k16(hw::sm_90);
  for (const Case& c : cases) {
    const bool half = c.accumulator == MmaAccumulator::f16;
    const Module module = Module::from_ptx(mma_kernel(c.types, half ? 2 : 4), "mma.ptx");
    Matrices in;
    U32 state = 12345;
    const auto next = [&] { return state = state * 1664525 + 1013904223; };
    const auto value = [&] { return static_cast<float>(static_cast<std::int32_t>(next()) >> 16) / 4096.0F; };
    const auto element = [&] {
      return c.input == MmaInput::f16 ? from_f32<f16_format>(value()) : from_f32<bf16_format>(value());
    };
    for (U16& x : in.a) x = element();
    for (U16& x : in.b) x = element();
    for (U32& x : in.c) x = half ? U32{from_f32<f16_format>(value())} : std::bit_cast<U32>(value());
    const auto d = through_kernel(module, in, half);
    for (std::size_t m = 0; m < 16; ++m) {
      for (std::size_t n = 0; n < 8; ++n) {
        EXPECT_EQ(d[m * 8 + n],
                  mma_k16_element(numerics, c.input, c.accumulator, &in.a[m * 16], &in.b[n * 16], in.c[m * 8 + n]))
            << c.types << " " << m << "," << n;
      }
    }
  }
}

// ldmatrix.x4 gives each lane two neighbours of a row of each matrix, .trans of a column; stmatrix is its inverse.
TEST(Matrix, LoadAndStore) {
  for (const bool transposed : {false, true}) {
    const std::string trans = transposed ? ".trans" : "";
    const std::string body = R"(
  .shared .align 16 .b16 box[512];
  mov.u32 %r5, box; shl.b32 %r6, %t, 4; add.u32 %r7, %r5, %r6; add.u32 %r8, %r7, 512;
  mul.lo.u32 %r10, %t, 8; mov.u32 %r11, 0;
FILL:
  add.u32 %r12, %r10, %r11; cvt.u16.u32 %h5, %r12; shl.b32 %r13, %r12, 1; add.u32 %r13, %r5, %r13;
  st.shared.u16 [%r13], %h5; add.u32 %r11, %r11, 1; setp.lt.u32 %p5, %r11, 8; @%p5 bra FILL;
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4)" +
                             trans + R"(.shared.b16 {%r1, %r2, %r3, %r4}, [%r7];
  stmatrix.sync.aligned.m8n8.x4)" +
                             trans + R"(.shared.b16 [%r8], {%r1, %r2, %r3, %r4};
  bar.sync 0;
  ld.shared.u32 %r14, [%r7+4]; ld.shared.u32 %r15, [%r8+4]; sub.u32 %r16, %r14, %r15;
  add.u32 %r0, %r3, %r16;)";
    const auto out = run(Module::from_ptx(wrap_body(body, 'r'), "m.ptx"), std::vector<Inputs>(32));
    for (U32 lane = 0; lane < 32; ++lane) {
      const U32 low = transposed ? lane % 4 * 16 + lane / 4 : lane / 4 * 8 + lane % 4 * 2;
      const U32 high = low + (transposed ? 8 : 1);
      EXPECT_EQ(out[lane], (128 + high) << 16 | (128 + low)) << lane << trans;
    }
  }
}

}  // namespace
}  // namespace tileloom::emu::test
