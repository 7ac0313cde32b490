// SPDX-License-Identifier: Apache-2.0
// CuTe's own answers: every result identical, every refusal refused.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tileloom/layout/expression.hpp"

namespace tileloom::layout {
namespace {

struct Line {
  std::string op;
  std::vector<std::string> args;
  std::string result;  // empty: CuTe refuses it
  std::string text;    // op(args)
};

std::vector<Line> golden_lines() {
  std::ifstream in(TILELOOM_TEST_DATA "/golden/layout.jsonl");
  std::vector<Line> lines;
  for (std::string s; std::getline(in, s);) {
    const auto j = nlohmann::json::parse(s);
    Line line{j["op"], j["args"], j.value("result", ""), {}};
    for (const std::string& a : line.args) {
      line.text += (line.text.empty() ? "" : ", ") + a;
    }
    line.text = line.op + "(" + line.text + ")";
    lines.push_back(line);
  }
  return lines;
}

TEST(LayoutGolden, file_is_complete) {
  EXPECT_EQ(golden_lines().size(), 1452U);
}

TEST(LayoutGolden, cute_semantics_gives_the_same_text) {
  for (const Line& line : golden_lines()) {
    const Result<Value> got = try_evaluate(line.text, Semantics::cute);
    if (line.result.empty()) {
      EXPECT_FALSE(got.ok()) << line.text << " gives " << to_string(got.value()) << ", CuTe refuses it";
    } else if (!got.ok()) {
      ADD_FAILURE() << line.text << "\n  expected " << line.result << "\n  error    " << got.error().what();
    } else {
      EXPECT_EQ(to_string(got.value()), line.result) << line.text;
    }
  }
}

TEST(LayoutGolden, every_argument_and_result_parses_and_prints_back) {
  for (const Line& line : golden_lines()) {
    std::vector<std::string> texts = line.args;
    if (!line.result.empty()) {
      texts.push_back(line.result);
    }
    for (const std::string& text : texts) {
      const Result<Value> value = try_evaluate(text);
      ASSERT_TRUE(value.ok()) << text << ": " << value.error().what();
      if (!text.starts_with("Step")) {
        EXPECT_EQ(to_string(value.value()), text);
      }
    }
  }
}

// The default never gives an answer of another size than CuTe's without saying why.
TEST(LayoutGolden, default_semantics_differs_only_with_a_note_or_an_error) {
  int same = 0;
  int noted = 0;
  int refused = 0;
  for (const Line& line : golden_lines()) {
    Log log;
    const Result<Value> got = try_evaluate(line.text, {Semantics::correct, &log});
    if (!got.ok()) {
      ++refused;
      EXPECT_NE(std::string(got.error().what()), "");
      continue;
    }
    if (to_string(got.value()) == line.result) {
      ++same;
    } else {
      ++noted;
      EXPECT_FALSE(log.notes.empty()) << line.text << " gives " << to_string(got.value()) << ", CuTe " << line.result;
    }
  }
  RecordProperty("same", same);
  RecordProperty("noted", noted);
  RecordProperty("refused", refused);
  EXPECT_GT(same, 1200);
}

}  // namespace
}  // namespace tileloom::layout
