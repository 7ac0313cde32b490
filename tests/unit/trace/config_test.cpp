// SPDX-License-Identifier: Apache-2.0
// Configuration files: each wrong field is named, with what was expected and found.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/config_file.hpp"
#include "kernels/instances.hpp"
#include "unit/trace/kernel_support.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

using Json = nlohmann::ordered_json;

const Json small = {
    {"schema", "tileloom.kernel/1"}, {"mma", {{"atom", "SM80_16x8x16_F16F16F16F16_TN"}}}, {"tile", {16, 8, 16}}};

std::pair<std::string, std::string> error_with(const std::string& setting, const Json& json = small) {
  return error_of([&] { return build_kernel(cli::read_config("k", json.dump(), {setting})); });
}

TEST(Config, what_is_left_out_does_not_exist) {
  const KernelConfig c = cli::read_config("k", small.dump());
  EXPECT_EQ(c.stages, 1);
  EXPECT_EQ(c.mma.atom_layout, "(_1,_1,_1)");
  EXPECT_FALSE(c.g2s[0] || c.s2g || c.raster);
  EXPECT_NO_THROW((void)build_kernel(c));
}

TEST(Config, required_fields) {
  for (const auto& [key, message] :
       {std::pair("schema", "k: schema: missing"), {"mma", "k: mma: missing"}, {"tile", "k: tile: missing"}}) {
    Json json = small;
    json.erase(key);
    EXPECT_EQ(error_with("name=x", json).first, message);
  }
}

TEST(Config, wrong_fields_are_named) {
  EXPECT_EQ(error_with("schema=tileloom.kernel/2").first,
            "k: schema: expected \"tileloom.kernel/1\", found \"tileloom.kernel/2\"");
  EXPECT_EQ(error_with("mma.atm=3"),
            std::pair(std::string("k: unknown field 'mma.atm'"), std::string("did you mean atom?")));
  EXPECT_EQ(error_with("mma.atom=3").first, "k: mma.atom: expected a text, found 3");
  EXPECT_EQ(error_with("mma=3").first, "k: mma: expected an object, found 3");
  EXPECT_EQ(error_with("tile=[16,8]").first, "k: tile: expected [M, N, K], three positive integers, found [16,8]");
  EXPECT_EQ(error_with("stages=0").first, "k: stages: expected an integer from 1, found 0");
  EXPECT_EQ(error_with("g2s.A.atom=x").first, "k: g2s.A.thr: missing");
  EXPECT_EQ(error_with("raster.along=M").first, "k: raster.along: expected \"N\", found \"M\"");
  EXPECT_EQ(error_with("smem.at.A=-1").first, "k: smem.at.A: expected an integer from 0, found -1");
}

TEST(Config, wrong_values_are_named) {
  EXPECT_TRUE(error_with("mma.atom=SM80_16x8x15").first.starts_with("mma.atom: "));
  EXPECT_TRUE(error_with("mma.permutation=<").first.starts_with("mma.permutation: "));
  EXPECT_TRUE(error_with("arch=sm_1").first.starts_with("arch: "));
  EXPECT_EQ(error_with("types.A=bf16").first,
            "types.A: expected f16, which SM80_16x8x16_F16F16F16F16_TN takes; found 'bf16'");
  EXPECT_EQ(error_with("smem.A=(_16,_8):(_8,_1)").first,
            "smem.A: shape (_16,_8), expected the tile's (16,16) and a mode for the stages");
  EXPECT_EQ(error_with("gmem.A=(M,K").first.substr(0, 8), "gmem.A: ");
  EXPECT_EQ(error_with("gmem.A=M:_1").first, "gmem.A: M:_1, expected a matrix: two modes");
  EXPECT_EQ(error_with("s2r.A=SM75_U32x4_LDSM_N").first,
            "s2r.A: a copy through shared memory, but the configuration has no smem.A");
  EXPECT_EQ(error_with("epilogue.r2s=UniversalCopy<int>").first,
            "epilogue.r2s: a copy through shared memory, but the configuration has no smem.C");
}

