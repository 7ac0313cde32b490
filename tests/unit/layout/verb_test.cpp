// SPDX-License-Identifier: Apache-2.0
// `tileloom layout` without the program around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/layout_run.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

struct Ran {
  int exit_code;
  std::string out;
  std::string err;
};

Ran run(const LayoutOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_layout(options, {{"schema", "tileloom.layout/1"}}, out, err);
  return {code, out.str(), err.str()};
}

LayoutOptions expression(const std::string& text) {
  LayoutOptions o;
  o.expression = text;
  return o;
}

TEST(LayoutVerb, prints_one_line) {
  const Ran r = run(expression("coalesce((_2,_4):(_1,_2))"));
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.out, "_8:_1\n");
  EXPECT_EQ(r.err, "");
}

TEST(LayoutVerb, notes_go_to_stderr) {
  const Ran r = run(expression("right_inverse((2,4):(4,1))"));
  EXPECT_EQ(r.out, "(4,2):(2,_1)\n");
  EXPECT_EQ(r.err,
            "note: right_inverse: CuTe returns _1:_0; the answer here is decided from the values, which are known\n");
}

TEST(LayoutVerb, table_of_two_modes) {
  LayoutOptions o = expression("(_2,(_2,_2)):(_4,(_2,_1))");
  o.table = true;
  EXPECT_EQ(run(o).out,
            "(_2,(_2,_2)):(_4,(_2,_1))\n"
            "offset | (0,0) (1,0) (0,1) (1,1)\n"
            "-------+------------------------\n"
            "     0 |     0     2     1     3\n"
            "     1 |     4     6     5     7\n");
}

TEST(LayoutVerb, tables_are_never_wider_than_100_columns_and_hold_every_offset) {
  for (const std::string text :
       {"(_8,_64):(_64,_1)", "_100:_3", "(_4,_8,_3):(_8,_1,_32)", "(_2,_2,_2,_2):(_1,_2,_4,_8)",
        "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", "make_identity_layout((_4,_30))"}) {
    LayoutOptions o = expression(text);
    o.table = true;
    std::istringstream lines(run(o).out);
    std::size_t cells = 0;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 100U) << text;
      cells += line.find(" |") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(cells, 1U) << text;
  }
  LayoutOptions five = expression("(_2,_2,_2,_2,_2):(_1,_2,_4,_8,_16)");
  five.table = true;
  EXPECT_THROW((void)run(five), Error);
}

TEST(LayoutVerb, at_one_coordinate) {
  LayoutOptions o = expression("Sw<2,3,3> o _0 o (_8,_32):(_32,_1)");
  o.at = "(1,9)";
  EXPECT_EQ(run(o).out, "41\n");
  o.at = "(8,0)";
  EXPECT_THROW((void)run(o), Error);
  o.expression = "(_4,_8):(_8,_1)";
  o.at = "(2,_)";
  EXPECT_EQ(run(o).out, "(_8):(_1)\n");
}

TEST(LayoutVerb, equal_names_the_first_difference) {
  LayoutOptions o = expression("(_4,_8):(_8,_1)");
  o.equal = "(_4,(_2,_4)):(_8,(_1,_2))";
  EXPECT_EQ(run(o).exit_code, 0);
  EXPECT_EQ(run(o).out, "equal at all 32 coordinates\n");
  o.expression = "Sw<2,3,3> o _0 o (_8,_32):(_32,_1)";
  o.equal = "Sw<3,3,3> o _0 o (_8,_32):(_32,_1)";
  const Ran r = run(o);
  EXPECT_EQ(r.exit_code, r.out.starts_with("differ at ") ? 1 : 0) << r.out;
  o.equal = "_256:_1";
  EXPECT_EQ(run(o).exit_code, 1);
}

std::string explained(const std::string& text) {
  LayoutOptions o = expression(text);
  o.explain = true;
  return run(o).out;
}

TEST(LayoutVerb, explain_lists_the_steps) {
  EXPECT_EQ(explained("logical_divide(_12:_1, _4:_1)"),
            "(_4,_3):(_1,_4)\n"
            "  1  offsets below the stride of _4:_1, in steps of _1\n"
            "     = _1:_1\n"
            "  2  offsets up to _12, in steps of _4\n"
            "     = _3:_4\n"
            "  3  complement(_4:_1, _12)\n"
            "     = _3:_4\n"
            "  4  composition(_12:_1, _4:_1)\n"
            "     = _4:_1\n"
            "  5  composition(_12:_1, _3:_4)\n"
            "     = _3:_4\n"
            "  6  composition(_12:_1, (_4,_3):(_1,_4))\n"
            "     = (_4,_3):(_1,_4)\n"
            "result\n"
            "     = (_4,_3):(_1,_4)\n");
  EXPECT_EQ(explained("complement((_2,_3,_5):(_6,_1,_0), _36)"),
            "(_2,_3):(_3,_12)\n"
            "  1  filter((_2,_3,_5):(_6,_1,_0))\n"
            "     = (_2,_3):(_6,_1)\n"
            "  2  offsets below the stride of _3:_1, in steps of _1\n"
            "     = _1:_1\n"
            "  3  offsets below the stride of _2:_6, in steps of _3\n"
            "     = _2:_3\n"
            "  4  offsets up to _36, in steps of _12\n"
            "     = _3:_12\n"
            "  5  complement((_2,_3,_5):(_6,_1,_0), _36)\n"
            "     = (_2,_3):(_3,_12)\n"
            "result\n"
            "     = (_2,_3):(_3,_12)\n");
}

