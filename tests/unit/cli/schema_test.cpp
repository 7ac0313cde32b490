// SPDX-License-Identifier: Apache-2.0
// The JSON schemas of docs/formats: what the program reads and prints fits them, and what it refuses does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/config_file.hpp"
#include "kernels/configurations.hpp"
#include "tileloom/error.hpp"
#include "tileloom/trace/kernel.hpp"
#include "unit/cli/run_program.hpp"
#include "unit/cli/schema.hpp"

namespace tileloom {
namespace {

using Json = nlohmann::json;
using test::read_text;
using test::Schema;

// --- Configurations ----------------------------------------------------------------------------------------------

const Schema& configuration_schema() {
  static const Schema schema("kernel-config.schema.json");
  return schema;
}

TEST(KernelConfigSchema, every_committed_configuration_fits) {
  for (const kernels::Configuration& c : kernels::configurations()) {
    EXPECT_EQ(configuration_schema().errors(Json::parse(c.json)), "") << c.name;
  }
  for (const char* file :
       {"examples/one-warp.json", "examples/hgemm-128x256x32.json", "examples/simple-128x128x16.json"}) {
    EXPECT_EQ(configuration_schema().errors(Json::parse(read_text(file))), "") << file;
  }
}

std::string reader_error(const Json& json) {
  try {
    (void)cli::read_config("k", json.dump());
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

// JSON Merge Patches of the example of 128 x 256 x 32.
TEST(KernelConfigSchema, the_reader_and_the_schema_refuse_the_same) {
  const Json example = Json::parse(read_text("examples/hgemm-128x256x32.json"));
  ASSERT_EQ(reader_error(example), "");
  for (const char* patch : {R"j({"schema": null})j",
                            R"j({"mma": null})j",
                            R"j({"tile": null})j",
                            R"j({"schema": "tileloom.kernel/2"})j",
                            R"j({"schema": 1})j",
                            R"j({"colour": "red"})j",
                            R"j({"name": 3})j",
                            R"j({"name": ""})j",
                            R"j({"arch": 80})j",
                            R"j({"arch": ""})j",
                            R"j({"stages": 0})j",
                            R"j({"stages": "3"})j",
                            R"j({"stages": 2.5})j",
                            R"j({"stages": 3000000000})j",
                            R"j({"raster": 8})j",
                            R"j({"raster": {"along": "M"}})j",
                            R"j({"raster": {"along": 1}})j",
                            R"j({"raster": {"width": -1}})j",
                            R"j({"raster": {"order": 1}})j",
                            R"j({"types": "f16"})j",
                            R"j({"types": {"A": 16}})j",
                            R"j({"types": {"D": "f16"}})j",
                            R"j({"mma": "x"})j",
                            R"j({"mma": {"atom": null}})j",
                            R"j({"mma": {"atom": 3}})j",
                            R"j({"mma": {"atm": "x"}})j",
                            R"j({"mma": {"permutation": [32, 32, 16]}})j",
                            R"j({"mma": {"atom_layout": ""}})j",
                            R"j({"tile": 128})j",
                            R"j({"tile": [128, 256]})j",
                            R"j({"tile": [128, 256, 32, 1]})j",
                            R"j({"tile": [128, 256, 0]})j",
                            R"j({"tile": [128, 256, "32"]})j",
                            R"j({"tile": [128, 256, 70000]})j",
                            R"j({"tile": [128, 256, 32.5]})j",
                            R"j({"gmem": []})j",
                            R"j({"gmem": {"D": "x"}})j",
                            R"j({"gmem": {"A": 1}})j",
                            R"j({"smem": "x"})j",
                            R"j({"smem": {"A": ""}})j",
                            R"j({"smem": {"D": "x"}})j",
                            R"j({"smem": {"at": 1}})j",
                            R"j({"smem": {"at": {"B": -1}}})j",
                            R"j({"smem": {"at": {"B": 1.5}}})j",
                            R"j({"smem": {"at": {"D": 1}}})j",
                            R"j({"smem": {"static": -1}})j",
                            R"j({"smem": {"static": "1"}})j",
                            R"j({"g2s": "x"})j",
                            R"j({"g2s": {"C": {}}})j",
                            R"j({"g2s": {"A": "x"}})j",
                            R"j({"g2s": {"A": {"atom": null}}})j",
                            R"j({"g2s": {"A": {"thr": null}}})j",
                            R"j({"g2s": {"A": {"val": null}}})j",
                            R"j({"g2s": {"A": {"val": 8}}})j",
                            R"j({"g2s": {"A": {"vals": "x"}}})j",
                            R"j({"g2s": {"A": {"tv": "x"}}})j",
                            R"j({"g2s": {"A": {"tile": "x"}}})j",
                            R"j({"g2s": {"A": {"tv": "x", "tile": "x"}}})j",
                            R"j({"g2s": {"A": {"thr": null, "val": null, "tv": "x"}}})j",
                            R"j({"g2s": {"B": "as C"}})j",
                            R"j({"g2s": {"A": null}})j",
                            R"j({"s2r": "x"})j",
                            R"j({"s2r": {"A": 1}})j",
                            R"j({"s2r": {"C": "x"}})j",
                            R"j({"epilogue": "x"})j",
                            R"j({"epilogue": {"r2s": 1}})j",
                            R"j({"epilogue": {"s2g": "x"}})j",
                            R"j({"epilogue": {"s2g": {"atom": null}}})j",
                            R"j({"epilogue": {"r2g": "x"}})j",
                            R"j({"epilogue": {"g2s": "x"}})j",
                            R"j({"epilogue": {"along": "K"}})j"}) {
    Json json = example;
    json.merge_patch(Json::parse(patch));
    EXPECT_NE(reader_error(json), "") << patch;
    EXPECT_NE(configuration_schema().errors(json), "") << patch;
  }
}

// What a schema cannot say: the grammar of layouts, names of instructions, how fields go together.
TEST(KernelConfigSchema, some_things_only_the_reader_refuses) {
  const Json example = Json::parse(read_text("examples/hgemm-128x256x32.json"));
  for (const char* patch :
       {R"j({"tile": [128, 256, 40]})j", R"j({"arch": "sm_1"})j", R"j({"mma": {"atom": "SM80_1x1x1"}})j",
        R"j({"mma": {"permutation": "<"}})j", R"j({"types": {"A": "bf16"}})j", R"j({"stages": 4})j",
        R"j({"gmem": {"A": "(M,K"}})j", R"j({"smem": {"A": "(_128,_16,_3):(_16,_1,_2048)"}})j",
        R"j({"s2r": {"A": "SM75"}})j", R"j({"g2s": {"A": {"thr": "(_7,_4):(_4,_1)"}}})j",
        R"j({"epilogue": {"r2s": "SM75_U32x4_LDSM_N"}})j", R"j({"smem": {"C": null}})j"}) {
    Json json = example;
    json.merge_patch(Json::parse(patch));
    EXPECT_EQ(configuration_schema().errors(json), "") << patch;
    EXPECT_THROW((void)trace::build_kernel(cli::read_config("k", json.dump())), Error) << patch;
  }
}

// --- Reports -----------------------------------------------------------------------------------------------------

struct Report {
  std::vector<std::string> arguments;
  const char* schema;
};

// A row for each kind of report that a verb prints.
const std::vector<Report> reports{
    {{"check", "--kernel", "multistage"}, "check.schema.json"},
    {{"check", "--kernel", "multistage", "--suggest"}, "check.schema.json"},
    {{"check", "--kernel", "smem", "--suggest", "--max-conflicts", "0"}, "check.schema.json"},
    {{"check", "--kernel", "simple", "--suggest"}, "check.schema.json"},
    {{"check", "examples/one-warp.json", "--suggest"}, "check.schema.json"},
    {{"check", "examples/hgemm-128x256x32.json", "--suggest"}, "check.schema.json"},
    {{"check", "examples/hgemm-128x256x32.json", "--set", R"j(smem.at={"B": 1024})j"}, "check.schema.json"},
    {{"check", "examples/hgemm-128x256x32.json", "--set", "gmem.A=(M,K):(K,_1)"}, "check.schema.json"},
    {{"trace", "--kernel", "multistage"}, "trace.schema.json"},
    {{"trace", "--kernel", "simple", "--thread", "37"}, "trace.schema.json"},
    {{"trace", "--kernel", "smem", "--map", "D", "--thread", "37"}, "trace.schema.json"},
    {{"trace", "examples/one-warp.json", "--explain"}, "trace.schema.json"},
    {{"trace", "examples/one-warp.json", "--element", "A:0,9"}, "trace.schema.json"},
    {{"trace", "examples/hgemm-128x256x32.json", "--element", "D:40,70"}, "trace.schema.json"},
    {{"trace", "--kernel", "multistage", "--register", "a2", "--lane", "0", "--warp", "1"}, "trace.schema.json"},
};

test::ProgramResult run_report(const Report& r) {
  const test::Directory directory;
  std::filesystem::create_directory_symlink(TILELOOM_SOURCE_DIR "/examples", directory.path() / "examples");
  std::vector<std::string> arguments = r.arguments;
  arguments.emplace_back("--json");
  return test::Program(directory).run(arguments);
}

TEST(ReportSchemas, reports_fit) {
  for (const Report& r : reports) {
    const test::ProgramResult result = run_report(r);
    EXPECT_LE(result.exit_code, 1) << result.err;
    EXPECT_EQ(Schema(r.schema).errors(Json::parse(result.out)), "") << r.arguments[0] << " " << r.arguments[1];
  }
}

// Each required field of each object, one after the other, is missed.
TEST(ReportSchemas, a_report_with_a_field_less_does_not_fit) {
  const Schema schema("check.schema.json");
  const Json report = Json::parse(run_report({{"check", "--kernel", "smem", "--suggest"}, ""}).out);
  int missed = 0;
  for (const char* pointer :
       {"/schema", "/argv", "/kernel", "/kernel/tile", "/ok", "/slabs_of_c", "/sites", "/properties", "/sites/0/site",
        "/sites/0/sectors/all", "/sites/1/wavefronts/all_high", "/properties/0/verdict", "/suggestions/operands",
        "/suggestions/operands/0/best", "/suggestions/operands/0/best/0/settings",
        "/suggestions/operands/0/bound/worst", "/suggestions/wider_k/A"}) {
    const Json::json_pointer at(pointer);
    ASSERT_TRUE(report.contains(at)) << pointer;
    Json less = report;
    less[at.parent_pointer()].erase(at.back());
    EXPECT_NE(schema.errors(less), "") << pointer;
    ++missed;
  }
  EXPECT_EQ(missed, 17);
}

// --- Exit codes of check -----------------------------------------------------------------------------------------

TEST(CheckExitCodes, are_those_of_the_page) {
  const auto code = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check");
    return run_report({arguments, ""}).exit_code;
  };
  EXPECT_EQ(code({"examples/one-warp.json"}), 0);
  EXPECT_EQ(code({"examples/hgemm-128x256x32.json", "--max-conflicts", "0"}), 1);
  EXPECT_EQ(code({"examples/hgemm-128x256x32.json", "--set", "tile=[128,256,40]"}), 2);
  EXPECT_EQ(code({"examples/hgemm-128x256x32.json", "--max-conflicts", "x"}), 2);
  EXPECT_EQ(code({}), 2);
  EXPECT_EQ(code({"examples/no-such-file.json"}), 4);
  EXPECT_EQ(code({"examples/one-warp.json", "-o", "no/such/folder"}), 4);
}

}  // namespace
}  // namespace tileloom