// tile-ai/tilelang 2381: a K tile that an instruction does not divide must not lose its end silently.
TEST(Config, a_k_tile_of_part_of_an_instruction_is_refused) {
  for (const int k : {8, 24, 40, 56}) {
    EXPECT_EQ(error_with("tile=[16,8," + std::to_string(k) + "]").first,
              "tile: K is " + std::to_string(k) + ", expected a multiple of the tiled MMA's 16");
  }
}

TEST(Config, text_that_is_not_json_is_located) {
  EXPECT_EQ(error_of([] { return cli::read_config("k", "{\n  \"a\": }"); }).first,
            "k: line 2, column 8: not JSON from here on");
}

using ErrorText = std::pair<std::string, std::string>;

TEST(Config, settings_need_a_field_and_a_value) {
  const std::string hint = "for example --set s2r.B=SM75_U32x4_LDSM_N";
  for (const std::string setting : {"tile", "=3", "", ".=3", "mma.=3", ".atom=3", "mma..atom=3"}) {
    EXPECT_EQ(error_with(setting), ErrorText("--set: expected FIELD=VALUE, found '" + setting + "'", hint));
  }
}

TEST(Config, settings_go_into_objects_only) {
  Json json = small;
  json["name"] = "x";
  EXPECT_EQ(error_with("name.y=3", json),
            ErrorText("--set name.y: name is \"x\" and has no fields", "set name as a whole"));
  EXPECT_EQ(error_with("tile.2=64"),
            ErrorText("--set tile.2: tile is [16,8,16] and has no fields", "set tile as a whole"));
  EXPECT_EQ(error_with("mma.atom.x.y=1").first,
            "--set mma.atom.x.y: mma.atom is \"SM80_16x8x16_F16F16F16F16_TN\" and has no fields");
}

TEST(Config, a_setting_of_null_takes_a_field_away) {
  EXPECT_EQ(error_with("tile=null"), ErrorText("k: tile: missing", "for example [128, 128, 32]"));
  EXPECT_EQ(error_with("smem.A=null").first, "accepted") << "there was none";
  const KernelConfig c = cli::read_config_file(std::string(TILELOOM_SOURCE_DIR) + "/examples/hgemm-128x256x32.json",
                                               {"epilogue.s2g=null", "raster=null"});
  EXPECT_FALSE(c.s2g || c.raster);
  EXPECT_EQ(c.r2s, "UniversalCopy<int>");
}

TEST(Config, the_last_setting_of_a_field_counts) {
  const KernelConfig c = cli::read_config("k", small.dump(), {"stages=2", "stages=4", "smem.A=null", "name=n"});
  EXPECT_EQ(c.stages, 4);
  EXPECT_EQ(c.name, "n");
}

TEST(Config, unknown_fields_name_a_near_one_or_all) {
  for (const auto& [setting, message, hint] : std::vector<std::array<std::string, 3>>{
           {"tyle=[1,1,1]", "k: unknown field 'tyle'", "did you mean tile?"},
           {"gmem.D=x", "k: unknown field 'gmem.D'", "gmem has the fields A, B, C"},
           {"smem.statik=1", "k: unknown field 'smem.statik'", "did you mean static?"},
           {"smem.at.D=1", "k: unknown field 'smem.at.D'", "smem.at has the fields A, B, C"},
           {"g2s.A.thread=1", "k: unknown field 'g2s.A.thread'", "g2s.A has the fields atom, thr, val, tv, tile"},
           {"epilogue.r2x=1", "k: unknown field 'epilogue.r2x'", "did you mean r2s?"},
           {"raster.order=1", "k: unknown field 'raster.order'", "raster has the fields along, width"},
           {"types.D=f16", "k: unknown field 'types.D'", "types has the fields A, B, C, accumulate"},
           {"colour=red", "k: unknown field 'colour'",
            "the fields are schema, name, arch, stages, raster, types, mma, tile, gmem, smem, g2s, s2r, epilogue"}}) {
    EXPECT_EQ(error_with(setting), ErrorText(message, hint)) << setting;
  }
}

