// SPDX-License-Identifier: Apache-2.0
// `tileloom draw` as a program: what it draws, its files, its errors word by word.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/cli/run_program.hpp"
#include "unit/draw/svg_reader.hpp"

namespace tileloom {
namespace {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

class DrawProgram : public testing::Test {
 protected:
  [[nodiscard]] test::ProgramResult draw(Arguments arguments) const {
    arguments.insert(arguments.begin(), "draw");
    return program.run(arguments);
  }
  void expect_error(const Arguments& arguments, int exit_code, const std::string& error,
                    const std::string& hint = {}) const {
    const test::ProgramResult r = draw(arguments);
    EXPECT_EQ(r.exit_code, exit_code);
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, "error: " + error + "\n" + (hint.empty() ? "" : "hint: " + hint + "\n"));
    EXPECT_EQ(directory.listing(), Arguments{}) << error;
  }

  test::Directory directory;
  test::Program program{directory};
};

TEST_F(DrawProgram, the_suffix_chooses_the_format) {
  EXPECT_EQ(draw({"(_4,_4):(_4,_1)", "-o", "a.svg"}).exit_code, 0);
  EXPECT_EQ(draw({"(_4,_4):(_4,_1)", "-o", "a.tex"}).exit_code, 0);
  EXPECT_EQ(draw({"(_4,_4):(_4,_1)", "-o", "a.picture", "--format", "latex"}).exit_code, 0);
  const std::string svg = test::read_file(directory.file("a.svg"));
  const std::string tex = test::read_file(directory.file("a.tex"));
  EXPECT_EQ(test::read_svg(svg).panels.at("panel").size(), 16U);
  EXPECT_EQ(tex.substr(0, 18), "% (_4,_4):(_4,_1)\n");
  EXPECT_EQ(test::read_file(directory.file("a.picture")), tex);
  EXPECT_EQ(draw({"(_4,_4):(_4,_1)"}).out, svg);
  EXPECT_EQ(draw({"(_4,_4):(_4,_1)", "--format", "latex"}).out, tex);
}

TEST_F(DrawProgram, what_is_drawn) {
  const auto title = [&](Arguments arguments) {
    const test::ProgramResult r = draw(std::move(arguments));
    EXPECT_EQ(r.err, "");
    return r.exit_code == 0 ? test::read_svg(r.out).title : "";
  };
  const std::string kernel = "multistage_128x256x32_f16";
  EXPECT_EQ(title({"m16n8k16 f16"}), "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(title({"ldmatrix.sync.aligned.m8n8.x4.shared.b16"}), "SM75_U32x4_LDSM_N");
  EXPECT_EQ(title({"coalesce((_2,_4):(_1,_2))"}), "_8:_1");
  EXPECT_EQ(title({TILELOOM_SOURCE_DIR "/examples/one-warp.json"}).substr(0, 8), "one-warp");
  EXPECT_EQ(title({"--kernel", kernel}), kernel + ": tiled MMA");
  EXPECT_EQ(title({"--kernel", kernel, "--part", "atom"}), "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(title({"--kernel", kernel, "--part", "smem.B", "--bank"}), kernel + ": sB, stage 0");
  EXPECT_EQ(title({"--kernel", kernel, "--part", "smem.C"}), kernel + ": sC");
  for (const std::string part : {"g2s.A", "g2s.B", "s2r.A", "s2r.B", "epilogue.r2s", "epilogue.s2g"}) {
    EXPECT_EQ(title({"--kernel", kernel, "--part", part}), kernel + ": " + part);
  }
}

// The shared tile of the kernel: the swizzle spreads the outlined rows over all banks, without it they collide.
TEST_F(DrawProgram, a_swizzle_shows) {
  const auto notes = [&](const std::string& setting) {
    return draw({"--kernel", "multistage", "--part", "smem.A", "--bank", "--set", setting}).out;
  };
  EXPECT_NE(notes("name=k").find("1 wavefront, no conflict"), std::string::npos);
  EXPECT_NE(notes("smem.A=(_128,_64,_3):(_64,_1,_16384)").find("8 wavefronts, 1 without conflicts"), std::string::npos);
}

TEST_F(DrawProgram, json_is_the_model) {
  const Json json = Json::parse(draw({"SM80_16x8x16_F16F16F16F16_TN", "--json"}).out);
  EXPECT_EQ(json["schema"], "tileloom.draw/1");
  EXPECT_EQ(json["title"], "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(json["colours"]["of"], "thread mod 8");
  EXPECT_EQ(json["colours"]["rgb"].size(), 8U);
  ASSERT_EQ(json["panels"].size(), 3U);
  const Json& a = json["panels"][1];
  EXPECT_EQ(a["name"], "A");
  EXPECT_EQ(a["cells"].size(), 256U);
  EXPECT_EQ(a["cells"][9], Json::parse(R"({"row": 0, "column": 9, "text": "T0", "detail": "V5", "colour": 0,
                                           "holders": [{"thread": 0, "value": 5}]})"));
}

TEST_F(DrawProgram, errors) {
  const std::string shape = "slice((_,_,0), L) leaves modes 0 and 1; group(L, 1, 3) puts 1 and 2 into one";
  expect_error({}, 2, "draw: nothing to draw", "give a configuration file, a layout, an instruction, or --kernel NAME");
  expect_error({"_8:_1", "-o", "a.png"}, 2, "-o a.png: expected a name that ends in .svg or .tex",
               "--format svg or --format latex says it for any name");
  expect_error({"_8:_1", "-o", "a"}, 2, "-o a: expected a name that ends in .svg or .tex",
               "--format svg or --format latex says it for any name");
  expect_error({"_8:_1", "--format", "pdf"}, 2, "--format: expected svg or latex, found 'pdf'");
  expect_error({"_8:_1", "-o", "no/a.svg"}, 4, "no/a.svg: cannot write: No such file or directory");
  expect_error({"(_4,_2,_3):(_1,_4,_8)", "-o", "a.svg"}, 2, "draw: (_4,_2,_3):(_1,_4,_8) has rank 3, expected 1 or 2",
               shape);
  expect_error({"SM80_16x8x16_F16F16F16F16_T"}, 2,
               "atom: expected a name of the table, found 'SM80_16x8x16_F16F16F16F16_T'",
               "did you mean SM80_16x8x16_F16F16F16F16_TN? tileloom atom list shows all names");
  expect_error({"size(_8:_1)"}, 2, "draw: the expression is an integer, _8; expected a layout");
  expect_error({"Sw<1,0,1> o _0 o (_4,_4):(_4,_1)", "--tv", "(_4,_4)"}, 2,
               "--tv: Sw<1,0,1> o _0 o (_4,_4):(_4,_1) is swizzled, expected a plain layout");
  expect_error({"--kernel", "simple", "--part", "smem.A"}, 2,
               "--part: the configuration simple_128x128x16_f32 has no smem.A",
               "tileloom trace lists the kernel's stages");
  expect_error({"--kernel", "simple", "--part", "smem"}, 2,
               "--part: expected mma, atom, smem.A, smem.B, smem.C, g2s.A, g2s.B, s2r.A, s2r.B, epilogue.r2s, "
               "epilogue.s2g or epilogue.r2g, found 'smem'");
  expect_error({"--kernel", "handwritten", "--part", "epilogue.s2g"}, 2,
               "--part: the configuration handwritten_128x128x32_f32 has no epilogue.s2g",
               "tileloom trace lists the kernel's stages");
  expect_error({"--kernel", "simple", "--bank"}, 2,
               "--bank: only with an expression, or --part smem.A, smem.B or smem.C");
  expect_error({"--kernel", "simple", "--tv", "_8"}, 2, "--tv: only with an expression");
  expect_error({"_8:_1", "--bits", "8"}, 2, "--bits: only with --bank");
  expect_error({"_8:_1", "--bank", "--bits", "x"}, 2, "--bits: expected an integer from 4 to 128, found 'x'");
  expect_error({"_8:_1", "--part", "mma"}, 2, "--part: only with a kernel");
  expect_error({"_8:_1", "--set", "a=b"}, 2, "--set: only with a kernel");
  expect_error({"m16n8k16 f16", "--bank"}, 2, "--bank: only with a layout");
}

}  // namespace
}  // namespace tileloom
