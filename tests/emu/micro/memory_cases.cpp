// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics and asynchronous copies. %d20 is the thread's cell in the space that is used: 32 bytes.
#include "emu/micro/micro_case.hpp"

namespace tileloom::emu::test {
namespace {

const Words types{"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"};

unsigned bytes_of(const std::string& type) {
  return static_cast<unsigned>(std::stoul(type.substr(1))) / 8;
}

// Puts the address of the thread's cell into %d20. `space` is what stands in the instruction; empty: generic addresses.
std::string cell(const std::string& space, const std::string& generic_of = "global") {
  const std::string where = space.empty() ? generic_of : space;
  std::string text;
  if (where == "global") text = "mov.u64 %d20, %d28;";
  if (where.starts_with("shared")) text = "mov.u64 %d20, smem; mad.wide.u32 %d20, %t, 64, %d20;";
  if (where == "local") text = "mov.u64 %d20, lmem;";
  if (space.empty() && where != "global") text += " cvta." + where + ".u64 %d20, %d20;";
  return text + " ";
}

std::string dotted(const std::string& space) {
  return space.empty() ? "" : "." + space;
}

// Inputs 1 ... 4 into the cell.
std::string fill(const std::string& space) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i) {
    text += "st" + dotted(space) + ".b64 [%d20+" + std::to_string(8 * i) + "], %d" + std::to_string(i + 1) + "; ";
  }
  return text;
}

std::string read_back(const std::string& space) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i) {
    text += " ld" + dotted(space) + ".b64 %d" + std::to_string(10 + i) + ", [%d20+" + std::to_string(8 * i) + "];";
  }
  return text;
}
const Words cell_words{"%d10", "%d11", "%d12", "%d13"};
const Words cell_inputs{"b64", "b64", "b64", "b64", "b64", "b64"};

// `{%r10, %r11}` or `%r10`.
std::string registers(char letter, unsigned first, unsigned count, Words& list) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    list.push_back(std::string("%") + letter + std::to_string(first + i));
    text += (i > 0 ? ", " : "") + list.back();
  }
  return count == 1 ? text : "{" + text + "}";
}

std::string vector_of(unsigned count) {
  return count == 1 ? "" : ".v" + std::to_string(count);
}

void add_load(std::vector<MicroCase>& to, const std::string& opcode, char letter, unsigned count,
              const std::string& before, const std::string& note) {
  MicroCase c;
  c.inputs = cell_inputs;
  const std::string list = registers(letter, 10, count, c.results);
  c.name = opcode + note;
  c.body = before + opcode + " " + list + ", [%d20+" + (count > 1 ? "16" : "8") + "];";
  to.push_back(c);
}

void add_store(std::vector<MicroCase>& to, const std::string& opcode, const std::string& space, char letter,
               unsigned count, const std::string& before, const std::string& note) {
  MicroCase c;
  c.inputs = cell_inputs;
  Words sources;
  const std::string list = registers(letter, 5, count, sources);
  for (const std::string& s : sources) {
    if (s[1] == 'r') c.body += "cvt.u32.u64 " + s + ", %d" + std::to_string((s[2] - '0' + 1) % 6 + 1) + "; ";
    if (s[1] == 'h') c.body += "cvt.u16.u64 " + s + ", %d" + std::to_string((s[2] - '0' + 1) % 6 + 1) + "; ";
  }
  c.name = opcode + note;
  c.body += before + opcode + " [%d20+" + (count > 1 ? "16" : "8") + "], " + list + ";" + read_back(space);
  c.results = cell_words;
  to.push_back(c);
}

