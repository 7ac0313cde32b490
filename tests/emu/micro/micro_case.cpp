// SPDX-License-Identifier: Apache-2.0
#include "emu/micro/micro_case.hpp"

#include <cctype>

namespace tileloom::emu::test {

std::string reg(const std::string& type, unsigned i) {
  const auto ends = [&](const char* with) { return type.ends_with(with); };
  const char letter =
      type == "pred"                                                                                            ? 'p'
      : ends("64") || ends("x4") || ends("wide") || type == "f64near"                                           ? 'd'
      : ends("32") || ends("x2") || type.starts_with("f32") || type == "count" || type == "few" || ends("lane") ? 'r'
                                                                                                                : 'h';
  return std::string("%") + letter + std::to_string(i);
}

unsigned register_bits(const std::string& name) {
  return name[1] == 'p' ? 1 : name[1] == 'h' ? 16 : name[1] == 'r' ? 32 : 64;
}

MicroCase plain_case(const std::string& opcode, const std::string& result, const Words& operands,
                     const std::string& tail) {
  MicroCase c;
  c.name = opcode + tail;
  c.inputs = operands;
  c.results = {reg(result, 0)};
  c.body = opcode + " " + c.results[0];
  for (unsigned i = 0; i < operands.size(); ++i) c.body += ", " + reg(operands[i], i + 1);
  c.body += tail + ";";
  return c;
}

Words product(const std::vector<Words>& lists) {
  Words made{""};
  for (const Words& list : lists) {
    Words longer;
    for (const std::string& begin : made) {
      for (const std::string& word : list) longer.push_back(begin + word);
    }
    made = std::move(longer);
  }
  return made;
}

std::string micro_symbol(const MicroCase& c) {
  std::string symbol = "micro_";
  for (const char letter : c.name) symbol += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return symbol;
}

namespace {

std::string take_inputs(const MicroCase& c) {
  std::string text;
  for (unsigned i = 0; i < c.inputs.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    const std::string to = reg(c.inputs[i], i + 1);
    text += "  ld.global.b64 %d" + n + ", [%d30+" + std::to_string(8 * i) + "];\n";
    if (to[1] == 'r') text += "  cvt.u32.u64 " + to + ", %d" + n + ";\n";
    if (to[1] == 'h') text += "  cvt.u16.u64 " + to + ", %d" + n + ";\n";
    if (to[1] == 'p') text += "  and.b64 %d29, %d" + n + ", 1; setp.ne.u64 " + to + ", %d29, 0;\n";
  }
  return text;
}

std::string give_results(const MicroCase& c) {
  std::string text;
  for (unsigned i = 0; i < c.results.size(); ++i) {
    const std::string& from = c.results[i];
    const std::string to = "[%d31+" + std::to_string(8 * i) + "]";
    if (from[1] == 'd') {
      text += "  st.global.b64 " + to + ", " + from + ";\n";
      continue;
    }
    text += from[1] == 'p'   ? "  selp.b64 %d29, 1, 0, " + from + ";\n"
            : from[1] == 'h' ? "  cvt.u64.u16 %d29, " + from + ";\n"
                             : "  cvt.u64.u32 %d29, " + from + ";\n";
    text += "  st.global.b64 " + to + ", %d29;\n";
  }
  return text;
}

}  // namespace

std::string micro_ptx(const MicroCase& c) {
  const std::string out_bytes = std::to_string(8 * c.results.size());
  std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n" + c.head;
  text += ".visible .entry " + micro_symbol(c) + "(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{\n";
  text += "  .reg .pred %p<20>; .reg .b16 %h<40>; .reg .b32 %r<80>; .reg .b64 %d<40>; .reg .b32 %t, %u;\n";
  if (c.body.find(" smem") != std::string::npos || c.body.find("[smem") != std::string::npos)
    text += "  .shared .align 128 .b8 smem[8192];\n";
  if (c.body.find("lmem") != std::string::npos) text += "  .local .align 64 .b8 lmem[64];\n";
  text += "  ld.param.u64 %d30, [in]; ld.param.u64 %d31, [out]; ld.param.u64 %d28, [scratch];\n";
  text += "  mov.u32 %t, %tid.x; mov.u32 %u, %ctaid.x; mad.lo.u32 %u, %u, " + std::to_string(micro_threads) + ", %t;\n";
  text += "  mad.wide.u32 %d30, %u, " + std::to_string(8 * micro_inputs) + ", %d30; mad.wide.u32 %d31, %u, " +
          out_bytes + ", %d31; mad.wide.u32 %d28, %u, " + std::to_string(micro_cell) + ", %d28;\n";
  text += take_inputs(c) + "  " + c.body + "\n" + give_results(c) + "  ret;\n}\n";
  return text;
}

std::vector<MicroCase> micro_cases() {
  std::vector<MicroCase> made;
  for (const auto add :
       {add_integer_cases, add_bit_cases, add_real_cases, add_half_cases, add_compare_cases, add_convert_cases,
        add_move_cases, add_memory_cases, add_atomic_cases, add_warp_cases, add_matrix_cases, add_control_cases}) {
    add(made);
  }
  return made;
}

}  // namespace tileloom::emu::test
