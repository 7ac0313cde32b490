// SPDX-License-Identifier: Apache-2.0
// The JSON schemas of docs/formats.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace tileloom::test {

inline std::string read_text(const std::string& file) {
  std::ifstream in(std::string(TILELOOM_SOURCE_DIR) + "/" + file);
  EXPECT_TRUE(in) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Schema {
 public:
  explicit Schema(const std::string& file) : json_(nlohmann::json::parse(read_text("docs/formats/" + file))) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(json_), schema_);
  }
  // What is wrong with it, first error first; empty if nothing is.
  [[nodiscard]] std::string errors(const nlohmann::json& json) const {
    valijson::ValidationResults results;
    valijson::Validator().validate(schema_, valijson::adapters::NlohmannJsonAdapter(json), &results);
    std::string all;
    for (const auto& e : results) {
      for (const std::string& step : e.context) all += step;
      all += ": " + e.description + "\n";
    }
    return all;
  }

 private:
  nlohmann::json json_;
  valijson::Schema schema_;
};

}  // namespace tileloom::test