void add_accesses(std::vector<MicroCase>& to, const std::string& space, const std::string& generic_of) {
  const std::string note = space.empty() ? " of " + generic_of : "";
  const std::string before = cell(space, generic_of) + fill(space);
  for (const std::string& t : types) {
    const unsigned bytes = bytes_of(t);
    const char letter = bytes == 8 ? 'd' : bytes == 4 ? 'r' : 'h';
    for (unsigned count = 1; count <= 4 && count * bytes <= 16; count *= 2) {
      add_load(to, "ld" + dotted(space) + vector_of(count) + "." + t, letter, count, before, note);
      add_store(to, "st" + dotted(space) + vector_of(count) + "." + t, space, letter, count, before, note);
    }
    for (const char wider : {'r', 'd'}) {
      if (bytes == 8 || wider == letter) continue;
      const std::string to_wider = note + (wider == 'r' ? ", 32-bit register" : ", 64-bit register");
      add_load(to, "ld" + dotted(space) + "." + t, wider, 1, before, to_wider);
      add_store(to, "st" + dotted(space) + "." + t, space, wider, 1, before, to_wider);
    }
  }
}

void add_hints(std::vector<MicroCase>& to) {
  const std::string before = cell("global") + fill("global");
  for (const char* m : {"ca", "cg", "cs", "lu", "cv", "volatile", "weak", "relaxed.gpu", "acquire.gpu", "relaxed.cta",
                        "acquire.sys", "L1::evict_last", "L1::no_allocate", "L2::128B"}) {
    const bool first = std::string(m).starts_with("v") || std::string(m).starts_with("w") ||
                       std::string(m).starts_with("relaxed") || std::string(m).starts_with("acquire");
    add_load(to, first ? std::string("ld.") + m + ".global.u32" : std::string("ld.global.") + m + ".u32", 'r', 1,
             before, "");
  }
  for (const char* m : {"wb", "cg", "cs", "wt", "volatile", "weak", "relaxed.gpu", "release.gpu", "L1::evict_first"}) {
    const bool first =
        std::string(m).starts_with("v") || std::string(m).starts_with("we") || std::string(m).starts_with("r");
    add_store(to, first ? std::string("st.") + m + ".global.b32" : std::string("st.global.") + m + ".b32", "global",
              'r', 1, before, "");
  }
  add_load(to, "ld.global.nc.u32", 'r', 1, "mov.u64 %d20, %d30; ", "");
  add_load(to, "ldu.global.u32", 'r', 1, "mov.u64 %d20, %d30; ", "");
  add_load(to, "ldu.global.v2.u64", 'd', 2, "mov.u64 %d20, %d30; ", "");
  for (const char* hint : {"prefetch.global.L1 [%d20];", "prefetch.global.L2 [%d20];", "prefetchu.L1 [%d20];",
                           "applypriority.global.L2::evict_normal [%d21], 128;", "prefetch.local.L1 [%d22];"}) {
    add_load(to, "ld.global.u32", 'r', 1, "and.b64 %d21, %d28, -128; mov.u64 %d22, lmem; " + before + hint + " ",
             std::string(" after ") + std::string(hint).substr(0, std::string(hint).find(' ')));
  }
  to.push_back({"discard.global.L2",
                "and.b64 %d21, %d28, -128; discard.global.L2 [%d21], 128; mov.b64 %d0, %d1;",
                {"%d0"},
                {"b64"},
                "",
                {}});
  to.push_back({"createpolicy",
                before + "createpolicy.fractional.L2::evict_last.b64 %d9, 1.0; "
                         "ld.global.L2::cache_hint.u32 %r10, [%d20+8], %d9;",
                {"%r10"},
                cell_inputs,
                "",
                {}});
}

