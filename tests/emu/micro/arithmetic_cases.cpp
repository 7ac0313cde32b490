// SPDX-License-Identifier: Apache-2.0
// Integer, f32, f64 and half arithmetic.
#include "emu/micro/micro_case.hpp"

namespace tileloom::emu::test {
namespace {

const Words integer_types{"u16", "s16", "u32", "s32", "u64", "s64"};
const Words wide_types{"u32", "s32", "u64", "s64"};
const Words words{"u32", "s32"};

std::string widened(const std::string& type) {
  return type.substr(0, 1) + (type.ends_with("16") ? "32" : "64");
}

std::string untyped(const std::string& type) {
  return (type.ends_with("64") ? "b64" : "b32");
}

// An instruction that reads or writes the carry flag: `before` sets it, from inputs 4 and 5.
void add_carry(std::vector<MicroCase>& to, const std::string& opcode, const std::string& type, unsigned operands,
               const std::string& before, bool carry_out) {
  const Words kinds(5, untyped(type));
  MicroCase c = plain_case(opcode + "." + type, type, Words(operands, type));
  c.inputs = kinds;
  c.name += before.empty() ? "" : " after " + before;
  std::string set;
  if (!before.empty()) set = before + "." + type + " " + reg(type, 9) + ", " + reg(type, 4) + ", " + reg(type, 5) + ";";
  c.body = set + " " + c.body;
  if (carry_out) {
    const bool borrow = opcode.starts_with("sub");
    c.body += borrow ? " subc.u32 %r10, 0, 0;" : " addc.u32 %r10, 0, 0;";
    c.results.emplace_back("%r10");
  }
  to.push_back(c);
}

void add_carries(std::vector<MicroCase>& to) {
  for (const std::string& t : wide_types) {
    add_carry(to, "add.cc", t, 2, "", true);
    add_carry(to, "sub.cc", t, 2, "", true);
    add_carry(to, "addc", t, 2, "add.cc", false);
    add_carry(to, "addc.cc", t, 2, "add.cc", true);
    add_carry(to, "subc", t, 2, "sub.cc", false);
    add_carry(to, "subc.cc", t, 2, "sub.cc", true);
    add_carry(to, "addc.cc", t, 2, "sub.cc", true);
    add_carry(to, "subc.cc", t, 2, "add.cc", true);
    for (const char* half : {"lo", "hi"}) {
      add_carry(to, std::string("mad.") + half + ".cc", t, 3, "", true);
      add_carry(to, std::string("madc.") + half, t, 3, "add.cc", false);
      add_carry(to, std::string("madc.") + half + ".cc", t, 3, "add.cc", true);
    }
  }
}

void add_products(std::vector<MicroCase>& to) {
  for (const std::string& t : integer_types) {
    for (const char* half : {"lo", "hi"}) {
      to.push_back(plain_case(std::string("mul.") + half + "." + t, t, {t, t}));
      to.push_back(plain_case(std::string("mad.") + half + "." + t, t, {t, t, t}));
    }
    if (t.ends_with("64")) continue;
    to.push_back(plain_case("mul.wide." + t, widened(t), {t, t}));
    to.push_back(plain_case("mad.wide." + t, widened(t), {t, t, widened(t)}));
  }
  to.push_back(plain_case("mad.hi.sat.s32", "s32", {"s32", "s32", "s32"}));
  for (const std::string& opcode : product({{"lo", "hi"}, {".u32", ".s32"}})) {
    to.push_back(plain_case("mul24." + opcode, "u32", {"u32", "u32"}));
    to.push_back(plain_case("mad24." + opcode, "u32", {"u32", "u32", "u32"}));
  }
}

const Words f32_forms = product({{"", ".rn", ".rz", ".rm", ".rp"}, {"", ".ftz"}, {"", ".sat"}, {".f32"}});
const Words f32_rounded = product({{".rn", ".rz", ".rm", ".rp"}, {"", ".ftz"}, {".f32"}});
const Words f64_forms{".f64", ".rn.f64", ".rz.f64", ".rm.f64", ".rp.f64"};
const Words f64_rounded{".rn.f64", ".rz.f64", ".rm.f64", ".rp.f64"};

void add_forms(std::vector<MicroCase>& to, const std::string& root, const Words& forms, const std::string& type,
               std::size_t operands, Tolerance tolerance = {}) {
  for (const std::string& form : forms) {
    to.push_back(plain_case(root + form, type, Words(operands, type)));
    to.back().tolerance = tolerance;
  }
}

// Results that are nearly subnormal: whether they are flushed is decided before or after rounding.
void add_near_subnormal(std::vector<MicroCase>& to) {
  const auto add = [&](const std::string& opcode, const std::string& type, const Words& kinds) {
    MicroCase c = plain_case(opcode, type, kinds);
    c.name += " near the least normal";
    to.push_back(c);
  };
  for (const std::string& form : product({{".rn", ".rz", ".rm", ".rp"}, {"", ".ftz"}, {"", ".sat"}, {".f32"}})) {
    add("mul" + form, "f32", {"f32below", "f32near"});
    add("fma" + form, "f32", {"f32below", "f32near", "f32zero"});
  }
  for (const char* form : {".f16", ".ftz.f16", ".rn.ftz.f16", ".ftz.sat.f16"}) {
    add(std::string("mul") + form, "f16", {"f16below", "f16near"});
  }
  for (const char* form : {".f16", ".ftz.f16", ".ftz.sat.f16", ".ftz.relu.f16"}) {
    add(std::string("fma.rn") + form, "f16", {"f16below", "f16near", "f16zero"});
  }
  for (const std::string& form : product({{".rn", ".rz", ".rm", ".rp"}, {"", ".ftz"}, {".f32.f64"}})) {
    add("cvt" + form, "f32", {"f64near"});
  }
}

void add_approximate(std::vector<MicroCase>& to) {
  const Words both{".approx.f32", ".approx.ftz.f32"};
  // Distances from the rounded result that an H200 shows; none is beyond what PTX ISA allows.
  add_forms(to, "div", {".approx.f32", ".approx.ftz.f32", ".full.f32", ".full.ftz.f32"}, "f32", 2, {.ulps = 1});
  for (const char* root : {"rcp", "sqrt", "rsqrt"}) add_forms(to, root, both, "f32", 1, {.ulps = 1});
  for (const char* root : {"sin", "cos"}) add_forms(to, root, both, "f32", 1, {.absolute = 0x1p-21});
  add_forms(to, "lg2", both, "f32", 1, {.ulps = 1, .absolute = 0x1p-22});
  add_forms(to, "ex2", both, "f32", 1, {.ulps = 2});
  add_forms(to, "tanh", {".approx.f32"}, "f32", 1, {.ulps = 128});
  // Of the first two only the high word counts.
  for (const char* root : {"rcp", "rsqrt"}) add_forms(to, root, {".approx.ftz.f64"}, "f64", 1, {.ulps = 0x1p32});
  add_forms(to, "rsqrt", {".approx.f64"}, "f64", 1, {.ulps = 1});
  for (const char* type : {"f16", "f16x2", "bf16", "bf16x2"}) {
    const std::string ftz = type[0] == 'b' ? ".approx.ftz." : ".approx.";
    add_forms(to, "ex2", {ftz + type}, type, 1, {.ulps = 1});
    add_forms(to, "tanh", {std::string(".approx.") + type}, type, 1, {.ulps = 1});
  }
}

}  // namespace

void add_integer_cases(std::vector<MicroCase>& to) {
  for (const std::string& t : integer_types) {
    for (const char* root : {"add", "sub", "div", "rem", "min", "max"}) {
      to.push_back(plain_case(std::string(root) + "." + t, t, {t, t}));
    }
    to.push_back(plain_case("sad." + t, t, {t, t, t}));
    if (t.starts_with('s')) {
      to.push_back(plain_case("abs." + t, t, {t}));
      to.push_back(plain_case("neg." + t, t, {t}));
    }
  }
  for (const char* opcode : {"add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s32"}) {
    to.push_back(plain_case(opcode, "s32", {"s32", "s32"}));
  }
  add_carries(to);
  add_products(to);
  for (const std::string& types : product({{".u32", ".s32"}, {".u32", ".s32"}})) {
    for (const char* root : {"dp4a", "dp2a.lo", "dp2a.hi"}) {
      to.push_back(plain_case(root + types, "b32", {"b32", "b32", "b32"}));
    }
  }
}

void add_real_cases(std::vector<MicroCase>& to) {
  for (const char* root : {"add", "sub", "mul"}) {
    add_forms(to, root, f32_forms, "f32", 2);
    add_forms(to, root, f64_forms, "f64", 2);
  }
  for (const char* root : {"fma", "mad"}) {
    add_forms(to, root, product({{".rn", ".rz", ".rm", ".rp"}, {"", ".ftz"}, {"", ".sat"}, {".f32"}}), "f32", 3);
    add_forms(to, root, f64_rounded, "f64", 3);
  }
  add_forms(to, "div", f32_rounded, "f32", 2);
  add_forms(to, "div", f64_rounded, "f64", 2);
  for (const char* root : {"rcp", "sqrt"}) {
    add_forms(to, root, f32_rounded, "f32", 1);
    add_forms(to, root, f64_rounded, "f64", 1);
  }
  for (const char* root : {"min", "max"}) {
    add_forms(to, root, product({{"", ".ftz"}, {"", ".NaN"}, {"", ".xorsign.abs"}, {".f32"}}), "f32", 2);
    add_forms(to, root, {".f64"}, "f64", 2);
  }
  for (const char* root : {"abs", "neg"}) {
    add_forms(to, root, {".f32", ".ftz.f32"}, "f32", 1);
    add_forms(to, root, {".f64"}, "f64", 1);
  }
  add_forms(to, "copysign", {".f32"}, "f32", 2);
  add_forms(to, "copysign", {".f64"}, "f64", 2);
  add_near_subnormal(to);
  add_approximate(to);
}

void add_half_cases(std::vector<MicroCase>& to) {
  for (const char* type : {"f16", "f16x2", "bf16", "bf16x2"}) {
    const std::string dot = std::string(".") + type;
    const bool brain = type[0] == 'b';
    const Words flushing = brain ? Words{""} : Words{"", ".ftz"};
    const Words saturating = brain ? Words{""} : Words{"", ".sat"};
    const Words finishing = brain ? Words{"", ".relu"} : Words{"", ".sat", ".relu"};
    for (const char* root : {"add", "sub", "mul"}) {
      add_forms(to, root, product({{"", ".rn"}, flushing, saturating, {dot}}), type, 2);
    }
    add_forms(to, "fma.rn", product({flushing, finishing, {dot}}), type, 3);
    for (const char* root : {"neg", "abs"}) add_forms(to, root, product({flushing, {dot}}), type, 1);
    for (const char* root : {"min", "max"}) {
      add_forms(to, root, product({flushing, {"", ".NaN"}, {"", ".xorsign.abs"}, {dot}}), type, 2);
    }
  }
}

}  // namespace tileloom::emu::test
