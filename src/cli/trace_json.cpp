// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_json.hpp"

namespace tileloom::cli {

using hw::MatrixPosition;

namespace {

Json pair(MatrixPosition p) {
  return Json{p.row, p.column};
}

Json load_json(const trace::LoadPlace& l) {
  return {{"source_thread", l.source_thread},
          {"source_lane", l.source_lane},
          {"first", pair(l.first)},
          {"last", pair(l.last)},
          {"position", l.position},
          {"e", l.e},
          {"tv", l.tv},
          {"q", l.q}};
}

Json place_json(const trace::RegisterPlace& p) {
  Json json = {{"thread", p.thread}, {"warp", p.warp}, {"lane", p.lane}, {"slot", p.slot}, {"mma_index", p.mma}};
  if (p.copy) {
    json["copy_index"] = *p.copy;
  }
  json["register"] = p.bits.name;
  json["bits"] = {p.bits.high, p.bits.low};
  return json;
}

}  // namespace

Json kernel_json(const trace::Kernel& kernel) {
  Json json = {{"name", kernel.config.name},
               {"tile", kernel.config.tile},
               {"threads", kernel.threads()},
               {"stages", kernel.config.stages},
               {"shared_bytes", kernel.shared_bytes}};
  json["sizes"] = Json::object();
  for (const auto& [name, value] : kernel.sizes) {
    json["sizes"][name] = value;
  }
  return json;
}

Json overview_json(const trace::Overview& o) {
  Json json;
  json["thread"] = o.thread;
  json["stages"] = Json::array();
  for (const trace::StageLayouts& stage : o.stages) {
    Json one = {{"step", stage.step}, {"atom", stage.atom}, {"tensors", Json::array()}};
    for (const trace::NamedLayout& t : stage.tensors) {
      one["tensors"].push_back({{"name", t.name}, {"modes", t.modes}, {"layout", to_string(t.layout)}});
    }
    json["stages"].push_back(std::move(one));
  }
  const trace::Expansion& e = o.expansion;
  json["expansion"] = {{"atom", e.atom},
                       {"atoms", e.atoms},
                       {"permutation", e.permutation},
                       {"tile", e.tile},
                       {"atom_threads", e.atom_threads},
                       {"threads", e.threads}};
  json["instructions"] = Json::array();
  for (const trace::InstructionCount& c : o.counts) {
    json["instructions"].push_back({{"what", c.what},
                                    {"atom", c.atom},
                                    {"warp_per_k_block", c.per_k_block},
                                    {"warp_per_k_tile", c.per_k_tile},
                                    {c.per_k_tile == 0 ? "cta" : "cta_per_k_tile", c.cta_per_k_tile}});
  }
  json["fragments"] = Json::array();
  for (const trace::FragmentSize& f : o.fragments) {
    json["fragments"].push_back({{"name", f.name}, {"values", f.values}, {"bits", f.bits}, {"registers", f.registers}});
  }
  return json;
}

Json route_json(const trace::Route& r) {
  Json json = {{"operand", std::string(1, r.operand == trace::Operand::c ? 'D' : letter(r.operand))},
               {"element", pair(r.element)},
               {"k_tile", r.k_tile}};
  if (r.global) {
    json["global"] = {{"element", pair(r.global->element)}, {"offset", r.global->offset}, {"byte", r.global->byte}};
  }
  json["copies"] = Json::array();
  for (const trace::CopyPlace& c : r.copies) {
    json["copies"].push_back(
        {{"thread", c.thread}, {"first", pair(c.first)}, {"last", pair(c.last)}, {"position", c.position}});
  }
  if (r.shared) {
    const trace::SharedPlace& s = *r.shared;
    json["shared"] = {{"stage", s.stage},
                      {"before_swizzle", s.before_swizzle},
                      {"offset", s.offset},
                      {"byte", s.byte},
                      {"bank", s.bank}};
  }
  json["holders"] = Json::array();
  for (const trace::Holder& h : r.holders) {
    Json one = place_json(h.place);
    if (h.load) {
      one["load"] = load_json(*h.load);
    }
    json["holders"].push_back(std::move(one));
  }
  if (r.feeds) {
    const trace::Feeds& f = *r.feeds;
    json["feeds"] = {{"in_atom", pair(f.in_atom)}, {"first", pair(f.first)}, {"last", pair(f.last)},
                     {"warps", f.warps},           {"lanes", f.lanes},       {"registers", f.registers}};
  }
  return json;
}

Json contents_json(const std::string& name, int warp, int lane, const std::vector<trace::RegisterContent>& contents) {
  Json json = {{"name", name}, {"warp", warp}, {"lane", lane}, {"contents", Json::array()}};
  for (const trace::RegisterContent& c : contents) {
    Json elements = Json::array();
    for (const MatrixPosition p : c.elements) {
      elements.push_back(pair(p));
    }
    json["contents"].push_back({{"mma_index", c.mma}, {"slots", c.slots}, {"elements", std::move(elements)}});
  }
  return json;
}

}  // namespace tileloom::cli
