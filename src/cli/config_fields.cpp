// SPDX-License-Identifier: Apache-2.0
#include "cli/config_fields.hpp"

#include <algorithm>

#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

void wrong_field(const std::string& path, const std::string& expected, const Json& found) {
  throw Error(ErrorKind::bad_input, path + ": expected " + expected + ", found " +
                                        found.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Fields::Fields(const Json& json, std::string path, std::vector<std::string> known)
    : json_(json), path_(std::move(path)) {
  if (!json.is_object()) {
    wrong_field(path_.empty() ? "the configuration" : path_, "an object", json);
  }
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      std::string all;
      for (const std::string& k : known) {
        all += (all.empty() ? "" : ", ") + k;
      }
      const std::string meant = did_you_mean(key, known);
      throw Error(ErrorKind::bad_input, "unknown field '" + path_of(key) + "'",
                  meant.empty() ? (path_.empty() ? "the fields are " : path_ + " has the fields ") + all : meant);
    }
  }
}

std::string Fields::text(const std::string& key) const {
  if (!has(key)) {
    return {};
  }
  if (!at(key).is_string() || at(key).get<std::string>().empty()) {
    wrong_field(path_of(key), "a text", at(key));
  }
  return at(key);
}

std::int64_t Fields::count(const std::string& key, std::int64_t least, std::int64_t otherwise) const {
  if (!has(key)) {
    return otherwise;
  }
  const Json& n = at(key);
  if (!n.is_number_integer() || n < least || n > INT32_MAX) {
    wrong_field(path_of(key), "an integer from " + std::to_string(least), n);
  }
  return n;
}

void Fields::require(const std::string& key, const std::string& example) const {
  if (!has(key)) {
    throw Error(ErrorKind::bad_input, path_of(key) + ": missing", "for example " + example);
  }
}

}  // namespace tileloom::cli