// Every step that is a call is an equation that holds.
TEST(LayoutVerb, explained_steps_evaluate_to_what_they_say) {
  std::size_t calls = 0;
  for (const std::string text :
       {"composition((_4,_2,_8):(_3,_12,_97), (_3,_2):(_3,_1))", "zipped_divide((_8,_8):(_8,_1), (_4,_2))",
        "tiled_divide((_8,(_4,_8)):(_32,(_1,_4)), <_4:_2,_8:_4>)", "logical_product((_2,_2):(_1,_2), (_3,_2):(_1,_3))",
        "blocked_product((_2,_2):(_1,_2), (_3,_2):(_1,_3))", "raked_product((2,2):(1,2), (3,2):(1,3))",
        "complement((_4,_2):(_2,_16), _64)", "composition((6,4):(4,1), (3,2):(2,6))"}) {
    LayoutOptions o = expression(text);
    o.explain = o.json = true;
    const auto json = nlohmann::json::parse(run(o).out);
    EXPECT_GE(json["steps"].size(), 3U) << text;
    for (const auto& step : json["steps"]) {
      const std::string what = step["what"];
      if (what.find('(') != std::string::npos && !what.starts_with("offsets")) {
        EXPECT_EQ(run(expression(what)).out, std::string(step["result"]) + "\n") << what;
        ++calls;
      }
    }
  }
  EXPECT_GT(calls, 30U);
}

TEST(LayoutVerb, json_holds_what_the_text_shows) {
  LayoutOptions o = expression("(_2,_2):(_2,_1)");
  o.json = o.table = o.properties = o.explain = true;
  o.at = "(1,0)";
  o.equal = "_4:_1";
  const auto json = nlohmann::json::parse(run(o).out);
  EXPECT_EQ(json["result"], "(_2,_2):(_2,_1)");
  EXPECT_EQ(json["offsets"], nlohmann::json({0, 2, 1, 3}));
  EXPECT_EQ(json["at"]["value"], "2");
  EXPECT_EQ(json["equal"]["equal"], false);
  EXPECT_EQ(json["properties"]["bijective"], true);
  EXPECT_EQ(json["properties"]["size"], 4);
}

TEST(LayoutVerb, batch_answers_line_by_line) {
  std::istringstream in(
      "{\"op\": \"coalesce\", \"args\": [\"(_2,_2):(_1,_2)\"]}\n"
      "not json\n"
      "{\"op\": \"coalesc\", \"args\": [\"_1:_0\"]}\n");
  std::ostringstream out;
  run_layout_batch(in, out, true);
  EXPECT_EQ(out.str(),
            "{\"result\":\"_4:_1\"}\n"
            "{\"error\":\"the line is not a JSON object, expected {\\\"op\\\": \\\"name\\\", \\\"args\\\": "
            "[\\\"text\\\", ...]}\"}\n"
            "{\"error\":\"unknown function 'coalesc'\"}\n");
}

TEST(LayoutVerb, batch_tells_how_far_it_is) {
  std::istringstream in("{\"op\": \"coalesce\", \"args\": [\"_4:_1\"]}\n\n{}");
  std::ostringstream out;
  std::vector<std::uint64_t> done;
  run_layout_batch(in, out, true, [&](std::uint64_t bytes, std::uint64_t all) {
    EXPECT_EQ(all, 41U);
    done.push_back(bytes);
  });
  EXPECT_EQ(done.size(), 3U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_GE(done.back(), 41U);
}

TEST(LayoutVerb, batch_gives_the_golden_answers) {
  std::ifstream in(TILELOOM_TEST_DATA "/golden/layout.jsonl");
  std::ostringstream out;
  run_layout_batch(in, out, true);
  std::ifstream again(TILELOOM_TEST_DATA "/golden/layout.jsonl");
  std::istringstream answers(out.str());
  std::string line;
  std::string answer;
  std::size_t n = 0;
  while (std::getline(again, line) && std::getline(answers, answer)) {
    const auto want = nlohmann::json::parse(line);
    const auto got = nlohmann::json::parse(answer);
    EXPECT_EQ(want.contains("error"), got.contains("error")) << line;
    EXPECT_EQ(want.value("result", ""), got.value("result", "")) << line;
    ++n;
  }
  EXPECT_EQ(n, 1452U);
}

}  // namespace
}  // namespace tileloom::cli
