// SPDX-License-Identifier: Apache-2.0
// The PTX reader: what it refuses, and how it says so.
#include <random>

#include "unit/emu/harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tileloom::emu::test {
namespace {

std::string refusal(const std::string& text) {
  return message_of([&] { static_cast<void>(Module::from_ptx(text, "f.ptx")); });
}
std::string body_refusal(const std::string& body) {
  return refusal(wrap_body(body, 'r'));
}

TEST(Reader, ErrorsNameFileAndLine) {
  EXPECT_EQ(refusal(""), "f.ptx:1: expected '.version', found the end of the file");
  EXPECT_EQ(refusal(".version 8.0\n.target sm_80\n.address_size 32"), "f.ptx:3: only .address_size 64 is supported");
  EXPECT_EQ(refusal(std::string(header) + "\x01"), "f.ptx:4: unexpected character with code 1");
  EXPECT_EQ(refusal(std::string(header) + ".surf x;"), "f.ptx:4: directive '.surf' is not supported");
  EXPECT_EQ(body_refusal("frobnicate.b32 %r0, %r1;"), "f.ptx:22: instruction 'frobnicate.b32' is not supported");
  EXPECT_EQ(body_refusal("add.rn.u32 %r0, %r1, %r2;"), "f.ptx:22: instruction 'add.rn.u32' is not supported");
  EXPECT_EQ(body_refusal("add.u32 %r0, %r1;"), "f.ptx:22: 'add.u32' takes 3 operands, found 2");
  EXPECT_EQ(body_refusal("add.u32 %r0, %r1, %nope;"),
            "f.ptx:22: 'add.u32': special register '%nope' is not supported here");
  EXPECT_EQ(body_refusal("add.u32 %r0, %d1, %r2;"), "f.ptx:22: 'add.u32': register '%d1' is .b64, expected 32 bits");
  EXPECT_EQ(body_refusal("add.u32 %r0, %r1, x;"), "f.ptx:22: 'add.u32': expected a register or a constant, found 'x'");
  EXPECT_EQ(body_refusal("@%r1 add.u32 %r0, %r1, %r2;"), "f.ptx:22: '%r1' is not a predicate");
  EXPECT_EQ(body_refusal("bra NOWHERE;"), "f.ptx:22: label 'NOWHERE' is not declared");
  EXPECT_EQ(body_refusal("ld.global.u32 %r0, [nowhere];"), "f.ptx:22: 'nowhere' is not declared");
  EXPECT_EQ(body_refusal("mov.u32 %r0, 0f3F80;"), "f.ptx:22: a floating-point constant 0f needs 8 hexadecimal digits");
  EXPECT_EQ(body_refusal("mov.u32 %r0, 99999999999999999999;"),
            "f.ptx:22: an integer constant that is malformed or wider than 64 bits");
  EXPECT_EQ(body_refusal(".reg .b32 a; .reg .b32 a;"), "f.ptx:22: 'a' is declared twice");
  EXPECT_EQ(body_refusal("call.uni f, ();"), "f.ptx:22: function 'f' is not declared");
  EXPECT_EQ(body_refusal("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r1},{%r1},{%r1},{%r1};"),
            "f.ptx:22: instruction 'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32' is not supported");
  EXPECT_EQ(body_refusal("cp.async.cg.shared.global [%r1], [%d1], 8;"),
            "f.ptx:22: 'cp.async.cg.shared.global' copies 16 bytes, found 8");
}

TEST(Reader, HostileSizesAreErrorsAtOnce) {
  EXPECT_EQ(refusal(std::string(header) + ".global .b8 x[99999999999];"), "f.ptx:4: variable 'x' is larger than 4 GiB");
  EXPECT_EQ(refusal(std::string(header) + ".global .b8 x[4000000000][4000000000];"),
            "f.ptx:4: variable 'x' is larger than 4 GiB");
  EXPECT_EQ(refusal(std::string(header) + ".visible .entry k(.param .b8 x[40000]) { ret; }"),
            "f.ptx:4: the parameters of 'k' take more than 32764 bytes");
  EXPECT_EQ(body_refusal(".local .b8 l[600000];"),
            "f.ptx:22: local variables of 'k' take more than the 512 KiB that a thread has");
  EXPECT_EQ(body_refusal(std::string(100, '{')), "f.ptx:22: blocks nested more than 64 deep");
  EXPECT_EQ(body_refusal(".reg .b32 %x<4000000000>; mov.u32 %x3999999999, 1;"), "no error");
}

TEST(Reader, SourceLinesSkipLibraryHeaders) {
  const std::string body = R"(
  .loc 1 10 3
  .loc 2 99 1, function_name $L__info0, inlined_at 1 10 3
  .loc 3 500 1, function_name $L__info1, inlined_at 2 99 1
  trap;
)";
  const auto place = [&](const std::string& outer, const std::string& middle, const std::string& inner) {
    const std::string files = ".file 1 \"" + outer + "\"\n.file 2 \"" + middle + "\"\n.file 3 \"" + inner + "\"\n";
    const Module module = Module::from_ptx(wrap_body(body, 'r') + files, "f.ptx");
    return message_of([&] { static_cast<void>(run(module, std::vector<Inputs>(1))); });
  };
  const std::string end = " (f.ptx:26) executed; thread (0,0,0), CTA (0,0,0)";
  EXPECT_EQ(place("/a/k.cu", "/a/mine.cuh", "/x/cute/arch/copy.hpp"), "trap: trap at mine.cuh:99" + end);
  EXPECT_EQ(place("/a/k.cu", "/x/cutlass/gemm.h", "/x/cute/arch/copy.hpp"), "trap: trap at k.cu:10" + end);
  EXPECT_EQ(place("/a/k.cu", "/a/mine.cuh", "/a/deep.cuh"), "trap: trap at deep.cuh:500" + end);
  EXPECT_EQ(place("/x/cute/a.hpp", "/x/cute/b.hpp", "/x/cute/c.hpp"), "trap: trap at c.hpp:500" + end);
}

