// SPDX-License-Identifier: Apache-2.0
#include "cli/follow.hpp"

#include <string>

#include "cli/arguments.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

Json place_json(const std::optional<emu::MemoryPlace>& at) {
  if (!at) {
    return nullptr;
  }
  Json json = {{"space", at->buffer.empty() ? "shared" : "global"},
               {"buffer", at->buffer.empty() ? Json(nullptr) : Json(at->buffer)},
               {"byte", at->byte}};
  if (at->buffer.empty()) {
    json["bank"] = at->byte / 4 % 32;
  }
  return json;
}

void add_place(Json& json, const emu::InstructionPlace& at) {
  const bool known = !at.file.empty();
  json["opcode"] = at.opcode;
  json["file"] = known ? Json(at.file) : Json(nullptr);
  json["line"] = known ? Json(at.line) : Json(nullptr);
  json["ptx_file"] = at.ptx_file;
  json["ptx_line"] = at.ptx_line;
}

Json move_json(const emu::FollowedMove& m) {
  Json json = {{"kind", to_string(m.kind)}};
  add_place(json, m.at);
  json["cta"] = m.cta;
  json["warp"] = m.warp;
  json["lane"] = m.lane;
  json["source_lane"] = m.source_lane;
  json["from"] = place_json(m.from);
  json["to"] = place_json(m.to);
  json["register"] = m.reg.empty() ? Json(nullptr) : Json(m.reg);
  json["bits"] = m.reg.empty() ? Json(nullptr) : Json{m.high, m.low};
  json["times"] = m.times;
  return json;
}

}  // namespace

MatrixElement parse_matrix_element(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (text.size() < 5 || std::string("ABD").find(text[0]) == std::string::npos || text[1] != ':' ||
      comma == std::string::npos) {
    throw Error(ErrorKind::bad_input, "--follow: expected MATRIX:ROW,COLUMN, found '" + text + "'",
                "for example A:0,9; matrices are A, B and D, row and column count in the whole matrix, B's row is n");
  }
  return {text[0], parse_size("--follow, row", text.substr(2, comma - 2)),
          parse_size("--follow, column", text.substr(comma + 1))};
}

emu::FollowOptions parse_followed(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    throw Error(ErrorKind::bad_input, "--follow: expected BUFFER:BYTE, found '" + text + "'",
                "for example A:18, the element at byte 18 of buffer A");
  }
  emu::FollowOptions options;
  const std::string buffer = text.substr(0, colon);
  options.buffers = {buffer};
  options.element = {buffer, static_cast<std::uint64_t>(parse_size("--follow, byte", text.substr(colon + 1)))};
  return options;
}

Json provenance_json(const emu::Provenance& seen) {
  Json json = {{"moves", Json::array()}, {"sums", Json::array()}, {"results", Json::array()}};
  for (const emu::FollowedMove& m : seen.moves) {
    json["moves"].push_back(move_json(m));
  }
  for (const emu::FollowedSums& s : seen.sums) {
    Json one = Json::object();
    add_place(one, s.at);
    one.update({{"cta", s.cta}, {"warp", s.warp}, {"lanes", s.lanes}, {"values", s.values}, {"times", s.times}});
    json["sums"].push_back(std::move(one));
  }
  for (const emu::FollowedResult& r : seen.results) {
    json["results"].push_back({{"buffer", r.at.buffer},
                               {"byte", r.at.byte},
                               {"derived", r.name == 0},
                               {"cta", r.cta},
                               {"warp", r.warp},
                               {"lane", r.lane}});
  }
  return json;
}

}  // namespace tileloom::cli
