// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.hpp"

#include <algorithm>
#include <sstream>

#include "cli/batch_file.hpp"
#include "cli/config_fields.hpp"
#include "cli/json_text.hpp"
#include "kernels/configurations.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

using trace::CopyConfig;
using trace::KernelConfig;

namespace {

constexpr const char* schema = "tileloom.kernel/1";
const std::array<std::string, 3> letters{"A", "B", "C"};

// --- Settings ----------------------------------------------------------------------------------------------------

// `as A` becomes what A is, so that parts of B alone can be set.
void resolve_as_a(Json& copies) {
  if (copies.is_object() && copies.contains("A") && copies.contains("B") && copies["B"] == "as A") {
    copies["B"] = copies["A"];
  }
}

std::vector<std::string> keys_of(const std::string& path) {
  std::vector<std::string> keys(1);
  for (const char c : path) {
    if (c == '.') {
      keys.emplace_back();
    } else {
      keys.back() += c;
    }
  }
  return keys;
}

[[noreturn]] void no_fields(const std::string& path, const std::string& reached, const Json& found) {
  throw Error(ErrorKind::bad_input,
              "--set " + path + ": " + reached + " is " + found.dump(-1, ' ', false, Json::error_handler_t::replace) +
                  " and has no fields",
              "set " + reached + " as a whole");
}

// The object that holds the last key.
Json& holder_of(Json& json, const std::string& path, const std::vector<std::string>& keys) {
  Json* at = &json;
  std::string reached;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    at = &(*at)[keys[i]];
    reached += (i == 0 ? "" : ".") + keys[i];
    if (!at->is_object() && !at->is_null()) {
      no_fields(path, reached, *at);
    }
  }
  return *at;
}

void erase_field(Json& json, const std::vector<std::string>& keys) {
  Json* at = &json;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    if (!at->is_object() || !at->contains(keys[i])) {
      return;
    }
    at = &(*at)[keys[i]];
  }
  if (at->is_object()) {
    at->erase(keys.back());
  }
}

// A value of null takes the field away.
void set_field(Json& json, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const std::string path = setting.substr(0, equals);
  const std::vector<std::string> keys = keys_of(path);
  if (equals == std::string::npos || std::ranges::any_of(keys, &std::string::empty)) {
    throw Error(ErrorKind::bad_input, "--set: expected FIELD=VALUE, found '" + setting + "'",
                "for example --set s2r.B=SM75_U32x4_LDSM_N");
  }
  if (!json.is_object()) {
    return;  // the reader says what is wrong
  }
  const std::string value = setting.substr(equals + 1);
  const Json parsed = Json::parse(value, nullptr, false);
  if (parsed.is_null()) {
    erase_field(json, keys);
  } else {
    holder_of(json, path, keys)[keys.back()] = parsed.is_discarded() ? Json(value) : parsed;
  }
}

// --- Fields ------------------------------------------------------------------------------------------------------

CopyConfig read_copy(const Json& json, const std::string& path) {
  const Fields f(json, path, {"atom", "thr", "val", "tv", "tile"});
  f.require("atom", "\"SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>\"");
  const bool by_element = f.has("tv") || f.has("tile");
  if (by_element && (f.has("thr") || f.has("val"))) {
    throw Error(ErrorKind::bad_input, path + ": both thr and val, and tv and tile", "give one of the pairs");
  }
  if (by_element) {
    f.require("tv", "\"((_4,_32),_8):((_256,_1),_32)\"");
    f.require("tile", "\"(_32,_32)\"");
  } else {
    f.require("thr", "\"(_32,_4):(_4,_1)\"");
    f.require("val", "\"(_1,_8)\"");
  }
  return {f.text("atom"), f.text("thr"), f.text("val"), f.text("tv"), f.text("tile")};
}

void read_mma(const Fields& top, KernelConfig& config) {
  top.require("mma", R"({"atom": "SM80_16x8x16_F16F16F16F16_TN"})");
  const Fields f(top.at("mma"), "mma", {"atom", "atom_layout", "permutation"});
  f.require("atom", "\"SM80_16x8x16_F16F16F16F16_TN\"");
  config.mma.atom = f.text("atom");
  if (f.has("atom_layout")) {
    config.mma.atom_layout = f.text("atom_layout");
  }
  config.mma.permutation = f.text("permutation");
}

void read_tile(const Fields& top, KernelConfig& config) {
  top.require("tile", "[128, 128, 32]");
  const Json& tile = top.at("tile");
  const auto is_size = [](const Json& n) { return n.is_number_integer() && n > 0 && n <= 65536; };
  if (!tile.is_array() || tile.size() != 3 || !std::ranges::all_of(tile, is_size)) {
    wrong_field("tile", "[M, N, K], three positive integers", tile);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    config.tile[i] = tile[i];
  }
}

template <std::size_t N>
std::array<std::string, N> read_texts(const Fields& top, const std::string& key) {
  std::array<std::string, N> texts;
  if (top.has(key)) {
    const Fields f(top.at(key), key, {letters.begin(), letters.begin() + N});
    for (std::size_t i = 0; i < N; ++i) {
      texts[i] = f.text(letters[i]);
    }
  }
  return texts;
}

