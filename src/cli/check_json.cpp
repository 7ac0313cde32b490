// SPDX-License-Identifier: Apache-2.0
#include "cli/check_json.hpp"

#include <array>

namespace tileloom::cli {

using Json = nlohmann::ordered_json;

namespace {

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
    const trace::SharedCost& c = *s.shared;
    json["wavefronts"] = {{"low", c.worst.low},     {"high", c.worst.high}, {"ideal", c.worst.ideal},
                          {"exact", c.worst.exact}, {"rule", c.worst.rule}, {"instructions", c.instructions},
                          {"all_low", c.low},       {"all_high", c.high},   {"all_ideal", c.ideal}};
  }
  if (s.global) {
    const trace::GlobalCost& c = *s.global;
    json["sectors"] = {{"worst", c.worst.sectors},
                       {"worst_ideal", c.worst.ideal_sectors},
                       {"requests", c.requests},
                       {"all", c.sectors},
                       {"all_ideal", c.ideal_sectors}};
  }
  return json;
}

}  // namespace

Json check_json(const trace::CheckReport& report) {
  constexpr std::array verdicts{"good", "bad", "note"};
  Json json = {{"ok", report.ok()}, {"sites", Json::array()}, {"properties", Json::array()}};
  for (const trace::SiteCost& s : report.sites) {
    json["sites"].push_back(site_json(s));
  }
  for (const trace::Property& p : report.properties) {
    Json one = {{"name", p.name}, {"verdict", verdicts.at(static_cast<std::size_t>(p.verdict))}, {"text", p.text}};
    if (!p.hint.empty()) {
      one["hint"] = p.hint;
    }
    json["properties"].push_back(std::move(one));
  }
  return json;
}

}  // namespace tileloom::cli
