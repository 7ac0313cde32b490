// SPDX-License-Identifier: Apache-2.0
#include "cli/check_json.hpp"

#include <array>

namespace tileloom::cli {

using Json = nlohmann::ordered_json;

namespace {

Json shared_json(const trace::SharedCost& c) {
  return {{"low", c.worst.low},     {"high", c.worst.high}, {"ideal", c.worst.ideal},
          {"exact", c.worst.exact}, {"rule", c.worst.rule}, {"instructions", c.instructions},
          {"all_low", c.low},       {"all_high", c.high},   {"all_ideal", c.ideal}};
}

Json site_json(const trace::SiteCost& s) {
  Json json = {{"site", s.site},
               {"memory", s.memory},
               {"atom", s.atom},
               {"width_bytes", s.width},
               {"alignment_bytes", s.alignment}};
  if (!s.limited_by.empty()) {
    json["alignment_limited_by"] = s.limited_by;
  }
  if (s.shared) {
    json["wavefronts"] = shared_json(*s.shared);
  }
  if (s.global) {
    const trace::GlobalCost& c = *s.global;
    json["sectors"] = {{"worst", c.worst.sectors},
                       {"worst_ideal", c.worst.ideal_sectors},
                       {"worst_lines", c.worst.lines},
                       {"requests", c.requests},
                       {"all", c.sectors},
                       {"all_ideal", c.ideal_sectors}};
  }
  return json;
}

Json property_json(const trace::Property& p) {
  constexpr std::array verdicts{"good", "bad", "note"};
  Json json = {{"name", p.name}, {"verdict", verdicts.at(static_cast<std::size_t>(p.verdict))}, {"text", p.text}};
  if (!p.hint.empty()) {
    json["hint"] = p.hint;
  }
  if (p.found > 0) {
    json["found"] = p.found;
    json["findings"] = p.findings;
  }
  return json;
}

Json cost_json(const trace::LayoutCost& cost) {
  Json json = Json::object();
  if (cost.write) json["write"] = shared_json(*cost.write);
  if (cost.read) json["read"] = shared_json(*cost.read);
  return json;
}

Json suggestion_json(const trace::Suggestion& s) {
  Json json = {{"what", s.what}, {"settings", Json::array()}, {"shared_bytes", s.shared_bytes}};
  for (const auto& [field, value] : s.settings) {
    json["settings"].push_back(field + "=" + value);
  }
  json.update(cost_json(s.cost));
  return json;
}

Json operand_json(const trace::OperandSuggestions& o) {
  Json json = {{"operand", std::string(1, letter(o.operand))},
               {"searched", o.searched},
               {"now", cost_json(o.now)},
               {"best", Json::array()}};
  for (const trace::Suggestion& s : o.best) {
    json["best"].push_back(suggestion_json(s));
  }
  if (o.padding) {
    json["padding"] = suggestion_json(*o.padding);
  }
  if (o.bound) {
    json["bound"] = {{"worst", o.bound->worst},
                     {"ideal", o.bound->ideal},
                     {"lines", o.bound->lines},
                     {"all", o.bound->all},
                     {"row_bytes", o.bound->row_bytes}};
  }
  return json;
}

}  // namespace

Json check_json(const trace::CheckReport& report) {
  Json json = {
      {"ok", report.ok()}, {"slabs_of_c", report.slabs}, {"sites", Json::array()}, {"properties", Json::array()}};
  for (const trace::SiteCost& s : report.sites) {
    json["sites"].push_back(site_json(s));
  }
  for (const trace::Property& p : report.properties) {
    json["properties"].push_back(property_json(p));
  }
  return json;
}

Json suggestions_json(const trace::Suggestions& suggestions) {
  Json json = {{"operands", Json::array()}};
  for (const trace::OperandSuggestions& o : suggestions.operands) {
    json["operands"].push_back(operand_json(o));
  }
  if (suggestions.wider) {
    json["wider_k"] = suggestion_json(suggestions.wider->suggestion);
    json["wider_k"]["A"] = cost_json(suggestions.wider->a);
    json["wider_k"]["B"] = cost_json(suggestions.wider->b);
  }
  return json;
}

}  // namespace tileloom::cli
