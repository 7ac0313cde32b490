// SPDX-License-Identifier: Apache-2.0
#include "cli/finding_json.hpp"

namespace tileloom::cli {
namespace {

Json access_json(const emu::RacingAccess& access) {
  const bool known = !access.at.file.empty();
  return {{"verb", to_string(access.verb)},
          {"opcode", access.at.opcode},
          {"file", known ? Json(access.at.file) : Json(nullptr)},
          {"line", known ? Json(access.at.line) : Json(nullptr)},
          {"ptx_file", access.at.ptx_file},
          {"ptx_line", access.at.ptx_line},
          {"warp", access.warp},
          {"lane", access.lane},
          {"cta", access.cta}};
}

const char* space_of(const std::string& buffer) {
  return buffer.empty() ? "shared" : "global";
}

Json buffer_json(const std::string& buffer) {
  return buffer.empty() ? Json(nullptr) : Json(buffer);
}

}  // namespace

Json findings_json(const std::vector<emu::Finding>& findings) {
  Json all = Json::array();
  for (const emu::Finding& f : findings) {
    all.push_back({{"kind", "race"},
                   {"hazard", to_string(f.hazard)},
                   {"space", space_of(f.buffer)},
                   {"buffer", buffer_json(f.buffer)},
                   {"first_byte", f.first_byte},
                   {"last_byte", f.last_byte},
                   {"cta", f.second.cta},
                   {"occurrences", f.occurrences},
                   {"instruction_pairs", f.instruction_pairs},
                   {"first", access_json(f.first)},
                   {"second", access_json(f.second)},
                   {"remedy", explain_remedy(f)}});
  }
  return all;
}

Json uninitialised_reads_json(const std::vector<emu::UninitialisedRead>& reads) {
  Json all = Json::array();
  for (const emu::UninitialisedRead& r : reads) {
    all.push_back({{"kind", "uninitialised read"},
                   {"space", space_of(r.buffer)},
                   {"buffer", buffer_json(r.buffer)},
                   {"first_byte", r.first_byte},
                   {"last_byte", r.last_byte},
                   {"cta", r.reader.cta},
                   {"occurrences", r.occurrences},
                   {"reader", access_json(r.reader)}});
  }
  return all;
}

}  // namespace tileloom::cli
