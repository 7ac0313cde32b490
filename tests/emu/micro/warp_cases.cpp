// SPDX-License-Identifier: Apache-2.0
// What lanes and threads do together: shuffles, votes, matrices, barriers; and control flow.
#include "emu/micro/micro_case.hpp"

namespace tileloom::emu::test {
namespace {

void add(std::vector<MicroCase>& to, const std::string& name, const std::string& body, const Words& results,
         const Words& inputs = {}, const std::string& head = "") {
  to.push_back({name, body, results, inputs, head, {}});
}

// `body` runs in the lanes whose input 2 is odd, with their mask in %r30.
std::string in_some_lanes(const std::string& body) {
  return "vote.sync.ballot.b32 %r30, %p2, -1; mov.b32 %r0, 77; mov.b64 %d0, 77; setp.ne.u32 %p9, %t, %t; "
         "@!%p2 bra SKIP; " +
         body + " SKIP: bar.warp.sync -1;";
}

void add_shuffles(std::vector<MicroCase>& to) {
  for (const char* mode : {"up", "down", "bfly", "idx"}) {
    const std::string opcode = std::string("shfl.sync.") + mode + ".b32";
    const Words inputs{"b32", "lane", "control_lane"};
    add(to, opcode, opcode + " %r0, %r1, %r2, %r3, -1;", {"%r0"}, inputs);
    add(to, opcode + " d|p", opcode + " %r0|%p9, %r1, %r2, %r3, -1;", {"%r0", "%p9"}, inputs);
    add(to, opcode + " constants", opcode + " %r0|%p9, %r1, 3, 0x181f, -1;", {"%r0", "%p9"}, inputs);
  }
}

void add_votes(std::vector<MicroCase>& to) {
  for (const char* mode : {"all", "any", "uni"}) {
    const std::string opcode = std::string("vote.sync.") + mode + ".pred";
    add(to, opcode, opcode + " %p0, %p1, -1;", {"%p0"}, {"pred"});
    add(to, opcode + " !p", opcode + " %p0, !%p1, -1;", {"%p0"}, {"pred"});
    add(to, opcode + " same", "setp.lt.u32 %p1, %t, 64; " + opcode + " %p0, %p1, -1;", {"%p0"});
    add(to, opcode + " some lanes", in_some_lanes("setp.ge.s32 %p1, %r1, 0; " + opcode + " %p9, %p1, %r30;"), {"%p9"},
        {"b32", "pred"});
  }
  const std::string ballot = "vote.sync.ballot.b32";
  add(to, ballot, ballot + " %r0, %p1, -1;", {"%r0"}, {"pred"});
  add(to, ballot + " !p", ballot + " %r0, !%p1, -1;", {"%r0"}, {"pred"});
  add(to, ballot + " some lanes", in_some_lanes("setp.ge.s32 %p1, %r1, 0; " + ballot + " %r0, %p1, %r30;"), {"%r0"},
      {"b32", "pred"});
}

void add_matches(std::vector<MicroCase>& to) {
  for (const char* type : {"b32", "b64"}) {
    const std::string from = type[1] == '3' ? "%r3" : "%d3";
    const std::string t = type;
    const std::string few = "cvt.u64.u32 %d3, %r3;";
    add(to, "match.any.sync." + t, few + " match.any.sync." + t + " %r0, " + from + ", -1;", {"%r0"},
        {"b32", "b32", "few"});
    add(to, "match.all.sync." + t, few + " match.all.sync." + t + " %r0|%p9, " + from + ", -1;", {"%r0", "%p9"},
        {"b32", "b32", "few"});
    add(to, "match.all.sync." + t + " same",
        "shr.u32 %r3, %t, 6; " + few + " match.all.sync." + t + " %r0|%p9, " + from + ", -1;", {"%r0", "%p9"});
    add(to, "match.any.sync." + t + " some lanes",
        few + in_some_lanes("match.any.sync." + t + " %r0, " + from + ", %r30;"), {"%r0"}, {"b32", "pred", "few"});
  }
}

void add_reductions(std::vector<MicroCase>& to) {
  for (const char* form :
       {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"}) {
    const std::string dot = form;
    const std::string opcode = "redux.sync." + dot;
    add(to, opcode, opcode + " %r0, %r1, -1;", {"%r0"}, {"b32"});
    add(to, opcode + " some lanes", in_some_lanes(opcode + " %r0, %r1, %r30;"), {"%r0"}, {"b32", "pred"});
  }
  add(to, "elect.sync", "elect.sync %r0|%p9, -1;", {"%r0", "%p9"});
  add(to, "elect.sync some lanes", in_some_lanes("elect.sync %r0|%p9, %r30;"), {"%r0", "%p9"}, {"b32", "pred"});
  add(to, "activemask.b32", "activemask.b32 %r0;", {"%r0"});
  add(to, "activemask.b32 some lanes", in_some_lanes("activemask.b32 %r0;"), {"%r0"}, {"b32", "pred"});
}

// Every lane's 16-byte row of its warp's 512 bytes; %d21 is the row of another lane.
constexpr const char* rows =
    "mov.u64 %d20, smem; mad.wide.u32 %d22, %t, 16, %d20; st.shared.v2.b64 [%d22], {%d1, %d2}; "
    "xor.b32 %r21, %t, 5; mad.wide.u32 %d21, %r21, 16, %d20; cvt.u32.u64 %r22, %d21; bar.sync 0; ";

std::string four(const char* letter, unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) {
    text += (i > 0 ? ", %" : "%") + std::string(letter) + std::to_string(first + i);
  }
  return text + "}";
}

void add_matrix_moves(std::vector<MicroCase>& to) {
  for (unsigned count : {1U, 2U, 4U}) {
    for (const char* trans : {"", ".trans"}) {
      const std::string shape = ".sync.aligned.m8n8.x" + std::to_string(count) + trans;
      const std::string list = four("r", 10, count);
      Words results;
      for (unsigned i = 0; i < count; ++i) results.push_back("%r" + std::to_string(10 + i));
      const std::string load = "ldmatrix" + shape + ".shared.b16";
      add(to, load, rows + load + " " + list + ", [%r22];", results, {"b64", "b64"});
      add(to, "ldmatrix" + shape + ".b16",
          rows + std::string("cvta.shared.u64 %d23, %d21; ldmatrix") + shape + ".b16 " + list + ", [%d23];", results,
          {"b64", "b64"});
      const std::string store = "stmatrix" + shape + ".shared.b16";
      add(to, store,
          rows +
              std::string(
                  "cvt.u32.u64 %r10, %d3; cvt.u32.u64 %r11, %d4; cvt.u32.u64 %r12, %d5; cvt.u32.u64 %r13, %d6; ") +
              store + " [%r22], " + list + "; bar.sync 0; ld.shared.v2.b64 {%d10, %d11}, [%d22];",
          {"%d10", "%d11"}, Words(6, "b64"));
    }
  }
  for (const char* trans : {".trans"}) {
    add(to, std::string("movmatrix.sync.aligned.m8n8") + trans + ".b16",
        std::string("movmatrix.sync.aligned.m8n8") + trans + ".b16 %r0, %r1;", {"%r0"}, {"b32"});
  }
}

void add_products(std::vector<MicroCase>& to) {
  const std::string take =
      "mov.b64 {%r10, %r11}, %d1; mov.b64 {%r12, %r13}, %d2; mov.b64 {%r14, %r15}, %d3; "
      "mov.b64 {%r16, %r17}, %d4; mov.b64 {%r18, %r19}, %d5; ";
  for (const char* types : {"f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32"}) {
    const std::string opcode = std::string("mma.sync.aligned.m16n8k16.row.col.") + types;
    const bool wide = types[1] == '3';
    const std::string kind = opcode.find("bf16") == std::string::npos ? "f16x4" : "bf16x4";
    const std::string c = wide ? "f32wide" : "f16x4";
    Words results;
    for (unsigned i = 0; i < (wide ? 4U : 2U); ++i) results.push_back("%r" + std::to_string(20 + i));
    add(to, opcode,
        take + opcode + " " + four("r", 20, wide ? 4 : 2) + ", {%r10, %r11, %r12, %r13}, {%r14, %r15}, " +
            four("r", 16, wide ? 4 : 2) + ";",
        results, {kind, kind, kind, c, c});
  }
}

void add_barriers(std::vector<MicroCase>& to) {
  const std::string write =
      "mov.u64 %d20, smem; mad.wide.u32 %d21, %t, 4, %d20; sub.u32 %r21, 127, %t; mad.wide.u32 %d22, %r21, 4, %d20; "
      "st.shared.b32 [%d21], %r1; ";
  for (const char* barrier : {"bar.sync 0;", "bar.sync 3, 128;", "barrier.sync 0;", "barrier.sync.aligned 1;",
                              "barrier.cta.sync 2;", "bar.cta.sync 0;", "bar.sync %r9;", "bar.cta.sync 5, 128;"}) {
    add(to, barrier, write + "mov.b32 %r9, 4; " + barrier + " ld.shared.b32 %r0, [%d22];", {"%r0"}, {"b32"});
  }
  add(to, "bar.arrive",
      write +
          "setp.lt.u32 %p1, %t, 64; @%p1 bra FIRST; bar.arrive 1, 128; mov.b32 %r0, 5; bra DONE; FIRST: bar.sync 1, "
          "128; "
          "ld.shared.b32 %r0, [%d22]; DONE: bar.sync 0;",
      {"%r0"}, {"b32"});
  add(to, "bar.warp.sync",
      write + "xor.b32 %r21, %t, 7; mad.wide.u32 %d22, %r21, 4, %d20; bar.warp.sync -1; ld.shared.b32 %r0, [%d22];",
      {"%r0"}, {"b32"});
  for (const char* root : {"bar.red", "barrier.cta.red", "bar.cta.red"}) {
    for (const char* operation : {"popc.u32 %r0", "and.pred %p0", "or.pred %p0"}) {
      const std::string result = std::string(operation).substr(std::string(operation).find('%'));
      for (const char* p : {"%p1", "!%p1"}) {
        const std::string text = std::string(root) + "." + operation + ", 0, " + p + ";";
        add(to, text, text, {result}, {"pred"});
      }
      const std::string text = std::string(root) + "." + operation + ", 1, 64, %p1;";
      add(to, text,
          "setp.lt.u32 %p1, %t, 32; setp.ge.u32 %p2, %t, 64; mov.b32 %r0, 9; setp.eq.u32 %p0, %t, 1; @%p2 bra DONE; " +
              text + " DONE: bar.sync 0;",
          {result}, {});
    }
  }
}

void add_quiet(std::vector<MicroCase>& to) {
  for (const char* text :
       {"membar.cta;", "membar.gl;", "membar.sys;", "fence.acq_rel.cta;", "fence.acq_rel.gpu;", "fence.sc.gpu;",
        "fence.sc.sys;", "fence.acq_rel.cluster;", "fence.proxy.async;", "nanosleep.u32 20;", "griddepcontrol.wait;",
        "griddepcontrol.launch_dependents;", "pmevent 1;"}) {
    add(to, text, std::string("st.global.b32 [%d28], %r1; ") + text + " ld.global.b32 %r0, [%d28];", {"%r0"}, {"b32"});
  }
}

}  // namespace

void add_warp_cases(std::vector<MicroCase>& to) {
  add_shuffles(to);
  add_votes(to);
  add_matches(to);
  add_reductions(to);
}

void add_matrix_cases(std::vector<MicroCase>& to) {
  add_matrix_moves(to);
  add_products(to);
}

void add_control_cases(std::vector<MicroCase>& to) {
  add_barriers(to);
  add_quiet(to);
  add(to, "bra loop",
      "and.b32 %r2, %r1, 15; mov.b32 %r0, 1; AGAIN: mad.lo.u32 %r0, %r0, 3, %r2; sub.s32 %r2, %r2, 1; "
      "setp.gt.s32 %p1, %r2, 0; @%p1 bra AGAIN;",
      {"%r0"}, {"b32"});
  add(to, "bra.uni", "mov.b32 %r0, 1; bra.uni NEXT; mov.b32 %r0, 2; NEXT: add.u32 %r0, %r0, %r1;", {"%r0"}, {"b32"});
  add(to, "brx.idx",
      "and.b32 %r2, %r1, 3; mov.b32 %r0, 0; TABLE: .branchtargets ZERO, ONE, TWO, ONE; brx.idx %r2, TABLE; "
      "ZERO: add.u32 %r0, %r0, 100; ONE: add.u32 %r0, %r0, 10; TWO: add.u32 %r0, %r0, %r2;",
      {"%r0"}, {"b32"});
  add(to, "brx.idx.uni",
      "mov.u32 %r2, %ctaid.x; and.b32 %r2, %r2, 1; mov.b32 %r0, 0; TABLE: .branchtargets ZERO, ONE; "
      "brx.idx.uni %r2, TABLE; ZERO: add.u32 %r0, %r0, 100; ONE: add.u32 %r0, %r0, %r1;",
      {"%r0"}, {"b32"});
  add(to, "guards",
      "mov.b32 %r0, 1; @%p2 add.u32 %r0, %r0, %r1; @!%p2 mov.b32 %r0, %r3; @%p2 st.global.b32 [%d28], 5; "
      "@!%p2 st.global.b32 [%d28], 6; ld.global.b32 %r4, [%d28];",
      {"%r0", "%r4"}, {"b32", "pred", "b32"});
  const std::string function =
      ".func (.param .b32 made) twist(.param .b32 a, .param .align 8 .b8 b[8])\n{\n  .reg .b32 %r<9>; .reg .b64 %d<3>; "
      ".reg .pred %p<2>;\n  ld.param.b32 %r1, [a]; ld.param.b64 %d1, [b]; cvt.u32.u64 %r2, %d1;\n"
      "  setp.gt.s32 %p1, %r1, 0; @%p1 bra POSITIVE;\n  st.param.b32 [made], %r2;\n  ret;\nPOSITIVE:\n"
      "  xor.b32 %r3, %r1, %r2; st.param.b32 [made], %r3;\n  ret.uni;\n}\n";
  const std::string call =
      "{ .param .b32 x; .param .align 8 .b8 y[8]; .param .b32 z; st.param.b32 [x], %r1; st.param.b64 [y], %d2; "
      "call (z), twist, (x, y); ld.param.b32 %r0, [z]; }";
  add(to, "call", call, {"%r0"}, {"b32", "b64"}, function);
  std::string uniform = call;
  uniform.replace(uniform.find("call "), 5, "call.uni ");
  add(to, "call.uni", uniform, {"%r0"}, {"b32", "b64"}, function);
  add(to, "call some lanes", "mov.b32 %r0, 3; @%p3 bra OVER; " + call + " OVER: bar.warp.sync -1;", {"%r0"},
      {"b32", "b64", "pred"}, function);
  // Lanes that leave early have stored what the others store at the end.
  for (const char* leave : {"exit", "ret", "ret.uni"}) {
    add(to, leave, std::string("st.global.b64 [%d31], 11; mov.b32 %r0, 3; @%p1 ") + leave + ";", {"%r0"}, {"pred"});
  }
}

}  // namespace tileloom::emu::test
