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

TEST(Config, settings_need_a_field_and_a_value) {
  EXPECT_EQ(error_with("tile").first, "--set: expected FIELD=VALUE, found 'tile'");
  Json json = small;
  json["name"] = "x";
  EXPECT_EQ(error_with("name.y=3", json).first, "--set: name.y has no field 'y'");
}

TEST(Config, as_a_is_a_copy_of_its_own) {
  const KernelConfig c = cli::read_config_file(std::string(TILELOOM_SOURCE_DIR) + "/examples/hgemm-128x256x32.json",
                                               {"g2s.B.val=(_1,_4)"});
  EXPECT_EQ(c.g2s[0]->values, "(_1,_8)");
  EXPECT_EQ(c.g2s[1]->values, "(_1,_4)");
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
