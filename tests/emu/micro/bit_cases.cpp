// SPDX-License-Identifier: Apache-2.0
// Logic, shifts and bit fields; comparison and selection.
#include "emu/micro/micro_case.hpp"

namespace tileloom::emu::test {
namespace {

const Words all_types{"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"};

// Predicates p|q of two comparisons.
MicroCase pair_case(const std::string& opcode, const std::string& type, const std::string& combined) {
  MicroCase c = plain_case(opcode, "pred", {type, type});
  c.results = {"%p0", "%p9"};
  if (!combined.empty()) c.inputs.emplace_back("pred");
  if (!combined.empty()) c.name += " " + combined;
  c.body = opcode + " %p0|%p9, " + reg(type, 1) + ", " + reg(type, 2) + combined + ";";
  return c;
}

void add_comparison(std::vector<MicroCase>& to, const std::string& relation, const std::string& type,
                    const std::string& ftz = "") {
  to.push_back(type.ends_with("x2") ? pair_case("setp." + relation + ftz + "." + type, type, "")
                                    : plain_case("setp." + relation + ftz + "." + type, "pred", {type, type}));
}

void add_combined(std::vector<MicroCase>& to, const std::string& type) {
  const std::string relation = type[0] == 'b' && type[1] != 'f' ? "eq" : "lt";
  const bool one_half = type == "f16" || type == "bf16";  // these take no p|q
  if (!one_half) to.push_back(pair_case("setp." + relation + "." + type, type, ""));
  if (!one_half) to.back().name += " p|q";
  for (const char* operation : {"and", "or", "xor"}) {
    const std::string opcode = "setp." + relation + "." + operation + "." + type;
    if (!type.ends_with("x2")) to.push_back(plain_case(opcode, "pred", {type, type, "pred"}));
    if (one_half) continue;
    to.push_back(pair_case(opcode, type, ", %p3"));
    to.push_back(pair_case(opcode, type, ", !%p3"));
  }
}

const Words ordered{"eq", "ne", "lt", "le", "gt", "ge"};
const Words unordered{"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

void add_set(std::vector<MicroCase>& to, const std::string& relation, const std::string& result,
             const std::string& type) {
  to.push_back(plain_case("set." + relation + "." + result + "." + type, result, {type, type}));
}

void add_sets(std::vector<MicroCase>& to) {
  for (const char* result : {"u32", "s32", "f32", "u16", "s16", "f16", "bf16"}) {
    for (const char* type : {"b16", "b32", "b64"}) add_set(to, "ne", result, type);
    for (const char* type : {"u16", "u32", "u64"}) add_set(to, "hi", result, type);
    for (const char* type : {"s16", "s32", "s64"}) add_set(to, "le", result, type);
    for (const char* type : {"f32", "f64", "f16", "bf16", "ftz.f32"}) {
      const std::string source = type;
      const bool ftz = source.starts_with("ftz");
      const std::string kind = ftz ? "f32" : source;
      for (const char* relation : {"lt", "geu"}) {
        to.push_back(plain_case(std::string("set.") + relation + (ftz ? ".ftz." : ".") + result + "." + kind, result,
                                {kind, kind}));
      }
    }
  }
  for (const char* operation : {"and", "or", "xor"}) {
    MicroCase c = plain_case(std::string("set.gt.") + operation + ".u32.f32", "u32", {"f32", "f32", "pred"});
    to.push_back(c);
    c.name += " !p";
    c.body = std::string("set.gt.") + operation + ".u32.f32 %r0, %r1, %r2, !%p3;";
    to.push_back(c);
  }
}

void add_selections(std::vector<MicroCase>& to) {
  for (const std::string& t : all_types) {
    to.push_back(plain_case("selp." + t, t, {t, t, "pred"}));
    for (const char* test : {"s32", "f32"}) to.push_back(plain_case("slct." + t + "." + test, t, {t, t, test}));
    to.push_back(plain_case("slct.ftz." + t + ".f32", t, {t, t, "f32"}));
  }
  for (const char* test : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
    for (const char* type : {"f32", "f64"}) {
      to.push_back(plain_case(std::string("testp.") + test + "." + type, "pred", {type}));
    }
  }
}

void add_fields(std::vector<MicroCase>& to) {
  for (const char* t : {"u32", "s32", "u64", "s64"}) {
    to.push_back(plain_case(std::string("bfe.") + t, t, {t, "count", "count"}));
    to.push_back(plain_case(std::string("bfind.") + t, "u32", {t}));
    to.push_back(plain_case(std::string("bfind.shiftamt.") + t, "u32", {t}));
  }
  for (const char* t : {"b32", "b64"}) {
    to.push_back(plain_case(std::string("bfi.") + t, t, {t, t, "count", "count"}));
    to.push_back(plain_case(std::string("brev.") + t, t, {t}));
    to.push_back(plain_case(std::string("clz.") + t, "u32", {t}));
    to.push_back(plain_case(std::string("popc.") + t, "u32", {t}));
  }
  for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"}) {
    to.push_back(plain_case(std::string("prmt.b32") + mode, "b32", {"b32", "b32", "b32"}));
  }
  for (const char* mode : {"clamp", "wrap"}) {
    to.push_back(plain_case(std::string("bmsk.") + mode + ".b32", "b32", {"count", "count"}));
  }
}

}  // namespace

void add_bit_cases(std::vector<MicroCase>& to) {
  for (const char* root : {"and", "or", "xor"}) {
    for (const char* t : {"pred", "b16", "b32", "b64"}) {
      to.push_back(plain_case(std::string(root) + "." + t, t, {t, t}));
    }
  }
  for (const char* t : {"pred", "b16", "b32", "b64"}) to.push_back(plain_case(std::string("not.") + t, t, {t}));
  for (const char* t : {"b16", "b32", "b64"}) {
    to.push_back(plain_case(std::string("cnot.") + t, t, {t}));
    to.push_back(plain_case(std::string("shl.") + t, t, {t, "count"}));
  }
  for (const char* t : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"}) {
    to.push_back(plain_case(std::string("shr.") + t, t, {t, "count"}));
  }
  for (unsigned table = 0; table < 256; table = table < 16 ? table + 1 : table + 11) {
    to.push_back(plain_case("lop3.b32", "b32", {"b32", "b32", "b32"}, ", " + std::to_string(table)));
  }
  for (const std::string& form : product({{"l", "r"}, {".wrap", ".clamp"}})) {
    to.push_back(plain_case("shf." + form + ".b32", "b32", {"b32", "b32", "count"}));
  }
  add_fields(to);
}

void add_compare_cases(std::vector<MicroCase>& to) {
  for (const char* t : {"b16", "b32", "b64"}) {
    for (const char* relation : {"eq", "ne"}) add_comparison(to, relation, t);
  }
  for (const char* t : {"u16", "u32", "u64", "s16", "s32", "s64"}) {
    for (const std::string& relation : ordered) add_comparison(to, relation, t);
    if (t[0] == 's') continue;
    for (const char* relation : {"lo", "ls", "hi", "hs"}) add_comparison(to, relation, t);
  }
  for (const char* t : {"f32", "f64", "f16", "bf16", "f16x2", "bf16x2"}) {
    for (const Words& list : {ordered, unordered}) {
      for (const std::string& relation : list) {
        add_comparison(to, relation, t);
        if (t[0] == 'f' && t[1] != '6') add_comparison(to, relation, t, ".ftz");
      }
    }
  }
  for (const std::string& t : all_types) add_combined(to, t);
  for (const char* t : {"f16", "bf16", "f16x2", "bf16x2"}) add_combined(to, t);
  add_sets(to);
  add_selections(to);
}

}  // namespace tileloom::emu::test