void add_parameters_and_constants(std::vector<MicroCase>& to) {
  const std::string values =
      ".const .align 16 .b32 numbers[8] = {0x80000001, 0x7FFF8000, 0xFEDCBA98, 0x76543210, 1, 2, 3, 0xFFFFFFFF};\n"
      ".global .align 16 .b32 table[8] = {0x80000001, 0x7FFF8000, 0xFEDCBA98, 0x76543210, 1, 2, 3, 0xFFFFFFFF};\n";
  for (const char* t : {"u8", "s8", "u16", "s16", "u32", "s32", "f32", "u64"}) {
    const std::string type = t;
    const unsigned bytes = bytes_of(type);
    const char letter = bytes == 8 ? 'd' : bytes == 4 ? 'r' : 'h';
    for (const auto& [space, variable] : {std::pair{"const", "numbers"}, std::pair{"global", "table"}}) {
      add_load(to, std::string("ld.") + space + "." + t, letter, 1,
               std::string("and.b32 %r20, %t, 2; mov.u64 %d20, ") + variable + "; mad.wide.u32 %d20, %r20, 4, %d20; ",
               " of a variable");
      to.back().head = values;
    }
  }
  to.push_back({"ld.const.v4.u32",
                "ld.const.v4.u32 {%r10, %r11, %r12, %r13}, [numbers+16];",
                {"%r10", "%r11", "%r12", "%r13"},
                {},
                values,
                {}});
  to.push_back({"ld.param.u64",
                "ld.param.u64 %d9, [out]; ld.param.b32 %r9, [out+4]; shr.u64 %d10, %d9, 32; "
                "cvt.u32.u64 %r10, %d10; setp.eq.u32 %p0, %r9, %r10;",
                {"%p0"},
                {},
                "",
                {}});
}

void add_copies(std::vector<MicroCase>& to) {
  const std::string begin = "mov.u64 %d20, smem; mad.wide.u32 %d20, %t, 64, %d20; " + fill("shared");
  const std::string pointer = "cvt.u32.u64 %r20, %d20; ";
  for (const auto& [form, bytes] :
       {std::pair{"ca", 4U}, std::pair{"ca", 8U}, std::pair{"ca", 16U}, std::pair{"cg", 16U}}) {
    const std::string opcode = std::string("cp.async.") + form + ".shared.global";
    const std::string n = std::to_string(bytes);
    const auto add = [&](const std::string& note, const std::string& extra, const std::string& wait,
                         const std::string& hint = "") {
      const std::string size =
          "rem.u32 %r21, %r5, " + std::to_string(bytes + 1) + "; setp.gt.s32 %p1, %r6, 0; cvt.u32.u64 %r19, %d6; ";
      std::string before = "cvt.u32.u64 %r5, %d5; cvt.u32.u64 %r6, %d6; " + size;
      to.push_back({opcode + hint + " " + n + note,
                    before + begin + pointer + opcode + hint + " [%r20+16], [%d30+16], " + n + extra + "; " + wait +
                        read_back("shared"),
                    cell_words,
                    cell_inputs,
                    "",
                    {}});
    };
    const std::string wait_all = "cp.async.wait_all;";
    add("", "", wait_all);
    add(" bytes", ", %r21", wait_all);
    add(" ignored", ", %p1", wait_all);
    add(" wait_group 0", "", "cp.async.commit_group; cp.async.wait_group 0;");
    add("", "", wait_all, ".L2::128B");
  }
  const std::string two =
      "cvt.u32.u64 %r20, %d20; cp.async.ca.shared.global [%r20], [%d30+8], 8; cp.async.commit_group; "
      "cp.async.ca.shared::cta.global [%r20+8], [%d30], 8; cp.async.commit_group; ";
  to.push_back({"cp.async two groups",
                begin + two +
                    "cp.async.wait_group 1; ld.shared.b64 %d10, [%d20]; cp.async.wait_group 0; "
                    "ld.shared.b64 %d11, [%d20+8];",
                {"%d10", "%d11"},
                cell_inputs,
                "",
                {}});
}