// Any text gives a module or an Error, and what it gives runs to an end: cuts, swaps and splices of a program that uses
// most of the grammar.
TEST(Reader, MutatedTextNeverCrashes) {
  const std::string seed = std::string(header) + R"(
.const .align 4 .f32 table[2][2] = {{1.0, 2.0}, {3.0}};
.extern .shared .align 16 .b8 dyn[];
.func (.param .b32 r) f (.param .b32 n) { .reg .b32 %a<3>; ld.param.b32 %a0, [n]; st.param.b32 [r], %a0; ret; }
)" +
                           wrap_body(R"(
  .shared .align 16 .b8 box[64];
  .loc 1 10 3
  T: .branchtargets A, B;
  and.b32 %r5, %t, 1; brx.idx %r5, T;
A: { .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call.uni (y), f, (x); ld.param.b32 %r0, [y]; }
B: setp.lt.and.u32 %p0|%p5, %r1, %r2, !%p3; @!%p5 bra B2;
B2: mov.b64 {%r5, %r6}, %d1; ld.global.v2.u32 {%r7, %r8}, [%d30+8]; mov.u32 %r9, dyn;
  cp.async.ca.shared.global [box], [%d30], 8, 5; cp.async.wait_all; bar.sync 0;
  shfl.sync.bfly.b32 %r0|%p5, %t, 16, 31, -1; atom.shared.add.u32 %r1, [box], 1;
  fma.rn.f32 %r0, 0f3F800000, 1.5, %r3; lop3.b32 %r0, %r1, %r2, %r3, 0xE8;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4},{%r5,%r5,%r5,%r5},{%r6,%r6},{%r1,%r2,%r3,%r4};
)",
                                     'r', "");
  ASSERT_EQ(refusal(seed), "no error");
  std::mt19937 random(20261129);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0; i < 3000; ++i) {
    std::string text = seed;
    for (std::size_t edits = 1 + pick(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = pick(text.size());
      const std::size_t length = 1 + pick(std::min<std::size_t>(40, text.size() - at));
      switch (pick(5)) {
        case 0:
          text.resize(at);
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, seed.substr(pick(seed.size()), length));
          break;
        case 3:
          text[at] = static_cast<char>(random());
          break;
        default:
          text.insert(at, std::to_string(random()));
          break;
      }
    }
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
  }
}

}  // namespace
}  // namespace tileloom::emu::test
