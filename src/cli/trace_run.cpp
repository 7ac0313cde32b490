// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_run.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "tileloom/error.hpp"
#include "tileloom/trace/query.hpp"

namespace tileloom::cli {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::bad_input, message,
              R"(each line is {"atom": ..., "tile": [M, N, K], "A": ..., "B": ..., "C": ...})");
}

std::string text(const Json& json, const char* key, const char* otherwise) {
  if (!json.contains(key)) {
    if (otherwise == nullptr) {
      refuse(std::string("the line lacks ") + key);
    }
    return otherwise;
  }
  if (!json[key].is_string()) {
    refuse(std::string(key) + ": expected a string, found " + json[key].dump());
  }
  return json[key];
}

void check_keys(const Json& json) {
  static const std::set<std::string> known = {"atom", "atom_layout", "permutation", "tile",     "A",
                                              "B",    "C",           "query",       "copy_atom"};
  for (const auto& [key, value] : json.items()) {
    if (!known.contains(key) && key != "result" && key != "error") {  // golden files carry the answer in the same line
      refuse("unknown field '" + key + "'");
    }
  }
}

trace::Query read_query(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    refuse("the line is not a JSON object");
  }
  check_keys(json);
  trace::Query q;
  q.atom = text(json, "atom", nullptr);
  q.atom_layout = text(json, "atom_layout", "(_1,_1,_1)");
  q.permutation = text(json, "permutation", "none");
  q.query = text(json, "query", "tiled_mma");
  const bool mma = q.query == "tiled_mma";
  q.a = text(json, "A", mma || q.query == "tiled_copy_A" ? nullptr : "");
  q.b = text(json, "B", mma || q.query == "tiled_copy_B" ? nullptr : "");
  q.c = text(json, "C", mma || q.query == "tiled_copy_C" ? nullptr : "");
  q.copy_atom = text(json, "copy_atom", mma ? "" : nullptr);
  const Json tile = json.value("tile", Json());
  const auto is_size = [](const Json& n) { return n.is_number_integer() && n > 0; };
  if (!tile.is_array() || tile.size() != 3 || !std::all_of(tile.begin(), tile.end(), is_size)) {
    refuse("tile: expected [M, N, K], three positive integers; found " + tile.dump());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    q.tile[i] = tile[i];
  }
  return q;
}

}  // namespace

void run_trace_batch(std::istream& in, std::ostream& out, bool cute) {
  const layout::Policy policy(cute ? layout::Semantics::cute : layout::Semantics::correct);
  for (std::string line; std::getline(in, line);) {
    Json answer;
    try {
      Json& result = answer["result"];
      for (const auto& [key, value] : trace::answer(read_query(line), policy)) {
        result[key] = value;
      }
    } catch (const Error& e) {
      answer = {{"error", e.what()}};
      if (!e.hint().empty()) {
        answer["hint"] = e.hint();
      }
    }
    out << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  }
}

}  // namespace tileloom::cli