// One atomic on the thread's own cell, which begins with input 1: the old value and the new one.
void add_atomic(std::vector<MicroCase>& to, const std::string& space, const std::string& operation,
                const std::string& type, const std::string& modifiers = "", const std::string& generic_of = "global") {
  const bool swap = operation == "cas";
  const std::string bits = reg(type, 1)[1] == 'h' ? "b16" : reg(type, 1)[1] == 'r' ? "b32" : "b64";
  const std::string before =
      cell(space, generic_of) + "st" + dotted(space) + "." + bits + " [%d20+8], " + reg(type, 1) + "; ";
  const std::string arguments = " [%d20+8], " + reg(type, 2) + (swap ? ", " + reg(type, 3) : "") + ";";
  const std::string after = " ld" + dotted(space) + "." + bits + " " + reg(type, 10) + ", [%d20+8];";
  const std::string rest = modifiers + dotted(space) + "." + operation + "." + type;
  const std::string note = space.empty() ? " of " + generic_of : "";
  const std::string plain = operation.substr(0, operation.find('.'));
  to.push_back({"atom" + rest + note,
                before + "atom" + rest + " " + reg(type, 0) + "," + arguments + after,
                {reg(type, 0), reg(type, 10)},
                {type, type, type},
                "",
                {}});
  if (plain == "exch" || plain == "cas") return;
  to.push_back(
      {"red" + rest + note, before + "red" + rest + arguments + after, {reg(type, 10)}, {type, type, type}, "", {}});
}

void add_atomics_of(std::vector<MicroCase>& to, const std::string& space, const std::string& generic_of) {
  const auto add = [&](const std::string& operation, const std::string& type) {
    add_atomic(to, space, operation, type, "", generic_of);
  };
  for (const char* t : {"b32", "b64"}) {
    for (const char* operation : {"and", "or", "xor", "exch", "cas"}) add(operation, t);
  }
  add("cas", "b16");
  for (const char* t : {"u32", "s32", "u64"}) add("add", t);
  for (const char* t : {"u32", "s32", "u64", "s64"}) {
    add("min", t);
    add("max", t);
  }
  add("inc", "u32");
  add("dec", "u32");
  add("add", "f32");
  add("add", "f64");
  for (const char* t : {"f16", "f16x2", "bf16", "bf16x2"}) add("add.noftz", t);
}

}  // namespace

void add_memory_cases(std::vector<MicroCase>& to) {
  for (const char* space : {"global", "shared", "local"}) add_accesses(to, space, "");
  for (const char* of : {"global", "shared", "local"}) add_accesses(to, "", of);
  for (const char* t : {"b32", "u64"}) {
    const char letter = t[1] == '6' ? 'd' : 'r';
    for (const char* space : {"shared::cta", "shared::cluster"}) {
      add_load(to, std::string("ld.") + space + "." + t, letter, 1, cell("shared") + fill("shared"), "");
      add_store(to, std::string("st.") + space + "." + t, "shared", letter, 1, cell("shared") + fill("shared"), "");
    }
  }
  add_hints(to);
  add_parameters_and_constants(to);
  add_copies(to);
}

void add_atomic_cases(std::vector<MicroCase>& to) {
  for (const char* space : {"global", "shared"}) add_atomics_of(to, space, "");
  for (const char* of : {"global", "shared"}) add_atomics_of(to, "", of);
  for (const char* m :
       {".relaxed.cta", ".relaxed.gpu", ".acquire.gpu", ".release.gpu", ".acq_rel.gpu", ".acq_rel.sys"}) {
    add_atomic(to, "global", "add", "u32", m);
  }
  for (const char* offset : {"0", "4", "16"}) {
    for (const char* type : {"f16x2", "bf16x2"}) {
      to.push_back({std::string("atom.shared.add.noftz.") + type + " at " + offset,
                    cell("shared") + "st.shared.b32 [%d20+" + offset + "], %r1; atom.shared.add.noftz." + type +
                        " %r0, [%d20+" + offset + "], %r2; ld.shared.b32 %r10, [%d20+" + offset + "];",
                    {"%r0", "%r10"},
                    {type, type},
                    "",
                    {}});
    }
  }
  to.push_back(
      {"red.shared.add.u32 of all",
       "mov.u64 %d20, smem; st.shared.u32 [%d20], 7; bar.sync 0; "
       "red.shared.add.u32 [%d20], %r1; red.shared.max.u32 [smem+64], 0; bar.sync 0; ld.shared.u32 %r0, [%d20];",
       {"%r0"},
       {"u32"},
       "",
       {}});
}

}  // namespace tileloom::emu::test
