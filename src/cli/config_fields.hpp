// SPDX-License-Identifier: Apache-2.0
// JSON objects whose fields are known: a wrong one is named by its path, with what was expected and found.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tileloom::cli {

using Json = nlohmann::ordered_json;

class Fields {
 public:
  // `path` is empty for the whole file. Throws Error(bad_input) for what is no object or has other fields than `known`.
  Fields(const Json& json, std::string path, std::vector<std::string> known);

  [[nodiscard]] bool has(const std::string& key) const { return json_.contains(key); }
  [[nodiscard]] const Json& at(const std::string& key) const { return json_.at(key); }
  [[nodiscard]] std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  // A field that may be missing: empty text, `otherwise`.
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::int64_t count(const std::string& key, std::int64_t least, std::int64_t otherwise) const;
  // A field that may not.
  void require(const std::string& key, const std::string& example) const;

 private:
  const Json& json_;
  std::string path_;
};

[[noreturn]] void wrong_field(const std::string& path, const std::string& expected, const Json& found);

}  // namespace tileloom::cli