TEST(Config, wrong_types_are_named_with_what_was_found) {
  for (const auto& [setting, message] : std::vector<std::pair<std::string, std::string>>{
           {"name=3", "k: name: expected a text, found 3"},
           {"name=\"\"", "k: name: expected a text, found \"\""},
           {"arch=[80]", "k: arch: expected a text, found [80]"},
           {"stages=\"3\"", "k: stages: expected an integer from 1, found \"3\""},
           {"stages=2.5", "k: stages: expected an integer from 1, found 2.5"},
           {"stages=3000000000", "k: stages: expected an integer from 1, found 3000000000"},
           {"tile=128", "k: tile: expected [M, N, K], three positive integers, found 128"},
           {"tile=[16,8,0]", "k: tile: expected [M, N, K], three positive integers, found [16,8,0]"},
           {"tile=[16,8,16.0]", "k: tile: expected [M, N, K], three positive integers, found [16,8,16.0]"},
           {"smem=[]", "k: smem: expected an object, found []"},
           {"smem.at=3", "k: smem.at: expected an object, found 3"},
           {"smem.at.B=1.5", "k: smem.at.B: expected an integer from 0, found 1.5"},
           {"smem.static=-1", "k: smem.static: expected an integer from 0, found -1"},
           {"g2s.A=x", "k: g2s.A: expected an object, found \"x\""},
           {"g2s.B=as A", "k: g2s.B: expected an object, found \"as A\""},
           {"s2r.A=1", "k: s2r.A: expected a text, found 1"},
           {"epilogue.s2g=UniversalCopy<int>", "k: epilogue.s2g: expected an object, found \"UniversalCopy<int>\""},
           {"epilogue.r2g=1", "k: epilogue.r2g: expected an object, found 1"},
           {"raster.width=-1", "k: raster.width: expected an integer from 0, found -1"},
           {"raster.along=3", "k: raster.along: expected a text, found 3"}}) {
    EXPECT_EQ(error_with(setting).first, message) << setting;
  }
  EXPECT_EQ(error_of([] { return cli::read_config("k", "[1]"); }).first,
            "k: the configuration: expected an object, found [1]");
  EXPECT_EQ(error_of([] { return cli::read_config("k", "3", {"name=x"}); }).first,
            "k: the configuration: expected an object, found 3");
}

TEST(Config, missing_parts_are_named_with_an_example) {
  EXPECT_EQ(error_with("g2s.A.atom=x"), ErrorText("k: g2s.A.thr: missing", "for example \"(_32,_4):(_4,_1)\""));
  EXPECT_EQ(error_with("g2s.A={\"atom\": \"x\", \"thr\": \"_1\"}"),
            ErrorText("k: g2s.A.val: missing", "for example \"(_1,_8)\""));
  EXPECT_EQ(error_with("epilogue.s2g.thr=_1"),
            ErrorText("k: epilogue.s2g.atom: missing", "for example \"SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>\""));
  EXPECT_EQ(error_with("mma=null"),
            ErrorText("k: mma: missing", "for example {\"atom\": \"SM80_16x8x16_F16F16F16F16_TN\"}"));
  EXPECT_EQ(error_with("mma.atom=null").first, "k: mma.atom: missing");
}

TEST(Config, as_a_is_a_copy_of_its_own) {
  const KernelConfig c = cli::read_config_file(std::string(TILELOOM_SOURCE_DIR) + "/examples/hgemm-128x256x32.json",
                                               {"g2s.B.val=(_1,_4)"});
  EXPECT_EQ(c.g2s[0]->values, "(_1,_8)");
  EXPECT_EQ(c.g2s[1]->values, "(_1,_4)");
}