void read_types(const Fields& top, KernelConfig& config) {
  if (top.has("types")) {
    const Fields f(top.at("types"), "types", {"A", "B", "C", "accumulate"});
    config.types = {f.text("A"), f.text("B"), f.text("C")};
    config.accumulate = f.text("accumulate");
  }
}

void read_smem(const Fields& top, KernelConfig& config) {
  if (!top.has("smem")) {
    return;
  }
  const Fields f(top.at("smem"), "smem", {"A", "B", "C", "at", "static"});
  config.smem = {f.text("A"), f.text("B"), f.text("C")};
  config.smem_static = f.count("static", 0, 0);
  if (f.has("at")) {
    const Fields at(f.at("at"), "smem.at", {"A", "B", "C"});
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (at.has(letters[i])) {
        config.smem_at[i] = at.count(letters[i], 0, 0);
      }
    }
  }
}

void read_g2s(const Fields& top, KernelConfig& config) {
  if (top.has("g2s")) {
    const Fields f(top.at("g2s"), "g2s", {"A", "B"});
    for (std::size_t i = 0; i < 2; ++i) {
      if (f.has(letters[i])) {
        config.g2s[i] = read_copy(f.at(letters[i]), f.path_of(letters[i]));
      }
    }
  }
}

void read_epilogue(const Fields& top, KernelConfig& config) {
  if (top.has("epilogue")) {
    const Fields f(top.at("epilogue"), "epilogue", {"r2s", "s2g", "r2g", "along"});
    config.r2s = f.text("r2s");
    if (f.has("along")) {
      config.epilogue_along = f.text("along");
      if (config.epilogue_along != "M" && config.epilogue_along != "N") {
        wrong_field("epilogue.along", "\"M\" or \"N\"", f.at("along"));
      }
    }
    if (f.has("s2g")) {
      config.s2g = read_copy(f.at("s2g"), "epilogue.s2g");
    }
    if (f.has("r2g")) {
      config.r2g = read_copy(f.at("r2g"), "epilogue.r2g");
    }
  }
}

void read_raster(const Fields& top, KernelConfig& config) {
  if (top.has("raster")) {
    const Fields f(top.at("raster"), "raster", {"along", "width"});
    config.raster.emplace();
    if (f.has("along")) {
      config.raster->along = f.text("along");
    }
    if (config.raster->along != "N") {
      wrong_field("raster.along", "\"N\"", f.at("along"));
    }
    config.raster->width = f.count("width", 0, 0);
  }
}

KernelConfig read_fields(const Json& json) {
  const Fields top(
      json, "",
      {"schema", "name", "arch", "stages", "raster", "types", "mma", "tile", "gmem", "smem", "g2s", "s2r", "epilogue"});
  top.require("schema", std::string("\"schema\": \"") + schema + "\"");
  if (top.text("schema") != schema) {
    wrong_field("schema", std::string("\"") + schema + "\"", top.at("schema"));
  }
  KernelConfig config;
  config.name = top.text("name");
  if (top.has("arch")) {
    config.arch = top.text("arch");
  }
  config.stages = static_cast<int>(top.count("stages", 1, 1));
  read_mma(top, config);
  read_tile(top, config);
  read_types(top, config);
  config.gmem = read_texts<3>(top, "gmem");
  read_smem(top, config);
  read_g2s(top, config);
  config.s2r = read_texts<2>(top, "s2r");
  read_epilogue(top, config);
  read_raster(top, config);
  return config;
}

}  // namespace

KernelConfig read_config(const std::string& name, const std::string& text, const std::vector<std::string>& settings) {
  Json json;
  try {
    json = parse_json(text);
    for (const char* stage : {"g2s", "s2r"}) {
      if (json.is_object() && json.contains(stage)) {
        resolve_as_a(json[stage]);
      }
    }
  } catch (const Error& e) {
    throw Error(e.kind(), name + ": " + e.what(), e.hint());
  }
  for (const std::string& setting : settings) {
    set_field(json, setting);
  }
  try {
    return read_fields(json);
  } catch (const Error& e) {
    throw Error(e.kind(), name + ": " + e.what(), e.hint());
  }
}

KernelConfig read_config_file(const std::string& file, const std::vector<std::string>& settings) {
  std::ostringstream text;
  read_stream(file, file, [&](std::istream& in) { text << in.rdbuf(); });
  return read_config(file, text.str(), settings);
}

KernelConfig read_kernel_config(const std::string& kernel, const std::vector<std::string>& settings) {
  const auto found = kernels::find_configuration(kernel);
  if (!found) {
    std::vector<std::string> names{"multistage", "handwritten", "smem", "simple"};
    std::string all = "the families multistage, handwritten, smem, simple";
    for (const kernels::Configuration& c : kernels::configurations()) {
      names.emplace_back(c.name);
      all += ", " + names.back();
    }
    const std::string meant = did_you_mean(kernel, names);
    throw Error(ErrorKind::bad_input, "--kernel: no kernel '" + kernel + "' has a configuration",
                meant.empty() ? "there are " + all : meant);
  }
  return read_config(std::string(found->name), std::string(found->json), settings);
}

}  // namespace tileloom::cli
