// SPDX-License-Identifier: Apache-2.0
#include "bench/shapes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/gemm/error_of.hpp"

namespace tileloom::bench {
namespace {

std::string message(const std::string& text) {
  return tileloom::test::error_of([&] { (void)parse_shape("--shapes", text); }).message;
}

TEST(Shapes, ReadBackAsTheyAreWritten) {
  for (const Shape& shape : {Shape{1, 2, 3}, Shape{1, 128256, 4096}, Shape{1048576, 1, 2048}}) {
    EXPECT_EQ(parse_shape("x", to_string(shape)), shape);
  }
}

TEST(Shapes, OnlyThreeSizesInRange) {
  for (const char* text : {"", "1", "1,2", "1,2,3,4", "1,,3", "1,2,", ",1,2", "1,2,3 ", " 1,2,3", "0,2,3", "1,-2,3",
                           "1,2,x", "1,2,1048577", "1.5,2,3", "99999999999999999999,1,1"}) {
    EXPECT_EQ(message(text), "--shapes: expected M,N,K, each from 1 to 1048576, found '" + std::string(text) + "'");
  }
}

TEST(Shapes, NoMatrixIsLargerThan4GiB) {
  EXPECT_EQ(message("65536,32768,1"), "");
  EXPECT_EQ(message("1048576,1,4096"),
            "--shapes: expected at most 2^31 elements in a matrix, found 4294967296 in A of 1048576,1,4096");
  EXPECT_EQ(message("1,1048576,4096"),
            "--shapes: expected at most 2^31 elements in a matrix, found 4294967296 in B of 1,1048576,4096");
  EXPECT_EQ(message("65536,32769,1"),
            "--shapes: expected at most 2^31 elements in a matrix, found 2147549184 in D of 65536,32769,1");
}

TEST(Shapes, FilesHaveNamesAndComments) {
  const std::vector<Shape> shapes = parse_shape_file("f", "# head\n\n1,2,3\n  4,5,6\tlayer one # tail\r\n7,8,9 x,y");
  EXPECT_EQ(shapes, (std::vector<Shape>{{1, 2, 3, ""}, {4, 5, 6, "layer one"}, {7, 8, 9, "x,y"}}));
  const auto error = [](const char* text) {
    return tileloom::test::error_of([&] { (void)parse_shape_file("my.txt", text); }).message;
  };
  EXPECT_EQ(error("1,2,3\n\n1,2\n"), "my.txt:3: expected M,N,K, each from 1 to 1048576, found '1,2'");
  EXPECT_EQ(error("# nothing\n"), "my.txt: expected lines M,N,K NAME, found none");
}

TEST(Shapes, TheFirstOfEachSizesIsKept) {
  EXPECT_EQ(without_repetitions({{1, 2, 3, "a"}, {3, 2, 1, ""}, {1, 2, 3, "b"}}),
            (std::vector<Shape>{{1, 2, 3, "a"}, {3, 2, 1, ""}}));
}

TEST(ShapeSets, SquaresAscendFrom256To16384) {
  const std::vector<Shape> squares = shape_set("squares");
  EXPECT_EQ(squares.size(), 13U);
  EXPECT_EQ(squares.front().m, 256);
  EXPECT_EQ(squares.back().m, 16384);
  for (std::size_t i = 0; i < squares.size(); ++i) {
    EXPECT_TRUE(squares[i].square());
    EXPECT_TRUE(i == 0 || squares[i].m > squares[i - 1].m);
  }
}

// What a transformer's configuration says, and what its layers multiply by it.
struct Model {
  std::int64_t hidden, mlp, heads, kv_heads, head;
};

TEST(ShapeSets, LayersAreThoseOfTheModels) {
  const std::map<std::string, Model> models{{"Llama-3.1-8B", {4096, 14336, 32, 8, 128}},
                                            {"Llama-3.1-70B", {8192, 28672, 64, 8, 128}},
                                            {"Qwen2.5-7B", {3584, 18944, 28, 4, 128}},
                                            {"Qwen2.5-32B", {5120, 27648, 40, 8, 128}}};
  int checked = 0;
  for (const Shape& shape : shape_set("llm-core")) {
    const std::string model = shape.name.substr(0, shape.name.find(' '));
    const std::string layer = shape.name.substr(shape.name.rfind(' ') + 1);
    if (!models.contains(model) || layer == "lm_head") {
      continue;
    }
    const Model& m = models.at(model);
    const std::int64_t parts = shape.name.find(" tp8 ") != std::string::npos ? 8 : 1;
    const std::map<std::string, std::pair<std::int64_t, std::int64_t>> layers{
        {"qkv", {(m.heads + 2 * m.kv_heads) * m.head / parts, m.hidden}},
        {"o", {m.hidden, m.heads * m.head / parts}},
        {"gate_up", {2 * m.mlp / parts, m.hidden}},
        {"down", {m.hidden, m.mlp / parts}}};
    EXPECT_EQ(std::pair(shape.n, shape.k), layers.at(layer)) << shape.name;
    ++checked;
  }
  EXPECT_GT(checked, 40);
}

TEST(ShapeSets, LlmCoreIsShortAndHasNoRepetition) {
  const std::vector<Shape> shapes = shape_set("llm-core");
  EXPECT_LE(shapes.size(), 60U);
  EXPECT_EQ(without_repetitions(shapes).size(), shapes.size());
  std::map<std::string, std::set<std::pair<std::int64_t, std::int64_t>>> layers;
  for (const Shape& shape : shapes) {
    EXPECT_NE(shape.name, "");
    layers[shape.name].insert({shape.n, shape.k});
  }
  for (const auto& [name, sizes] : layers) {
    EXPECT_EQ(sizes.size(), 1U) << name;
  }
}

}  // namespace
}  // namespace tileloom::bench
