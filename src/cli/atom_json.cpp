// SPDX-License-Identifier: Apache-2.0
#include "cli/atom_json.hpp"

namespace tileloom::cli {

using render::AtomOperand;
using render::AtomPlace;

namespace {

const char* kept_in(const AtomOperand& o) {
  switch (o.keeper) {
    case render::Keeper::registers:
      return "registers";
    case render::Keeper::descriptor:
      return "shared memory, through a descriptor";
    case render::Keeper::row:
      return "shared memory, a row at each lane's address";
    case render::Keeper::bytes:
      return "bytes of a thread's copy";
  }
  return "";
}

Json operand_json(const AtomOperand& o) {
  Json json = {{"operand", o.letter},   {"type", o.type},         {"rows", o.rows},
               {"columns", o.columns},  {"row_name", o.row_name}, {"column_name", o.column_name},
               {"held_in", kept_in(o)}, {"tv", to_string(o.tv)}};
  if (o.keeper == render::Keeper::registers) {
    json["register_bits"] = o.register_bits;
    json["values_per_register"] = o.register_bits / o.value_bits;
  }
  json["formulas"] = formulas_json(o);
  return json;
}

void add_mma(Json& json, const hw::MmaAtom& x) {
  json["shape"] = {x.m, x.n, x.k};
  json["types"] = {{"D", name(x.d.type)}, {"A", name(x.a.type)}, {"B", name(x.b.type)}, {"C", name(x.c.type)}};
  json["registers"] = {{"D", x.d.registers}, {"A", x.a.registers}, {"B", x.b.registers}, {"C", x.c.registers}};
}

}  // namespace

Json atom_json(const hw::AnyAtom& atom) {
  const bool mma = atom.mma != nullptr;
  Json json = {{"name", mma ? atom.mma->name : atom.copy->name},
               {"kind", mma ? "mma" : "copy"},
               {"ptx", mma ? atom.mma->ptx : atom.copy->ptx},
               {"arch", to_string(mma ? atom.mma->arch : atom.copy->arch)},
               {"needs", render::needs(atom)},
               {"threads", mma ? atom.mma->threads : atom.copy->threads}};
  if (mma) add_mma(json, *atom.mma);
  return json;
}

Json card_json(const hw::AnyAtom& atom) {
  Json json = atom_json(atom);
  json["thread_id"] = to_string(atom.mma != nullptr ? atom.mma->thread_id : atom.copy->thread_id);
  json["ptx_isa"] = atom.mma != nullptr ? atom.mma->source : atom.copy->source;
  json["operands"] = Json::array();
  if (atom.copy != nullptr) {
    json["source_bits"] = to_string(atom.copy->source_bits);
    json["destination_bits"] = to_string(atom.copy->destination_bits);
    json["reference_bits"] = to_string(atom.copy->reference_bits);
    if (atom.copy->kind == hw::CopyKind::automatic) return json;
  }
  for (const AtomOperand& o : render::operands_of(atom)) json["operands"].push_back(operand_json(o));
  if (atom.mma != nullptr && !atom.mma->a.cute_tv.empty()) json["operands"][0]["cute_tv"] = atom.mma->a.cute_tv;
  if (atom.mma != nullptr && !atom.mma->b.cute_tv.empty()) json["operands"][1]["cute_tv"] = atom.mma->b.cute_tv;
  return json;
}

Json places_json(const AtomOperand& o, std::span<const AtomPlace> places) {
  Json all = Json::array();
  for (const AtomPlace& p : places) {
    Json json = {{"operand", o.letter}, {o.row_name, p.row},  {o.column_name, p.column}, {"warp", p.warp},
                 {"lane", p.lane},      {"thread", p.thread}, {"group", p.group},        {"value", p.value}};
    if (p.registers) {
      json["register"] = p.registers->name;
      json["bits"] = {p.registers->low, p.registers->high};
    } else {
      json["where"] = p.where;
    }
    all.push_back(std::move(json));
  }
  return all;
}

Json formulas_json(const AtomOperand& o) {
  const auto f = render::formulas_of(o);
  if (!f) return nullptr;
  Json json = {{"row", to_string(f->row)}, {"column", to_string(f->column)}, {"value", to_string(f->value)}};
  json["thread"] = f->every_thread ? Json("every " + render::thread_name(o)) : Json(to_string(f->thread));
  if (const std::string rule = render::thread_rule(o); !rule.empty()) json["lanes"] = rule;
  return json;
}

Json sources_json(const std::vector<render::ProductSource>& sources) {
  Json all = Json::array();
  for (const render::ProductSource& s : sources) {
    all.push_back({{"k", {s.first_k, s.last_k}}, {"A", s.a}, {"B", s.b}});
  }
  return all;
}

}  // namespace tileloom::cli
