// SPDX-License-Identifier: Apache-2.0
// cvt of every pair of types with every rounding, and mov.
#include "emu/micro/micro_case.hpp"

namespace tileloom::emu::test {
namespace {

const Words integers{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
const Words reals{"f16", "bf16", "f32", "f64"};
const Words roundings{".rn", ".rz", ".rm", ".rp"};
const Words integral{".rni", ".rzi", ".rmi", ".rpi"};

void add(std::vector<MicroCase>& to, const std::string& modifiers, const std::string& result, const std::string& from) {
  to.push_back(plain_case("cvt" + modifiers + "." + result + "." + from, result, {from}));
}

// The destination register is wider than the type.
void add_widened(std::vector<MicroCase>& to, const std::string& result, const std::string& from,
                 const std::string& modifiers = "") {
  for (const char* wide : {"b32", "b64"}) {
    MicroCase c = plain_case("cvt" + modifiers + "." + result + "." + from, wide, {from});
    c.name += std::string(" to ") + wide;
    to.push_back(c);
  }
}

void add_reals(std::vector<MicroCase>& to) {
  for (const std::string& result : reals) {
    for (const std::string& from : reals) {
      const bool single = from == "f32" || result == "f32";
      const Words ftz = single ? Words{"", ".ftz"} : Words{""};
      Words rounding = roundings;
      rounding.emplace_back("");
      for (const std::string& m : product({rounding, ftz, {"", ".sat", ".relu"}})) add(to, m, result, from);
      if (result != from) continue;
      for (const std::string& m : product({integral, ftz, {"", ".sat"}})) add(to, m, result, from);
    }
  }
  for (const std::string& m : product({{".rn", ".rz"}, {"", ".relu"}, {"", ".satfinite"}, {".f16x2", ".bf16x2"}})) {
    to.push_back(plain_case("cvt" + m + ".f32", "b32", {"f32", "f32"}));
  }
}

}  // namespace

void add_convert_cases(std::vector<MicroCase>& to) {
  for (const std::string& result : integers) {
    for (const std::string& from : integers) {
      add(to, "", result, from);
      add(to, ".sat", result, from);
      if (result.ends_with("8") || result == "s16" || result == "u16") add_widened(to, result, from);
    }
    for (const std::string& from : reals) {
      const Words ftz = from == "f32" ? Words{"", ".ftz"} : Words{""};
      for (const std::string& m : product({integral, ftz, {"", ".sat"}})) add(to, m, result, from);
      for (const std::string& m : product({roundings, {"", ".sat"}})) add(to, m, from, result);
      if (result.ends_with("8")) add_widened(to, result, from, ".rzi");
    }
  }
  add_reals(to);
}

void add_move_cases(std::vector<MicroCase>& to) {
  for (const char* t : {"pred", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"}) {
    to.push_back(plain_case(std::string("mov.") + t, t, {t}));
  }
  const auto body = [&](const std::string& name, const std::string& text, const Words& results, const Words& inputs) {
    to.push_back({name, text, results, inputs, "", {}});
  };
  body("mov.b32 {h,h}", "mov.b32 %r0, {%h1, %h2};", {"%r0"}, {"b16", "b16"});
  body("mov.b64 {r,r}", "mov.b64 %d0, {%r1, %r2};", {"%d0"}, {"b32", "b32"});
  body("mov.b64 {h,h,h,h}", "mov.b64 %d0, {%h1, %h2, %h3, %h4};", {"%d0"}, {"b16", "b16", "b16", "b16"});
  body("mov.b32 to {h,h}", "mov.b32 {%h10, %h11}, %r1;", {"%h10", "%h11"}, {"b32"});
  body("mov.b64 to {r,r}", "mov.b64 {%r10, %r11}, %d1;", {"%r10", "%r11"}, {"b64"});
  body("mov.b64 to {h,h,h,h}", "mov.b64 {%h10, %h11, %h12, %h13}, %d1;", {"%h10", "%h11", "%h12", "%h13"}, {"b64"});
  for (const char* name : {"tid.x",           "tid.y",           "tid.z",        "ntid.x",          "ntid.y",
                           "ntid.z",          "ctaid.x",         "ctaid.y",      "ctaid.z",         "nctaid.x",
                           "nctaid.y",        "nctaid.z",        "laneid",       "nwarpid",         "lanemask_eq",
                           "lanemask_lt",     "lanemask_le",     "lanemask_gt",  "lanemask_ge",     "dynamic_smem_size",
                           "total_smem_size", "aggr_smem_size",  "clusterid.x",  "clusterid.y",     "clusterid.z",
                           "nclusterid.x",    "nclusterid.y",    "nclusterid.z", "cluster_ctaid.x", "cluster_nctaid.x",
                           "cluster_ctarank", "cluster_nctarank"}) {
    body(std::string("mov.u32 %") + name, std::string("mov.u32 %r0, %") + name + ";", {"%r0"}, {});
  }
  for (const char* name : {"clock64", "globaltimer"}) {
    body(std::string("mov.u64 %") + name,
         std::string("mov.u64 %d1, %") + name + "; bar.sync 0; mov.u64 %d2, %" + name + "; setp.ge.u64 %p0, %d2, %d1;",
         {"%p0"}, {});
  }
  body("mov.u64 shared address", "mov.u64 %d1, smem; mov.u64 %d2, smem+12; sub.u64 %d0, %d2, %d1;", {"%d0"}, {});
  body("mov.u32 shared address", "mov.u32 %r1, smem; mov.u32 %r2, smem+12; sub.u32 %r0, %r2, %r1;", {"%r0"}, {});
  body("cvta.shared.u64",
       "mov.u64 %d1, smem; cvta.shared.u64 %d2, %d1; cvta.to.shared.u64 %d3, %d2; sub.u64 %d0, %d3, %d1;", {"%d0"}, {});
  body("cvta.local.u64",
       "mov.u64 %d1, lmem; cvta.local.u64 %d2, %d1; cvta.to.local.u64 %d3, %d2; sub.u64 %d0, %d3, %d1;", {"%d0"}, {});
  body("cvta.to.global.u64", "cvta.to.global.u64 %d1, %d28; cvta.global.u64 %d2, %d1; sub.u64 %d0, %d2, %d28;", {"%d0"},
       {});
  for (const char* space : {"global", "shared", "local", "shared::cta", "param", "param::entry"}) {
    body(std::string("isspacep.") + space,
         std::string("mov.u64 %d1, smem; cvta.shared.u64 %d1, %d1; mov.u64 %d2, lmem; cvta.local.u64 %d2, %d2; "
                     "isspacep.") +
             space + " %p0, %d1; isspacep." + space + " %p9, %d2; isspacep." + space + " %p10, %d28;",
         {"%p0", "%p9", "%p10"}, {});
  }
}

}  // namespace tileloom::emu::test
