// SPDX-License-Identifier: Apache-2.0
// Programs that decode, with any operands: each two bytes choose an instruction and its registers. They run, checked,
// under any delivery and schedule, to their end or to an Error.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tileloom/emu/emulator.hpp"
#include "tileloom/error.hpp"

namespace {

using namespace tileloom::emu;

// D, A, B: 32-bit registers; L, M: 64-bit ones; P, Q: predicates; S: a shared address; G: a global one; K: a small
// number; J: a label.
constexpr std::array<std::string_view, 52> templates{
    "add.u32 D, A, B;",
    "sub.u32 D, A, K;",
    "mul.lo.u32 D, A, K;",
    "mad.lo.u32 D, A, K, B;",
    "and.b32 D, A, B;",
    "xor.b32 D, A, K;",
    "shl.b32 D, A, K;",
    "mov.u32 D, K;",
    "cvt.u64.u32 L, A;",
    "add.u64 L, M, K;",
    "mul.wide.u32 L, A, K;",
    "setp.lt.u32 P, A, B;",
    "setp.eq.u32 P, A, K;",
    "selp.u32 D, A, B, P;",
    "ld.shared.u32 D, [S];",
    "ld.shared.v4.u32 {D, %r1, %r2, %r3}, [S];",
    "st.shared.u32 [S], A;",
    "st.shared.u8 [S+K], A;",
    "st.shared.v2.u32 [S], {A, B};",
    "ld.global.u32 D, [G];",
    "ld.u32 D, [L];",
    "st.global.u32 [G], A;",
    "st.global.u16 [G+K], A;",
    "st.u32 [L], A;",
    "ld.volatile.shared.u32 D, [S];",
    "st.release.gpu.global.u32 [G], A;",
    "ld.acquire.gpu.global.u32 D, [G];",
    "atom.shared.add.u32 D, [S], A;",
    "atom.global.cas.b32 D, [G], A, B;",
    "red.global.add.u32 [G], A;",
    "atom.acq_rel.cta.global.exch.b32 D, [G], A;",
    "cp.async.ca.shared.global [S], [G], 4;",
    "cp.async.cg.shared.global [S], [G], 16;",
    "cp.async.ca.shared.global [S], [G], 8, A;",
    "cp.async.commit_group;",
    "cp.async.wait_group K;",
    "cp.async.wait_all;",
    "bar.sync 0;",
    "bar.sync K;",
    "bar.arrive K, 64;",
    "bar.sync K, 32;",
    "bar.warp.sync A;",
    "bar.warp.sync -1;",
    "shfl.sync.idx.b32 D, A, B, 31, -1;",
    "vote.sync.ballot.b32 D, P, -1;",
    "membar.gl;",
    "fence.acq_rel.cta;",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {D, %r1, %r2, %r3}, [S];",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D, %r1, %r2, %r3}, {A, B, A, B}, {A, B}, {A, B, A, B};",
    "bra J;",
    "ret;",
    "exit;",
};

class Program {
 public:
  explicit Program(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::string text() {
    std::string code;
    for (std::size_t n = 0; !bytes_.empty() && n < 64; ++n) {
      code += "L" + std::to_string(n) + ":\n";
      const std::uint8_t choice = next();
      if (choice >= 208) code += choice % 2 == 0 ? "@%p1 " : "@!%p2 ";
      for (const char c : templates[choice % templates.size()]) code += operand(c, n);
      code += '\n';
    }
    return head + code + "  ret;\n}\n";
  }

 private:
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  std::string operand(char c, std::size_t line) {
    switch (c) {
      case 'D':
      case 'A':
      case 'B':
        return "%r" + std::to_string(next() % 8);
      case 'L':
      case 'M':
        return "%d" + std::to_string(next() % 4);
      case 'P':
        return "%p" + std::to_string(1 + next() % 3);
      case 'S':
        return "%s" + std::to_string(next() % 3);
      case 'G':
        return "%g" + std::to_string(next() % 3);
      case 'K':
        return std::to_string(next() % 20);
      case 'J':
        return "L" + std::to_string(line - next() % (line + 1));
      default:
        return std::string(1, c);
    }
  }

  static constexpr const char* head = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 16 .b8 g[2048];
.visible .entry k(.param .u64 p)
{
  .shared .align 16 .b8 s[2048];
  .reg .b32 %r<8>, %s<3>; .reg .b64 %d<4>, %g<3>; .reg .pred %p<4>;
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %laneid;
  mov.u32 %s0, s; mad.lo.u32 %s1, %r0, 4, %s0; mad.lo.u32 %s2, %r0, 16, %s0;
  mov.u64 %g0, g; ld.param.u64 %g1, [p]; mul.wide.u32 %d0, %r0, 16; add.u64 %g2, %g1, %d0; mov.u64 %d1, %g2;
  setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p2, %r2, 0; setp.eq.u32 %p3, %r1, 0;
)";
  std::span<const std::uint8_t> bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  LaunchOptions options;
  options.grid = {2};
  options.block = {64};
  options.host_threads = 1;
  options.max_instructions = 2000;
  options.check = (data[0] & 1) != 0;
  options.delivery.when = static_cast<Delivery::When>(data[0] / 2 % 3);
  if (data[0] >= 128) options.schedule = data[0];
  try {
    const Module module = Module::from_ptx(Program({data + 1, size - 1}).text(), "fuzz.ptx");
    Memory memory;
    Arguments arguments(module.kernel("k"));
    arguments.set(0, memory.allocate(2048, "p"));
    static_cast<void>(try_launch(module, "k", options, arguments.bytes(), memory));
  } catch (const tileloom::Error&) {
  }
  return 0;
}
