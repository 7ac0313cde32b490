// SPDX-License-Identifier: Apache-2.0
// The answers of CuTe itself, line by line, through the verb.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/trace_run.hpp"
#include "tileloom/layout/algebra.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::trace {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> lines_of(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> golden() {
  std::ifstream in(TILELOOM_TEST_DATA "/golden/tiled.jsonl");
  return lines_of(in);
}

std::vector<std::string> answers(const std::vector<std::string>& questions, bool cute) {
  std::stringstream in;
  for (const std::string& q : questions) {
    in << q << '\n';
  }
  std::stringstream out;
  cli::run_trace_batch(in, out, cute);
  return lines_of(out);
}

TEST(TiledGolden, every_line_is_cutes_text) {
  const std::vector<std::string> questions = golden();
  const std::vector<std::string> found = answers(questions, true);
  ASSERT_EQ(questions.size(), 69U);
  ASSERT_EQ(found.size(), questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Json want = Json::parse(questions[i]);
    const Json got = Json::parse(found[i]);
    ASSERT_EQ(want.contains("error"), got.contains("error")) << "line " << i + 1 << ": " << questions[i] << found[i];
    if (want.contains("result")) {
      EXPECT_EQ(want["result"], got["result"]) << "line " << i + 1;
      EXPECT_EQ(want["result"].dump(), got["result"].dump()) << "line " << i + 1 << ": order of the keys";
    } else {
      EXPECT_FALSE(got["error"].get<std::string>().empty());
      EXPECT_TRUE(got.contains("hint")) << found[i];
    }
  }
}

// CuTe is right on all of them, so the checked semantics must give the same functions; but for C with atoms in K, where
// its layout runs past the tile.
TEST(TiledGolden, the_checked_semantics_agree) {
  const std::vector<std::string> questions = golden();
  const std::vector<std::string> found = answers(questions, false);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Json want = Json::parse(questions[i]);
    const Json got = Json::parse(found[i]);
    ASSERT_EQ(want.contains("error"), got.contains("error")) << "line " << i + 1 << ": " << questions[i] << found[i];
    const Json result = want.value("result", Json::object());
    for (const auto& [key, text] : result.items()) {
      if (key == "threads" || key == "tile_size" || key == "tiler") {
        EXPECT_EQ(text, got["result"][key]);
        continue;
      }
      if (key == "layoutC_TV" && want["atom_layout"] == "(_1,_4,_2)") {
        EXPECT_NE(text, got["result"][key]);
        continue;
      }
      const layout::AnyLayout a = layout::parse_any_layout(text.get<std::string>());
      const layout::AnyLayout b = layout::parse_any_layout(got["result"][key].get<std::string>());
      const std::int64_t n = size(domain(a)).value;
      ASSERT_EQ(n, size(domain(b)).value) << "line " << i + 1 << ' ' << key;
      for (std::int64_t x = 0; x < n; ++x) {
        const layout::Tree at(layout::Int::make_dynamic(x));
        ASSERT_EQ(evaluate(a, at).leaf().value, evaluate(b, at).leaf().value) << "line " << i + 1 << ' ' << key;
      }
    }
  }
}

}  // namespace
}  // namespace tileloom::trace
