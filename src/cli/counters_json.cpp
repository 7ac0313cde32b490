// SPDX-License-Identifier: Apache-2.0
#include "cli/counters_json.hpp"

namespace tileloom::cli {
namespace {

Json shared_json(const emu::SharedCount& s) {
  if (s.requests == 0) {
    return nullptr;
  }
  return {{"requests", s.requests}, {"wavefronts_low", s.wavefronts_low}, {"wavefronts_high", s.wavefronts_high},
          {"exact", s.exact},       {"profiled_wavefronts", s.profiled},  {"ideal_wavefronts", s.ideal},
          {"bytes", s.bytes},       {"bank_words", s.bank_words}};
}

Json global_json(const emu::GlobalCount& g) {
  if (g.requests == 0) {
    return nullptr;
  }
  return {{"requests", g.requests}, {"sectors", g.sectors}, {"ideal_sectors", g.ideal_sectors}, {"bytes", g.bytes}};
}

template <class Counted>
void add_counts(Json& json, const Counted& c) {
  json["executions"] = c.executions;
  json["lanes"] = c.lanes;
  json["shared"] = shared_json(c.shared);
  json["global"] = global_json(c.global);
}

Json instruction_json(const emu::InstructionCount& i) {
  const bool known = !i.at.file.empty();
  Json json = {{"opcode", i.at.opcode},
               {"file", known ? Json(i.at.file) : Json(nullptr)},
               {"line", known ? Json(i.at.line) : Json(nullptr)},
               {"ptx_file", i.at.ptx_file},
               {"ptx_line", i.at.ptx_line},
               {"access", to_string(i.access)}};
  add_counts(json, i);
  return json;
}

}  // namespace

Json counters_json(const emu::Counters& counters) {
  Json json = {{"totals", Json::array()}, {"lines", Json::array()}, {"instructions", Json::array()}};
  for (const emu::ClassCount& c : by_class(counters)) {
    Json& one = json["totals"].emplace_back(Json{{"access", c.name}});
    add_counts(one, c);
  }
  for (const emu::LineCount& l : by_line(counters)) {
    Json& one = json["lines"].emplace_back(
        Json{{"file", l.file}, {"line", l.line}, {"instructions", l.instructions}, {"opcodes", l.opcodes}});
    add_counts(one, l);
  }
  for (const emu::InstructionCount& i : counters.instructions) {
    json["instructions"].push_back(instruction_json(i));
  }
  return json;
}

}  // namespace tileloom::cli