// A copy as CuTe's type has it is the copy of make_tiled_copy.
TEST(Config, a_copy_by_threads_and_values_or_by_elements) {
  const std::string file = "examples/hgemm-128x256x32.json";
  const std::string atom = R"({"atom": "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", )";
  const auto with = [&](const std::string& rest) {
    return kernel_of_file(file, {"g2s.A=" + atom + rest + "}"}).path(Operand::a).fill.value();
  };
  const TiledCopy by_element = with(R"j("tv": "((_4,_32),_8):((_256,_1),_32)", "tile": "(_32,_32)")j");
  const TiledCopy by_thread = kernel_of_file(file).path(Operand::a).fill.value();
  EXPECT_EQ(to_string(by_element.layout_tv()), to_string(by_thread.layout_tv()));
  EXPECT_EQ(to_string(by_element.tiler()), to_string(by_thread.tiler()));
  const std::string path = std::string(TILELOOM_SOURCE_DIR) + "/" + file;
  const auto error = [&](const std::string& rest) { return error_of([&] { return with(rest); }).first; };
  EXPECT_EQ(error(R"j("tv": "(_2,_2):(_1,_2)", "thr": "_4")j"), path + ": g2s.A: both thr and val, and tv and tile");
  EXPECT_EQ(error(R"j("tv": "(_2,_2):(_1,_2)")j"), path + ": g2s.A.tile: missing");
  EXPECT_EQ(error(R"j("tv": "_1024:_1", "tile": "(_32,_32)")j"),
            "g2s.A.tv: _1024:_1, expected a layout of two modes: (thread, value) -> element");
  EXPECT_EQ(error(R"j("tv": "(_128,_8):(_1,_1)", "tile": "(_32,_32)")j"),
            "g2s.A.tv: (_128,_8):(_1,_1) does not take each of the 1024 elements of the tile (_32,_32) once");
  EXPECT_EQ(error(R"j("tv": "(_128,_8):(_1,_128)", "tile": "(_1024,_1024)")j"),
            "g2s.A.tile: (_1024,_1024) is larger than the CTA's tile (128,32)");
  EXPECT_EQ(error(R"j("tv": "(_128,_8):(_1,_128)", "tile": "(_8,_8,_16)")j"),
            "g2s.A.tile: (_8,_8,_16) has rank 3, expected rows and columns");
}

TEST(Config, sizes_are_multiples_of_what_they_must_be) {
  const std::string file = "examples/hgemm-128x256x32.json";
  EXPECT_EQ(kernel_of_file(file).sizes, (layout::SymbolValues{{"K", 4096}, {"M", 4096}, {"N", 4096}}));
  EXPECT_EQ(error_of([&] {
              return kernel_of_file(file, {}, {{"M", 100}});
            }).first,
            "gmem.A: 100 in mode 0, expected a multiple of the tile's 128");
  EXPECT_EQ(error_of([&] {
              return kernel_of_file(file, {}, {{"lda", 64}});
            }),
            std::pair(std::string("size lda: the configuration has no such symbol"), std::string("it has K, M, N")));
}

TEST(Config, every_instance_has_its_configuration) {
  for (const kernels::Configuration& c : kernels::configurations()) {
    const KernelConfig config = cli::read_kernel_config(std::string(c.name), {});
    EXPECT_EQ(config.name, c.name);
    const kernels::KernelInstance* instance = kernels::find_instance(c.name);
    ASSERT_NE(instance, nullptr) << c.name;
    const Kernel kernel = build_kernel(config);
    EXPECT_EQ(config.tile, (std::array<std::int64_t, 3>{instance->tile_m, instance->tile_n, instance->tile_k}));
    EXPECT_EQ(kernel.threads(), instance->threads);
    EXPECT_EQ(kernel.shared_bytes, instance->shared_bytes(instance->default_stages));
    EXPECT_EQ(config.stages, std::max(1, instance->default_stages));
  }
  EXPECT_EQ(kernels::configurations().size(), kernels::instances().size());
  EXPECT_EQ(cli::read_kernel_config("multistage", {}).name, "multistage_128x128x64_f32");
  EXPECT_EQ(error_of([] { return cli::read_kernel_config("multistag", {}); }),
            std::pair(std::string("--kernel: no kernel 'multistag' has a configuration"),
                      std::string("did you mean multistage?")));
}

}  // namespace
}  // namespace tileloom::trace::test
