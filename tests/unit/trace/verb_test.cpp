// SPDX-License-Identifier: Apache-2.0
// The batch form of `tileloom trace`: a line that is wrong is answered with what is wrong, and the next line is
// answered.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/trace_run.hpp"

namespace tileloom::cli {
namespace {

using Json = nlohmann::ordered_json;

const Json good = {{"atom", "SM80_16x8x16_F16F16F16F16_TN"},
                   {"tile", {16, 8, 16}},
                   {"A", "(_16,_16):(_16,_1)"},
                   {"B", "(_8,_16):(_16,_1)"},
                   {"C", "(_16,_8):(_8,_1)"}};

Json answer(const std::string& line, bool cute = false) {
  std::istringstream in(line + "\n" + good.dump() + "\n");
  std::ostringstream out;
  run_trace_batch(in, out, cute);
  std::istringstream lines(out.str());
  std::string first;
  std::string second;
  std::string none;
  EXPECT_TRUE(std::getline(lines, first) && std::getline(lines, second));
  EXPECT_FALSE(std::getline(lines, none));
  EXPECT_TRUE(Json::parse(second).contains("result")) << second;
  return Json::parse(first);
}

// The error where `field` is replaced.
std::string error_with(const std::string& field, const Json& value) {
  Json question = good;
  question[field] = value;
  return answer(question.dump()).value("error", "accepted");
}

TEST(TraceVerb, wrong_lines_name_what_is_wrong) {
  const std::string shape = R"(each line is {"atom": ..., "tile": [M, N, K], "A": ..., "B": ..., "C": ...})";
  for (const std::string line : {"", "{", "[]", "null", "\xff", "3"}) {
    EXPECT_EQ(answer(line), (Json{{"error", "the line is not a JSON object"}, {"hint", shape}})) << line;
  }
  EXPECT_EQ(answer("{}")["error"], "the line lacks atom");
  EXPECT_EQ(error_with("A", 3), "A: expected a string, found 3");
  EXPECT_EQ(error_with("warps", 4), "unknown field 'warps'");
  EXPECT_EQ(error_with("query", "tiled_copy_D"), "the line lacks copy_atom");
  for (const Json& tile :
       {Json(16), Json{16, 8}, Json{16, 8, 0}, Json{16, 8, -16}, Json{16, 8, 1.5}, Json{16, 8, "16"}}) {
    EXPECT_EQ(error_with("tile", tile), "tile: expected [M, N, K], three positive integers; found " + tile.dump());
  }
}

TEST(TraceVerb, wrong_texts_name_their_field) {
  EXPECT_TRUE(error_with("A", "(_16,_16:(_16,_1)").starts_with("A: ")) << error_with("A", "(_16,_16:(_16,_1)");
  EXPECT_TRUE(error_with("atom_layout", "(").starts_with("atom_layout: "));
  EXPECT_TRUE(error_with("permutation", "<").starts_with("permutation: "));
  EXPECT_EQ(error_with("atom_layout", "Sw<1,1,1>"),
            "atom_layout: Sw<1,1,1> is a swizzle, expected a shape or a layout of up to three modes");
  EXPECT_EQ(error_with("permutation", "_4:_1"),
            "permutation: _4:_1 is a layout, expected a tiler such as <_32,_32,_16>, or none");
  EXPECT_EQ(error_with("B", "_8"), "B: _8 is an integer, expected a layout");
  EXPECT_EQ(error_with("A", "(_16,_8):(_8,_1)"), "A: (_16,_8):(_8,_1), expected the tile's shape (16,16)");
  EXPECT_EQ(error_with("atom_layout", "(_1,_1,_1,_2)"),
            "tiled MMA: atom layout (_1,_1,_1,_2):(_0,_0,_0,_1), expected up to three modes, (M,N,K)");
  EXPECT_EQ(error_with("atom_layout", "(_2,_1,_1):(_0,_0,_0)"),
            "tiled MMA: the atoms of (_2,_1,_1):(_0,_0,_0) do not all have threads of their own");
  EXPECT_EQ(error_with("atom_layout", "(_2,_1,_1)"),
            "partition of A: 16 in M, expected a multiple of the tiled MMA's 32");
}

TEST(TraceVerb, a_permutation_that_meets_a_place_twice_is_refused) {
  Json line = good;
  line["permutation"] = "<_32:_0,_,_>";
  EXPECT_EQ(answer(line.dump())["error"],
            "tiled MMA: the permutation _32:_0 in M does not meet each of its 32 places once");
  EXPECT_TRUE(answer(line.dump(), /*cute=*/true).contains("result"));
}

TEST(TraceVerb, queries_that_do_not_exist_are_refused) {
  Json question = good;
  question["query"] = "tiled_copy_D";
  question["copy_atom"] = "SM75_U32x4_LDSM_N";
  EXPECT_EQ(answer(question.dump())["error"],
            "query: expected tiled_mma, tiled_copy_A, tiled_copy_B or tiled_copy_C, found 'tiled_copy_D'");
}

TEST(TraceVerb, a_copy_needs_only_its_own_operand) {
  Json question = good;
  question.erase("A");
  EXPECT_EQ(answer(question.dump())["error"], "the line lacks A");
  question["query"] = "tiled_copy_B";
  question["copy_atom"] = "SM75_U32x2_LDSM_N";
  question.erase("C");
  const Json result = answer(question.dump())["result"];
  EXPECT_EQ(result["retile_D"], "((_4,_1),_1,_1):((_1,_0),_0,_0)");
}

TEST(TraceVerb, stores_of_c_are_described_from_the_memory_side) {
  Json question = good;
  question["query"] = "tiled_copy_C";
  question["copy_atom"] = "UniversalCopy<uint32_t>";
  const Json result = answer(question.dump(), true)["result"];
  EXPECT_EQ(result["partition_D@0"], "((_2,_2),_1,_1):((_1,_64),_0,_0)");
  EXPECT_EQ(result["retile_S"], "((_2,_2),_1,_1):((_1,_2),_0,_0)");
  EXPECT_FALSE(result.contains("partition_S@0"));
}

}  // namespace
}  // namespace tileloom::cli
