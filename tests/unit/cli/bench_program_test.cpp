// SPDX-License-Identifier: Apache-2.0
// `tileloom bench` on the stand-in for driver and cuBLAS, where every kernel takes 50 ms, cuBLAS 25 ms and the faster
// of cublasLt's two algorithms 20 ms.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "kernels/instances.hpp"
#include "unit/cli/run_program.hpp"
#include "unit/cli/schema.hpp"

namespace tileloom {
namespace {

using Json = nlohmann::json;
using test::ProgramResult;
using Arguments = std::vector<std::string>;

const test::Environment stand_in{{"LD_LIBRARY_PATH", TILELOOM_FAKE_CUDA},
                                 {"FAKE_CUDA_KERNEL_US", "50000"},
                                 {"FAKE_CUDA_CUBLAS_US", "25000"},
                                 {"FAKE_CUBLASLT_US", "90000,20000"},
                                 {"LC_ALL", "C"}};

class Bench : public testing::Test {
 protected:
  [[nodiscard]] ProgramResult run(Arguments arguments, const test::Environment& more = {}) const {
    arguments.insert(arguments.begin(), "bench");
    test::Environment environment = stand_in;
    environment.insert(environment.end(), more.begin(), more.end());
    return program.run(arguments, environment);
  }
  [[nodiscard]] Json json(Arguments arguments) const {
    arguments.emplace_back("--json");
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  void expect_failure(const Arguments& arguments, int exit_code, const std::string& error,
                      const std::string& hint = {}) const {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(result.err, "error: " + error + "\n" + (hint.empty() ? "" : "hint: " + hint + "\n"));
    EXPECT_EQ(result.out, "");
  }
  void write(const std::string& name, const std::string& text) const { test::write_file(directory.file(name), text); }
  [[nodiscard]] Json read(const std::string& name) const {
    return Json::parse(test::read_file(directory.file(name)), nullptr, false);
  }

  test::Directory directory;
  test::Program program{directory};
};

const Arguments quick{"--shapes", "16,24,8;24,24,24", "--rounds", "3", "--kernels", "simple"};

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> labels(const Json& shape) {
  std::vector<std::string> all;
  for (const Json& contender : shape["contenders"]) {
    all.push_back(contender["label"]);
  }
  return all;
}

// --- What is measured --------------------------------------------------------------------------------------------

TEST_F(Bench, ATableWithTheSpeedOverBothBaselines) {
  const ProgramResult result = run(quick);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::string expected =
      "Fake GPU (sm_90, 2 SMs, 0 MiB L2), driver 999.1, CUDA 12.4, cuBLAS 13.1.2\n"
      "median of at least 3 rounds, f32 accumulation, normal data, cold buffers; each product verified first\n"
      "\n"
      "m,n,k                          us  TFLOPS  TB/s /cublas     /lt IQR %   MHz   W % best\n"
      "16,24,8\n"
      "  simple                 50000.00     0.0  0.00   0.500";
  EXPECT_EQ(result.out.substr(0, expected.size()), expected);
  EXPECT_NE(result.out.find("\n  cublas                 25000.00     0.0  0.00   1.000"), std::string::npos);
  EXPECT_NE(result.out.find("\n  cublaslt-best          20000.00 "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\nsimple    cublas              2    0.500   0.500   0.500  16,24,8\n"), std::string::npos)
      << result.out;
}

TEST_F(Bench, BarsFollowTheLocale) {
  const Arguments one{"--shapes", "8,8,8", "--rounds", "1", "--kernels", "simple", "--compare", "none"};
  EXPECT_NE(run(one).out.find(" 100.0 ######\n"), std::string::npos);
  EXPECT_NE(run(one, {{"LC_ALL", "C.UTF-8"}}).out.find("\u2588\u2588\n"), std::string::npos);
}

TEST_F(Bench, ShapesAreSetsSizesAndFiles) {
  write("my shapes.txt", "# two\n8,16,24 first layer\n16,24,8\n");
  const Json shapes = json({"--shapes", "24,24,24;16,24,8", "my shapes.txt", "--list"})["shapes"];
  ASSERT_EQ(shapes.size(), 3U) << "what is named again is left out";
  EXPECT_EQ(shapes[0]["m"], 24);
  EXPECT_EQ(shapes[2]["name"], "first layer");
  EXPECT_EQ(shapes[2]["k"], 24);
  EXPECT_EQ(json({"--shapes", "squares", "--list"})["shapes"].size(), 13U);
  EXPECT_EQ(json({"--shapes", "squares", "--shapes", "llm-core", "--list"})["shapes"].size(), 13U + 60U - 1U)
      << "4096,4096,4096 is in both";
}

TEST_F(Bench, KernelsAreInstancesFamiliesAndPatterns) {
  const auto asked = [&](const std::string& kernels, const std::string& accumulate = "f16") {
    return json({"--shapes", "512,512,512", "--kernels", kernels, "--accumulate", accumulate, "--list"})["shapes"][0];
  };
  const Json some = asked("auto,smem,multistage_128x256x32_f16@4/0,multistage/3")["contenders"];
  EXPECT_EQ(some[0]["label"], "auto");
  EXPECT_EQ(some[1]["kernel"], "smem_128x128x32_f16") << "a family is its default instance";
  EXPECT_EQ(some[2]["label"], "multistage_128x256x32_f16@4/0");
  EXPECT_EQ(some[2]["kernel"], "multistage_128x256x32_f16");
  EXPECT_EQ(some[2]["stages"], 4);
  EXPECT_EQ(some[2]["raster_width_tiles"], 0);
  EXPECT_EQ(some[3]["raster_width_tiles"], 3);
  std::vector<std::string> all;
  std::vector<std::string> pipelined;
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    if (instance.accumulate == Accumulate::f32) {
      all.emplace_back(instance.name);
      if (instance.family == "multistage") {
        pipelined.push_back(std::string(instance.name) + "@2");
      }
    }
  }
  all.insert(all.end(), {"cublas", "cublaslt-best"});
  pipelined.insert(pipelined.end(), {"cublas", "cublaslt-best"});
  EXPECT_EQ(labels(asked("all", "f32")), all);
  EXPECT_EQ(labels(asked("multistage*@2", "f32")), pipelined);
}

TEST_F(Bench, BaselinesAreChosen) {
  const auto asked = [&](const std::string& compare) {
    return labels(json(with(quick, {"--compare", compare, "--list"}))["shapes"][0]);
  };
  EXPECT_EQ(asked("none"), (std::vector<std::string>{"simple"}));
  EXPECT_EQ(asked("cublas"), (std::vector<std::string>{"simple", "cublas"}));
  EXPECT_EQ(asked("cublaslt-best,cublas"), (std::vector<std::string>{"simple", "cublaslt-best", "cublas"}));
}

TEST_F(Bench, JsonHoldsTheRequestAndTheNumbers) {
  const Json report = json(with(quick, {"--accumulate", "f16", "--dtype", "f16", "--hot", "--seed", "5"}));
  EXPECT_EQ(report["schema"], "tileloom.bench/1");
  EXPECT_EQ(report["complete"], true);
  EXPECT_EQ(report["accumulate"], "f16");
  EXPECT_EQ(report["request"]["buffers"], "hot");
  EXPECT_EQ(report["inputs"]["seed"], 5);
  EXPECT_EQ(report["method"]["rounds"], 3);
  const Json& ours = report["shapes"][0]["contenders"][0];
  EXPECT_EQ(ours["kernel"], "simple_128x128x16_f16");
  EXPECT_EQ(ours["kind"], "kernel");
  EXPECT_EQ(ours["seconds_per_launch"].size(), 3U);
  EXPECT_NEAR(ours["seconds"]["median"].get<double>(), 0.05, 1e-6);
  EXPECT_NEAR(ours["tflops"].get<double>() * 0.05e12, 2.0 * 16 * 24 * 8, 1e-3);
  EXPECT_NEAR(ours["speed_over_cublas"].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(ours["speed_over_cublaslt_best"].get<double>(), 0.4, 1e-6);
  EXPECT_EQ(report["shapes"][0]["contenders"][2]["algorithm"], "2 of 2");
  EXPECT_NEAR(report["summary"]["speeds"][0]["geomean"].get<double>(), 0.5, 1e-6);
  EXPECT_EQ(json(quick)["request"]["buffers"], "cold") << "the default";
  EXPECT_EQ(json(with(quick, {"--cold"}))["method"]["buffers"].get<std::string>().substr(0, 5), "cold:");
  EXPECT_NE(json(quick)["shapes"][0]["contenders"][0]["verification"]["max_error"], ours["verification"]["max_error"])
      << "another seed, other operands";
}

TEST_F(Bench, AWrongProductIsNotTimedAndWritesNothing) {
  const ProgramResult result =
      run({"--article", "1", "--sizes", "16", "-o", "b.json", "--csv", "b.csv"}, {{"FAKE_CUDA_SKIP_FIRST", "1"}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("error: simple at D = A·Bᵀ, m 16, n 16, k 16, f16, accumulate f16: 1 of 256 elements of D "
                            "were not written\nhint: nothing was timed\n"),
            std::string::npos)
      << result.err;
  EXPECT_TRUE(directory.listing().empty());
}

// --- Articles ----------------------------------------------------------------------------------------------------

TEST_F(Bench, TheFirstArticlesTable) {
  const ProgramResult result = run({"--article", "1", "--sizes", "16:32:16", "--rounds", "2", "-o", "b.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("f16 accumulation, normal data, hot buffers"), std::string::npos);
  EXPECT_NE(result.out.find("\n m=n=k    simple      smem         cublas   ratio   IQR %  SM MHz    W\n"
                            "    16       0.0       0.0            0.0   0.500     0.0    1500  650\n"
                            "    32       0.0       0.0            0.0   0.500     0.0    1500  650\n"),
            std::string::npos)
      << result.out;
  const Json report = read("b.json");
  EXPECT_EQ(report["shapes"].size(), 2U);
  EXPECT_EQ(report["request"]["article"], 1);
  EXPECT_EQ(report["environment"]["device"], "Fake GPU");
}

TEST_F(Bench, TheSecondArticlesTable) {
  if (kernels::find_instance("handwritten_128x128x16_f16") == nullptr) {
    expect_failure({"--article", "2"}, 3, "article 2: expected kernels handwritten_..._f16, found none in this build",
                   "tileloom info lists the kernels that there are");
    return;
  }
  const ProgramResult result = run({"--article", "2", "--sizes", "24", "--rounds", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("\n m=n=k   by hand   128x256      CuTe    gain %         cublas   ratio"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("\nCuTe over by hand: +0.0 %, geometric mean of 1 sizes\n"), std::string::npos);
  EXPECT_EQ(json({"--article", "2", "--list"})["shapes"].size(), 5U);
}

// --- Ceilings ----------------------------------------------------------------------------------------------------

TEST_F(Bench, CeilingsNeedABuildWithCuda) {
  const ProgramResult result = run({"--ceilings", "--json"});
  if (!kernels::built_with_cuda()) {
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.err.find("error: ceilings: expected a build with CUDA, found one without\n"), 0U) << result.err;
    return;
  }
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const Json& ceiling : Json::parse(result.out)["ceilings"]) {
    EXPECT_GT(ceiling["sustained"], 0) << ceiling;
  }
}

// --- Files -------------------------------------------------------------------------------------------------------

// The text of a run is what its file shows again.
TEST_F(Bench, FromShowsTheSameAgain) {
  const ProgramResult live = run(with(quick, {"-o", "b.json"}));
  ASSERT_EQ(live.exit_code, 0) << live.err;
  const ProgramResult again = run({"--from", "b.json"}, {{"FAKE_CUDA_DEVICES", "0"}});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, live.out);
  EXPECT_EQ(json({"--from", "b.json"}), read("b.json"));
}

TEST_F(Bench, ReportsOfTheFirstVersionCanStillBeRead) {
  for (const char* article : {"article1", "article2"}) {
    const std::string file = std::string(TILELOOM_SOURCE_DIR "/results/h200/") + article + ".json";
    const ProgramResult result = run({"--from", file, "--csv", "b.csv", "--plot", "b.svg"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("\n  cublas "), std::string::npos);
    EXPECT_NE(result.out.find("\nspeed of "), std::string::npos);
  }
}

TEST_F(Bench, CeilingsAreShownAndDrawn) {
  ASSERT_EQ(run(with(quick, {"-o", "b.json"})).exit_code, 0);
  Json report = read("b.json");
  report["ceilings"] = {{{"name", "mma.sync f32"}, {"unit", "TFLOPS"}, {"burst", 700}, {"sustained", 640.25}}};
  write("b.json", report.dump());
  const ProgramResult result = run({"--from", "b.json", "--plot", "b.svg"});
  EXPECT_NE(result.out.find("\nmma.sync f32  TFLOPS    700.00     640.25       -     -\n"), std::string::npos);
  EXPECT_NE(result.out.find("% mma"), std::string::npos);
  EXPECT_NE(test::read_file(directory.file("b.svg")).find(">mma.sync f32 640</text>"), std::string::npos);
}

TEST_F(Bench, CsvHoldsWhatTheJsonHolds) {
  const Json report = json(with(quick, {"--csv", "b.csv"}));
  std::istringstream lines(test::read_file(directory.file("b.csv")));
  std::string line;
  std::getline(lines, line);
  for (const Json& shape : report["shapes"]) {
    for (const Json& contender : shape["contenders"]) {
      std::getline(lines, line);
      const std::string sizes = "," + shape["m"].dump() + "," + shape["n"].dump() + "," + shape["k"].dump() + ",";
      EXPECT_EQ(line.find(sizes + contender["label"].get<std::string>() + "," + contender["kind"].get<std::string>()),
                0U)
          << line;
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(Bench, FilesThatCannotBeWrittenAreKnownBeforeTheWork) {
  for (const char* option : {"-o", "--csv", "--plot", "--resume"}) {
    const ProgramResult result = run(with(quick, {option, "no/such/folder/f"}));
    EXPECT_EQ(result.exit_code, 4) << option;
    EXPECT_EQ(result.err.find("error: no/such/folder/f: "), 0U) << result.err;
    EXPECT_EQ(result.out, "") << option;
  }
}

// --- Going on ----------------------------------------------------------------------------------------------------

// A run that is killed leaves a whole report of what it had measured, and the next one goes on from there.
TEST_F(Bench, ResumeGoesOnWhereAKilledRunEnded) {
  constexpr std::size_t count = 60;  // enough that the run is not over when the first is seen
  std::string shapes = "32,32,8";
  for (std::size_t i = 2; i <= count; ++i) {
    shapes += ";32,32," + std::to_string(8 * i);
  }
  const Arguments asked{"bench", "--shapes", shapes, "--kernels", "simple", "--compare", "none", "--resume", "r.json"};
  test::Environment slow = stand_in;
  slow[1].second = "2000";  // several products a batch
  const pid_t child = program.start(asked, slow);
  const auto measured = [&] {
    const Json report = std::filesystem::exists(directory.file("r.json")) ? read("r.json") : Json();
    EXPECT_FALSE(report.is_discarded()) << "never half a file";
    return report.is_object() ? report["shapes"].size() : 0;
  };
  for (int i = 0; measured() == 0 && i < 20000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ::kill(child, SIGKILL);
  (void)program.wait(child);
  const Json partial = read("r.json");
  ASSERT_GE(partial["shapes"].size(), 1U);
  ASSERT_LT(partial["shapes"].size(), count) << "the run was over before it could be killed";
  EXPECT_EQ(partial["complete"], false);
  EXPECT_EQ(test::Schema("bench.schema.json").errors(partial), "");

  const ProgramResult result = program.run(asked, slow);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json whole = read("r.json");
  EXPECT_EQ(whole["complete"], true);
  EXPECT_EQ(whole["resumed_shapes"], partial["shapes"].size());
  ASSERT_EQ(whole["shapes"].size(), count);
  for (std::size_t i = 0; i < partial["shapes"].size(); ++i) {
    EXPECT_EQ(whole["shapes"][i], partial["shapes"][i]);
  }
  EXPECT_NE(result.out.find("\n32,32,8\n"), std::string::npos) << "what was measured before is in the table too";
}

TEST_F(Bench, ResumeRefusesTheFileOfAnotherRun) {
  ASSERT_EQ(run(with(quick, {"--resume", "r.json"})).exit_code, 0);
  const Json good = read("r.json");
  const std::string hint = "it belongs to another run: name another file, or remove it";
  expect_failure(with({"--shapes", "16,24,8;24,24,24", "--rounds", "4", "--kernels", "simple"}, {"--resume", "r.json"}),
                 2, "--resume r.json: expected rounds 4 as in this request, found 3", hint);
  expect_failure(with(quick, {"--resume", "r.json", "--compare", "none"}), 2,
                 "--resume r.json: expected the contenders of this request, found others", hint);
  expect_failure(with(quick, {"--resume", "r.json", "--shapes", "8,8,8"}), 2,
                 "--resume r.json: expected the shapes of this request, found others", hint);
  expect_failure(with(quick, {"--resume", "r.json", "--hot"}), 2,
                 "--resume r.json: expected buffers \"hot\" as in this request, found \"cold\"", hint);
  Json other = good;
  other["environment"]["device"] = "NVIDIA H200";
  write("r.json", other.dump());
  expect_failure(with(quick, {"--resume", "r.json"}), 2,
                 "--resume r.json: expected device \"Fake GPU\" as in this request, found \"NVIDIA H200\"", hint);
  other = good;
  other["git_revision"] = "0123";
  write("r.json", other.dump());
  EXPECT_EQ(run(with(quick, {"--resume", "r.json"})).exit_code, 2);
  EXPECT_EQ(read("r.json"), other) << "a file that is refused is left alone";
}

// --- Two runs ----------------------------------------------------------------------------------------------------

TEST_F(Bench, CompareWithNamesWhatChanged) {
  ASSERT_EQ(run(with(quick, {"-o", "old.json"})).exit_code, 0);
  const ProgramResult same = run(with(quick, {"--compare-with", "old.json"}));
  EXPECT_NE(same.out.find("\nagainst old.json: Fake GPU, "), std::string::npos);
  EXPECT_NE(same.out.find("nothing changed by more than the two runs' spread\n"), std::string::npos) << same.out;
  const ProgramResult faster =
      run(with(quick, {"--compare-with", "old.json", "-o", "new.json"}), {{"FAKE_CUDA_KERNEL_US", "40000"}});
  EXPECT_NE(faster.out.find("     1.250        0.0  faster\n"), std::string::npos) << faster.out;
  const Json comparison = read("new.json")["comparison"];
  EXPECT_EQ(comparison["file"], "old.json");
  EXPECT_EQ(comparison["changes"].size(), 6U);
  EXPECT_NEAR(comparison["summary"][0]["geomean"].get<double>(), 1.25, 1e-6);
  EXPECT_EQ(comparison["summary"][0]["faster"], 2);
  EXPECT_EQ(run({"--from", "new.json", "--compare-with", "old.json"}).out, faster.out) << "two files, without a GPU";
  expect_failure(with(quick, {"--compare-with", "old.json", "--accumulate", "f16"}), 2,
                 "--compare-with old.json: expected a run that accumulates in f16, found f32");
}

TEST_F(Bench, FilesThatAreNoReportsAreNamed) {
  const auto expect = [&](const std::string& text, const std::string& message) {
    write("x.json", text);
    for (const Arguments& option : {Arguments{"--from", "x.json"}, with(quick, {"--compare-with", "x.json"})}) {
      expect_failure(option, 2, message);
    }
  };
  expect("{\n  \"schema\": tileloom", "x.json: line 2, column 14: not JSON from here on");
  expect("[1]", "x.json: expected a report of tileloom bench, schema \"tileloom.bench/1\", found null");
  expect(R"({"schema": "tileloom.gemm/1"})",
         "x.json: expected a report of tileloom bench, schema \"tileloom.bench/1\", found \"tileloom.gemm/1\"");
  expect(R"({"schema": "tileloom.bench/1"})", "x.json: not a complete report of tileloom bench: key 'date' not found");
  const Json good = json(quick);
  const auto patched = [&](const char* pointer, const Json& value) {
    Json report = good;
    report[Json::json_pointer(pointer)] = value;
    return report.dump();
  };
  expect(patched("/shapes/0/m", 0), "x.json: shapes: expected sizes of at least 1, found 0,24,8");
  expect(patched("/shapes/0/contenders/1/tflops", -1), "x.json: tflops: expected a positive number, found -1");
  expect(patched("/shapes/0/contenders/1/kind", "mkl"),
         "x.json: kind: expected kernel, cublas or cublaslt-best, found 'mkl'");
  expect(patched("/shapes/0/contenders/1/seconds_per_launch", Json::array()),
         "x.json: seconds_per_launch: expected at least one, found none");
  expect(patched("/shapes/0/contenders/1/seconds_per_launch", {1}),
         "x.json: seconds_per_launch: expected as many of each contender, found another number of cublas");
  expect(patched("/shapes/0/contenders", Json::array()),
         "x.json: contenders: expected at least one at 16,24,8, found none");
  expect_failure({"--from", "nope.json"}, 4, "nope.json: cannot read: No such file or directory");
}

// --- Wrong arguments ---------------------------------------------------------------------------------------------

TEST_F(Bench, SaysWhatItExpects) {
  const std::string beside = "an article fixes its kernels and how they sum; --sizes replaces its sizes";
  expect_failure({}, 2, "bench: expected --shapes, --article, --ceilings or --from, found none",
                 "tileloom bench --shapes squares");
  expect_failure({"--article", "3"}, 2, "--article: expected an integer from 1 to 2, found '3'");
  expect_failure({"--article", "1", "--shapes", "8,8,8"}, 2, "--article: expected no --shapes beside it, found one",
                 beside);
  expect_failure({"--article", "1", "--kernels", "all"}, 2, "--article: expected no --kernels beside it, found one",
                 beside);
  expect_failure({"--article", "1", "--accumulate", "f32"}, 2,
                 "--article: expected no --accumulate beside it, found one", beside);
  expect_failure({"--article", "1", "--sizes", "5:4:1"}, 2, "--sizes: expected LAST of at least FIRST, found '5:4:1'");
  expect_failure({"--article", "1", "--sizes", "5:6"}, 2, "--sizes: expected FIRST:LAST:STEP, found '5:6'",
                 "for example 256:4096:256, or a list such as 1024,4096");
  expect_failure({"--article", "1", "--sizes", "5,,6"}, 2, "--sizes: expected an integer from 1 to 32768, found ''");
  expect_failure({"--sizes", "5"}, 2, "--sizes: expected --article beside it, found none",
                 "--shapes 1024,1024,1024 names any sizes");
  expect_failure(with(quick, {"--cold", "--hot"}), 2, "bench: expected one of --cold and --hot, found both",
                 "cold is the default of --shapes, hot of --article");
  expect_failure(with(quick, {"--from", "x.json"}), 2, "--from: expected no --shapes beside it, found one",
                 "it shows an earlier run as it was");
  expect_failure({"--ceilings", "--csv", "x"}, 2, "--ceilings: expected no --csv beside it, found one",
                 "that needs --shapes or --article");
  expect_failure({"--shapes", "square"}, 2, "--shapes: expected squares, llm-core, M,N,K or a file, found 'square'",
                 "did you mean squares?");
  expect_failure({"--shapes", "8,8"}, 2, "--shapes: expected M,N,K, each from 1 to 1048576, found '8,8'",
                 "for example 1024,1024,1024");
  expect_failure({"--shapes", "nope.txt"}, 4, "nope.txt: cannot read: No such file or directory");
  expect_failure(with(quick, {"--dtype", "bf16"}), 2, "--dtype: expected f16, found 'bf16'", "did you mean f16?");
  expect_failure(with(quick, {"--accumulate", "f61"}), 2, "--accumulate: expected f32 or f16, found 'f61'",
                 "did you mean f16?");
  expect_failure(with(quick, {"--compare", "cublass"}), 2,
                 "--compare: expected cublas, cublaslt-best or none, found 'cublass'", "did you mean cublas?");
  expect_failure(with(quick, {"--compare", "none,cublas"}), 2, "--compare: expected none alone, found 'none,cublas'");
  expect_failure(with(quick, {"--compare", "cublas,cublas"}), 2, "--compare: expected each once, found cublas again");
  expect_failure({"--shapes", "8,8,8", "--rounds", "0"}, 2, "--rounds: expected an integer from 1 to 1000, found '0'");
  expect_failure(with(quick, {"--seed", "-1"}), 2, "--seed: expected an integer from 0 to 2^64 - 1, found '-1'");
}

TEST_F(Bench, SaysWhatIsWrongWithAKernel) {
  const auto refused = [&](const std::string& kernels, const std::string& error, const std::string& hint = {}) {
    expect_failure({"--shapes", "8,8,8", "--kernels", kernels}, 2, error, hint);
  };
  refused("simple,,smem", "--kernels: expected names with commas between them, found 'simple,,smem'",
          "for example auto,multistage_128x256x32_f16@3");
  refused("simple,simple", "--kernels: expected each once, found simple again");
  refused("multistage@x", "--kernels: the stages of multistage: expected an integer from 1 to 64, found 'x'");
  refused("multistage@3/-1", "--kernels: the band of multistage: expected an integer from 0 to 1048576, found '-1'");
  refused("nothing*", "--kernels: expected names of kernels that sum in f32 at 'nothing*', found none",
          "tileloom info lists the kernels that there are");
  refused("multistage_128x256x32_f16",
          "kernel multistage_128x256x32_f16: expected a problem that accumulates in f16, found f32",
          "ask for accumulate f16, or for kernel multistage");
  refused("multistage@9", "stages: expected 2 to 5 for kernel multistage_128x128x64_f32, found 9");
}

// --- The report's schema -----------------------------------------------------------------------------------------

const test::Schema& schema() {
  static const test::Schema loaded("bench.schema.json");
  return loaded;
}

TEST_F(Bench, ReportsFitTheSchema) {
  ASSERT_EQ(run(with(quick, {"-o", "old.json"})).exit_code, 0);
  EXPECT_EQ(schema().errors(read("old.json")), "");
  Json full = json(with(quick, {"--compare-with", "old.json"}));
  full["ceilings"] = {
      {{"name", "copy"}, {"unit", "TB/s"}, {"burst", 4.1}, {"sustained", 4}, {"sm_mhz", nullptr}, {"watts", 1}}};
  EXPECT_EQ(schema().errors(full), "");
  EXPECT_EQ(schema().errors(json({"--article", "1", "--sizes", "8", "--rounds", "1"})), "");
  for (const char* article : {"article1", "article2"}) {
    EXPECT_EQ(schema().errors(Json::parse(test::read_text(std::string("results/h200/") + article + ".json"))), "");
  }
}

// A field that the schema does not know, or that it promises and a report lacks, is seen.
TEST_F(Bench, TheSchemaNamesExactlyWhatAReportHolds) {
  const Json text = Json::parse(test::read_text("docs/formats/bench.schema.json"));
  const Json report = json(quick);
  const auto names = [](const Json& object) {
    std::set<std::string> all;
    for (const auto& [name, value] : object.items()) {
      all.insert(name);
    }
    return all;
  };
  const Json& parts = text["definitions"];
  EXPECT_EQ(names(report), names(text["properties"]));
  EXPECT_EQ(names(report["request"]), names(parts["request"]["properties"]));
  EXPECT_EQ(names(report["method"]), names(parts["method"]["properties"]));
  EXPECT_EQ(names(report["environment"]), names(parts["environment"]["properties"]));
  EXPECT_EQ(names(report["shapes"][0]), names(parts["shape"]["properties"]));
  EXPECT_EQ(names(report["shapes"][0]["contenders"][0]), names(parts["contender"]["properties"]));
  EXPECT_EQ(names(report["summary"]["speeds"][0]), names(parts["speed"]["properties"]));
}

TEST_F(Bench, AReportWithAFieldLessDoesNotFit) {
  const Json report = json(quick);
  for (const char* pointer : {"/schema",
                              "/argv",
                              "/date",
                              "/environment",
                              "/environment/device",
                              "/method",
                              "/method/rounds",
                              "/inputs",
                              "/accumulate",
                              "/shapes",
                              "/shapes/0/m",
                              "/shapes/0/contenders",
                              "/shapes/0/contenders/0/label",
                              "/shapes/0/contenders/0/seconds_per_launch",
                              "/shapes/0/contenders/0/verification",
                              "/shapes/0/contenders/0/verification/unwritten",
                              "/shapes/0/contenders/0/tflops",
                              "/summary/speeds",
                              "/summary/speeds/0/geomean",
                              "/request/shapes",
                              "/request/contenders/0/label"}) {
    const Json::json_pointer at(pointer);
    ASSERT_TRUE(report.contains(at)) << pointer;
    Json less = report;
    less[at.parent_pointer()].erase(at.back());
    EXPECT_NE(schema().errors(less), "") << pointer;
  }
}

}  // namespace
}  // namespace tileloom
