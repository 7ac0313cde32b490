// SPDX-License-Identifier: Apache-2.0
// Routes as JSON.
#include "cli/trace_json.hpp"

namespace tileloom::cli {

namespace {

Json load_json(const trace::LoadPlace& l) {
  return {{"source_thread", l.source_thread},
          {"source_lane", l.source_lane},
          {"first", position_json(l.first)},
          {"last", position_json(l.last)},
          {"position", l.position},
          {"e", l.e},
          {"tv", l.tv},
          {"q", l.q}};
}

Json holder_json(const trace::Holder& h) {
  const trace::RegisterPlace& p = h.place;
  Json json = {{"thread", p.thread}, {"warp", p.warp}, {"lane", p.lane}, {"slot", p.slot}, {"mma_index", p.mma}};
  if (p.copy) {
    json["copy_index"] = *p.copy;
  }
  json["register"] = p.bits.name;
  json["bits"] = {p.bits.high, p.bits.low};
  if (h.load) {
    json["load"] = load_json(*h.load);
  }
  return json;
}

Json copies_json(const std::vector<trace::CopyPlace>& copies) {
  Json json = Json::array();
  for (const trace::CopyPlace& c : copies) {
    Json one = {{"thread", c.thread},
                {"first", position_json(c.first)},
                {"last", position_json(c.last)},
                {"position", c.position},
                {"bytes", c.bytes}};
    if (c.global_byte) {
      one["global_byte"] = *c.global_byte;
    }
    json.push_back(std::move(one));
  }
  return json;
}

Json shared_json(const trace::SharedPlace& s) {
  return {{"stage", s.stage},
          {"before_swizzle", s.before_swizzle},
          {"offset", s.offset},
          {"byte", s.byte},
          {"bank", s.bank}};
}

Json slab_json(const trace::SlabPlace& s) {
  return {{"part", s.part},
          {"round", s.round},
          {"rounds", s.rounds},
          {"place", s.pipe},
          {"first", position_json(s.origin)},
          {"last", position_json(s.last)},
          {"element", position_json(s.in_part)}};
}

Json feeds_json(const trace::Feeds& f) {
  return {{"in_atom", position_json(f.in_atom)},
          {"first", position_json(f.first)},
          {"last", position_json(f.last)},
          {"warps", f.warps},
          {"lanes", f.lanes},
          {"registers", f.registers}};
}

}  // namespace

Json route_json(const trace::Kernel& kernel, const trace::Route& r) {
  const bool output = r.operand == trace::Operand::c;
  Json json = {{"operand", operand_name(r.operand)}, {"element", position_json(r.element)}, {"k_tile", r.k_tile}};
  json["cta"] = {r.cta.m, r.cta.n};
  if (r.global) {
    json["global"] = {
        {"element", position_json(r.global->element)}, {"offset", r.global->offset}, {"byte", r.global->byte}};
  }
  json["copies"] = copies_json(r.copies);
  if (r.shared) {
    json["shared"] = shared_json(*r.shared);
  }
  json["holders"] = Json::array();
  for (const trace::Holder& h : r.holders) {
    json["holders"].push_back(holder_json(h));
  }
  if (output) {
    json["types"] = {hw::name(kernel.mma.atom().d.type), hw::name(kernel.path(r.operand).type)};
    json["stores"] = copies_json(r.stores);
  }
  if (r.slab) {
    json["slab"] = slab_json(*r.slab);
  }
  if (r.feeds) {
    json["feeds"] = feeds_json(*r.feeds);
  }
  return json;
}

Json register_json(const trace::Kernel& kernel, const trace::RegisterReport& report) {
  Json json = {{"name", report.name},      {"operand", operand_name(report.operand)},
               {"thread", report.thread},  {"warp", report.warp},
               {"lane", report.lane},      {"k_tile", report.k_tile},
               {"contents", Json::array()}};
  for (std::size_t i = 0; i < report.contents.size(); ++i) {
    const trace::RegisterContent& c = report.contents[i];
    Json elements = Json::array();
    Json routes = Json::array();
    for (std::size_t j = 0; j < c.elements.size(); ++j) {
      elements.push_back(position_json(c.elements[j]));
      routes.push_back(route_json(kernel, report.routes[i][j]));
    }
    json["contents"].push_back(
        {{"mma_index", c.mma}, {"slots", c.slots}, {"elements", std::move(elements)}, {"routes", std::move(routes)}});
  }
  return json;
}

}  // namespace tileloom::cli
