// SPDX-License-Identifier: Apache-2.0
// The program as a stranger meets it: what it prints, where, and with which exit code.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "cli/finding_json.hpp"
#include "cli/progress.hpp"
#include "gemm/generate.hpp"
#include "gemm/verify.hpp"
#include "tileloom/npy.hpp"
#include "tileloom/version.hpp"
#include "unit/cli/run_program.hpp"

namespace tileloom {
namespace {

using Json = nlohmann::json;
using test::NpyFile;
using test::ProgramResult;

class Cli : public testing::Test {
 protected:
  void write(const std::string& name, std::int64_t rows, std::int64_t cols, std::uint64_t seed = 1) const {
    npy::write_matrix(directory.file(name), {rows, cols, generate(Distribution::normal, seed, 0, rows * cols)});
  }
  [[nodiscard]] ProgramResult run(std::vector<std::string> arguments, const test::Environment& environment = {}) const {
    return program.run(arguments, environment);
  }
  // A `gemm` on the emulator, whatever this machine has.
  [[nodiscard]] ProgramResult gemm(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"gemm", "--backend", "emulator"});
    return run(arguments);
  }
  // What went wrong is one line on stderr, with at most one hint, and nothing else.
  void expect_failure(const ProgramResult& result, int exit_code, const std::string& error,
                      const std::string& hint = {}) const {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(result.err, "error: " + error + "\n" + (hint.empty() ? "" : "hint: " + hint + "\n"));
    EXPECT_EQ(result.out, "");
  }

  test::Directory directory;  // its name has spaces
  test::Program program{directory};
};

// -- What works -------------------------------------------------------------------------------------------------------

TEST_F(Cli, MultipliesFiles) {
  write("a file.npy", 30, 20, 1);
  write("b file.npy", 50, 20, 2);
  const ProgramResult result = gemm({"a file.npy", "b file.npy", "-o", "d file.npy", "--verify"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out.substr(0, result.out.find('\n')),
            "D = A·Bᵀ, m 30, n 50, k 20, f16, accumulate f32, kernel multistage_32x32x64_f32, backend emulator, sm_90");
  EXPECT_NE(result.out.find("\nverified  all 1500 elements are within the bound"), std::string::npos);
  EXPECT_NE(result.out.find("\nwrote     d file.npy: 30 x 50 float16\n"), std::string::npos);
  const npy::Matrix a = npy::read_matrix(directory.file("a file.npy")).matrix;
  const npy::Matrix b = npy::read_matrix(directory.file("b file.npy")).matrix;
  const npy::Matrix d = npy::read_matrix(directory.file("d file.npy")).matrix;
  EXPECT_TRUE(verify(dense_problem(30, 50, 20), hw::sm_90, a.values.data(), b.values.data(), d.values.data()).ok());
  EXPECT_EQ(directory.listing().size(), 3U);
}

TEST_F(Cli, GeneratesOperands) {
  for (const std::string accumulate : {"f32", "f16"}) {
    const ProgramResult result = gemm({"--m", "70", "--n", "33", "--k", "45", "--seed", "7", "--dist", "integers",
                                       "--accumulate", accumulate, "--verify", "-o", accumulate + ".npy"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("verified  all 2310 elements equal the exact product, rounded once to f16"),
              std::string::npos)
        << result.out;
  }
  EXPECT_EQ(test::read_file(directory.file("f32.npy")), test::read_file(directory.file("f16.npy")));
}

TEST_F(Cli, SizesMayBeZero) {
  for (const auto& [m, n, k] : {std::tuple{"0", "5", "3"}, {"5", "0", "3"}, {"4", "5", "0"}, {"0", "0", "0"}}) {
    const ProgramResult result = gemm({"--m", m, "--n", n, "--k", k, "--verify", "-o", "d.npy"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const npy::Matrix d = npy::read_matrix(directory.file("d.npy")).matrix;
    EXPECT_EQ(std::to_string(d.rows), m);
    EXPECT_EQ(std::to_string(d.cols), n);
    EXPECT_EQ(d.values, std::vector<std::uint16_t>(d.values.size(), 0));
  }
}

TEST_F(Cli, ConvertsFloat32AndFortranOrderWithANote) {
  write("b.npy", 2, 3);
  NpyFile file;
  file.descr = "'<f4'";
  file.fortran_order = "True";
  file.data = test::raw(std::vector<float>{1, 2, 0.1F, 4, 1e6F, 6});
  test::write_file(directory.file("a.npy"), file.bytes());
  const ProgramResult result = gemm({"a.npy", "b.npy"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            "note: a.npy: float32, rounded to float16: 2 of 6 values changed, 1 of them to infinity\n"
            "note: a.npy: column-major (Fortran order), transposed while reading\n");
}

TEST_F(Cli, JsonHoldsTheRun) {
  const ProgramResult result = gemm({"--m", "9", "--n", "8", "--k", "7", "--arch", "sm_80", "--verify", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["schema"], "tileloom.gemm/1");
  EXPECT_EQ(json["tileloom_version"], TILELOOM_VERSION);
  EXPECT_TRUE(json.contains("git_revision"));
  EXPECT_EQ(json["argv"][1], "gemm");
  EXPECT_EQ(json["problem"]["k"], 7);
  EXPECT_EQ(json["inputs"]["distribution"], "normal");
  EXPECT_EQ(json["configuration"]["arch"], "sm_80");
  EXPECT_EQ(json["configuration"]["image"], "PTX compute_80");
  EXPECT_EQ(json["verification"]["ok"], true);
  EXPECT_EQ(json["verification"]["elements"], 72);
  EXPECT_TRUE(json["verification"]["first_mismatch"].is_null());
  EXPECT_TRUE(json["run"]["seconds"].is_number());
  EXPECT_EQ(json["notes"].size(), 1U);  // sm_80 is not measured
}

TEST_F(Cli, CheckFindsNoRaceInAShippedKernel) {
  const ProgramResult text = gemm({"--m", "70", "--n", "66", "--k", "200", "--check"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("\nchecked   no race and no uninitialised read\n"), std::string::npos) << text.out;
  Json json = Json::parse(gemm({"--m", "9", "--n", "8", "--k", "7", "--check", "--json"}).out);
  EXPECT_EQ(json["findings"], Json::array());
  json = Json::parse(gemm({"--m", "9", "--n", "8", "--k", "7", "--json"}).out);
  EXPECT_TRUE(json["findings"].is_null());
}

TEST_F(Cli, CountersSumToTheirTotals) {
  const std::vector<std::string> asked{"--m", "64", "--n", "64", "--k", "64", "--kernel", "multistage_64x64x64_f32"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), asked.begin(), asked.end());
    return gemm(more);
  };
  const ProgramResult text = with({"--counters"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("\ncp.async         32   32.0         128    128       1.00      512    512  16384\n"),
            std::string::npos)
      << text.out;
  const Json counters = Json::parse(with({"--counters", "--json"}).out)["counters"];
  const auto sum = [&](const char* of) {
    std::uint64_t all = 0;
    for (const Json& one : counters[of]) all += one["executions"].get<std::uint64_t>();
    return all;
  };
  EXPECT_GT(sum("totals"), 0U);
  EXPECT_EQ(sum("totals"), sum("lines"));
  EXPECT_EQ(sum("totals"), sum("instructions"));
  EXPECT_TRUE(Json::parse(with({"--json"}).out)["counters"].is_null());
  EXPECT_NE(with({"--counters-by", "instruction"}).out.find("cp.async.cg.shared.global"), std::string::npos);
  expect_failure(with({"--counters-by", "lines"}), 2, "--counters-by: expected line or instruction, found 'lines'",
                 "did you mean line?");
}

TEST_F(Cli, FollowShowsTheWayOfAnElement) {
  const std::vector<std::string> asked{"--m", "64", "--n", "64", "--k", "64", "--kernel", "multistage_64x64x64_f32"};
  const auto follow = [&](const std::string& element, const std::string& more = "--follow") {
    std::vector<std::string> all = asked;
    if (more != "--follow") all.push_back(more);
    all.insert(all.end(), {"--follow", element});
    return gemm(all);
  };
  const std::string a = follow("A:0,9").out;
  EXPECT_NE(a.find("\nA(0,9), byte 18 of A\n  copy      warp 0 lane 1   A(0,9) -> shared byte 18, bank 4 "),
            std::string::npos)
      << a;
  EXPECT_NE(a.find("\n  result    D(0,0..63), stored by warp 0, lanes 0..7\n"), std::string::npos) << a;
  EXPECT_NE(follow("B:9,0").out.find("\n  result    D(0..63,9), stored by "), std::string::npos);
  const std::string d = follow("D:5,7").out;
  EXPECT_NE(d.find("\n  summed    warp 0 lane 23  result c1 of mma.sync "), std::string::npos) << d;
  EXPECT_NE(d.find("-> D(5,7) "), std::string::npos) << d;
  const Json json = Json::parse(follow("A:0,9", "--json").out)["followed"];
  EXPECT_EQ(json["results"].size(), 64U);
  EXPECT_EQ(json["moves"][0]["kind"], "copy");
  expect_failure(follow("A:64,9"), 2, "--follow: expected an element of A, which has 64 x 64, found A(64,9)",
                 "row and column count from 0 in the whole matrix");
  expect_failure(follow("C:1"), 2, "--follow: expected MATRIX:ROW,COLUMN, found 'C:1'",
                 "for example A:0,9; matrices are A, B and D, row and column count in the whole matrix, B's row is n");
}

TEST(FindingsJson, HoldsAllOfAFinding) {
  emu::Finding f;
  f.first = {emu::AccessVerb::copy, {"cp.async.ca", "k.cuh", 12, "k.ptx", 99}, 1, 2};
  f.second = {emu::AccessVerb::read, {"ld.shared.u32", "", 0, "k.ptx", 120}, 3, 4};
  f.second.cta = {5, 6, 7};
  f.first_byte = 16;
  f.last_byte = 19;
  f.occurrences = 8;
  f.remedy = emu::Remedy::wait_and_barrier;
  EXPECT_EQ(
      cli::findings_json({f}).dump(),
      R"([{"kind":"race","hazard":"read after write","space":"shared","buffer":null,"first_byte":16,"last_byte":19,)"
      R"("cta":[5,6,7],"occurrences":8,"instruction_pairs":1,"first":{"verb":"copy","opcode":"cp.async.ca","file":"k.cuh","line":12,)"
      R"("ptx_file":"k.ptx","ptx_line":99,"warp":1,"lane":2,"cta":[0,0,0]},"second":{"verb":"read","opcode":"ld.shared.u32",)"
      R"("file":null,"line":null,"ptx_file":"k.ptx","ptx_line":120,"warp":3,"lane":4,"cta":[5,6,7]},"remedy":"nothing orders )"
      R"(them: warp 1 lane 2 has not waited for its copy; a cp.async.wait_group that completes the copy's group )"
      R"(and then a bar.sync would"}])");
}

TEST_F(Cli, JsonSurvivesTextThatIsNotUtf8) {
  write("a\xff.npy", 2, 2);
  EXPECT_EQ(Json::parse(gemm({"a\xff.npy", "a\xff.npy", "--json"}).out)["inputs"]["a"], "a\xEF\xBF\xBD.npy");
}

TEST_F(Cli, HelpBeginsWithExamples) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"gemm", "--help"},
                                                    {"gemm", "-h"},
                                                    {"layout", "--help"},
                                                    {"bench", "--help"},
                                                    {"emulate", "--help"},
                                                    {"trace", "--help"},
                                                    {"draw", "--help"},
                                                    {"info", "--help"}}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out.substr(0, 21), "Examples:\n  tileloom ");
    EXPECT_EQ(result.err, "");
  }
}

// The examples of the pages are what --help shows: each must run. Those for a GPU are too large for the stand-in: they
// must say that there is none.
TEST_F(Cli, ExamplesOfTheHelpRun) {
  write("A.npy", 40, 30);
  write("B.npy", 20, 30);
  write("X.npy", 25, 10);
  test::write_file(directory.file("cases.jsonl"), R"x({"op": "size", "args": ["(_4,_8):(_8,_1)"]})x");
  test::write_file(directory.file("configurations.jsonl"),
                   R"x({"atom": "SM80_16x8x16_F16F16F16F16_TN", "tile": [16, 8, 16], "A": "(_16,_16):(_16,_1)",
                        "B": "(_8,_16):(_16,_1)", "C": "(_16,_8):(_8,_1)"})x");
  std::filesystem::create_directory_symlink(TILELOOM_SOURCE_DIR "/examples", directory.path() / "examples");
  int examples = 0;
  for (const std::string verb : {"", "gemm", "layout", "trace", "check", "draw", "emulate", "bench", "info"}) {
    const std::string help =
        run(verb.empty() ? std::vector<std::string>{"--help"} : std::vector<std::string>{verb, "--help"}).out;
    std::istringstream lines(help.substr(0, help.find("\n\n")));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  tileloom ")) {
        continue;
      }
      const bool on_gpu =
          line.find("--time") != std::string::npos || (verb == "bench" && line.find("--list") == std::string::npos);
      const std::string environment = on_gpu ? "FAKE_CUDA_DEVICES=0 LD_LIBRARY_PATH='" TILELOOM_FAKE_CUDA "' " : "";
      const std::string command = "cd '" + directory.path().string() + "' && " + environment +
                                  "'" TILELOOM_PROGRAM "'" + line.substr(std::string("  tileloom").size()) + "\n";
      const int status = std::system(("{ " + command + "} >/dev/null").c_str());
      const int expected = on_gpu ? 3 : line.find("exit code 1") == std::string::npos ? 0 : 1;
      EXPECT_EQ(WEXITSTATUS(status), expected) << line;
      ++examples;
    }
  }
  EXPECT_GE(examples, 16);
}

TEST_F(Cli, AMissingConfigurationIsNamedAsItIs) {
  expect_failure(run({"trace", "nope.json"}), 4, "nope.json: cannot read: No such file or directory", "");
  expect_failure(run({"trace", "--batch", "nope.jsonl"}), 4,
                 "--batch nope.jsonl: cannot read: No such file or directory", "");
}

TEST_F(Cli, VersionAndInfo) {
  EXPECT_EQ(run({"--version"}).out, "tileloom " TILELOOM_VERSION "\n");
  const ProgramResult text = run({"info"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.out.find("tileloom  " TILELOOM_VERSION), 0U);
  EXPECT_NE(text.out.find("simple_128x128x16_f32"), std::string::npos);
  const Json json = Json::parse(run({"info", "--json"}).out);
  EXPECT_EQ(json["schema"], "tileloom.info/1");
  EXPECT_GE(json["kernels"].size(), 2U);
  EXPECT_TRUE(json["cuda"]["usable"].is_boolean());
}

// -- With a stand-in for the driver -----------------------------------------------------------------------------------

const test::Environment fake_gpu{{"LD_LIBRARY_PATH", TILELOOM_FAKE_CUDA}};

test::Environment fake_gpu_with(const std::string& name, const std::string& value) {
  test::Environment environment = fake_gpu;
  environment.emplace_back(name, value);
  return environment;
}

TEST_F(Cli, TakesTheGpuWhereThereIsOne) {
  const ProgramResult result = run({"gemm", "--m", "20", "--n", "30", "--k", "40", "--verify"}, fake_gpu);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("backend cuda, sm_90\n"), std::string::npos) << result.out;
  EXPECT_NE(run({"info"}, fake_gpu).out.find("GPU 0     Fake GPU, sm_90, 3.0 GiB, driver for CUDA 12.4\n"),
            std::string::npos);
}

TEST_F(Cli, CheckIsTheEmulators) {
  expect_failure(run({"gemm", "--m", "9", "--n", "8", "--k", "7", "--check", "--backend", "cuda"}), 2,
                 "--check: expected the backend emulator, found cuda",
                 "leave --backend out, or write --backend emulator");
  const ProgramResult result = run({"gemm", "--m", "9", "--n", "8", "--k", "7", "--check"}, fake_gpu);
  EXPECT_NE(result.out.find("backend emulator, "), std::string::npos) << result.out;
}

TEST_F(Cli, TimesOnAGpuAndComparesWithCublas) {
  const std::vector<std::string> asked{"gemm", "--m", "100",      "--n",       "70",
                                       "--k",  "40",  "--time=3", "--compare", "cublas"};
  ProgramResult result = run(asked, fake_gpu);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("gpu       Fake GPU (sm_90, 2 SMs, 0 MiB L2), driver 999.1, CUDA 12.4, cuBLAS 13.1.2\n"
                            "timed     multistage_64x128x64_f32  min 2.0000  mean 2.0000  max 2.0000 ms"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("ratio     0.500 of cublas's speed"), std::string::npos) << result.out;
  std::vector<std::string> as_json = asked;
  as_json.emplace_back("--json");
  const Json timing = Json::parse(run(as_json, fake_gpu).out)["timing"];
  EXPECT_EQ(timing["contenders"][0]["seconds_per_launch"].size(), 3U);
  EXPECT_NEAR(timing["contenders"][0]["speed_over_cublas"].get<double>(), 0.5, 1e-6);
  EXPECT_EQ(timing["environment"]["cublas"], "13.1.2");
  result = run({"gemm", "--m", "10", "--n", "10", "--k", "0", "--time"}, fake_gpu);
  EXPECT_EQ(result.exit_code, 0) << "nothing to time is no error: " << result.err;
}

TEST_F(Cli, ResultsThatCannotBeWrittenAreAnError) {
  for (const char* verb : {"info", "info --json", "gemm --m 4 --n 4 --k 4 --json", "layout _4:_1", "atom list"}) {
    const std::string command = std::string("'" TILELOOM_PROGRAM "' ") + verb + " >/dev/full 2>/dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 4) << verb;
  }
}

TEST_F(Cli, TimingNeedsAGpu) {
  expect_failure(run({"gemm", "--time", "a.npy", "b.npy"}), 2,
                 "--time: expected an integer from 1 to 1000, found 'a.npy'");
  expect_failure(run({"gemm", "--m", "2", "--n", "2", "--k", "2", "--time", "--backend", "emulator"}), 3,
                 "--time: expected a GPU to run on, found backend emulator",
                 "the time that the emulator takes says nothing about a GPU");
  expect_failure(run({"gemm", "--m", "2", "--n", "2", "--k", "2", "--compare", "cublas"}), 2,
                 "--compare: expected --time beside it, found none", "tileloom gemm ... --time --compare cublas");
  expect_failure(run({"gemm", "--m", "2", "--n", "2", "--k", "2", "--time", "0"}), 2,
                 "--time: expected an integer from 1 to 1000, found '0'");
  expect_failure(run({"bench", "--article", "1", "--sizes", "64"}, fake_gpu_with("FAKE_CUDA_DEVICES", "0")), 3,
                 "timing: expected a usable GPU, found none: the driver sees no GPU",
                 "see what nvidia-smi says and whether CUDA_VISIBLE_DEVICES is empty");
}

TEST_F(Cli, ExplainShowsTheSameProductAsACallOfCublas) {
  const ProgramResult result = gemm({"--m", "40", "--n", "20", "--k", "30", "--explain"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("tile      32 x 32 x 64, 128 threads\n"), std::string::npos) << result.out;
  EXPECT_NE(
      result.out.find("          cublasGemmEx(OP_T, OP_N, 20, 40, 30, 1, B, R_16F, 30, A, R_16F, 30, 0, D, R_16F, "
                      "20, COMPUTE_32F, DEFAULT)\n"),
      std::string::npos)
      << result.out;
}

TEST_F(Cli, SaysWhyThereIsNoGpu) {
  const std::vector<std::string> asked{"gemm", "--m", "2", "--n", "2", "--k", "2", "--backend", "cuda"};
  expect_failure(run(asked, fake_gpu_with("FAKE_CUDA_FAIL", "cuInit:999")), 3,
                 "backend cuda: the CUDA driver does not start: CUDA_ERROR_FAKE (planned by the test)",
                 "see what nvidia-smi says, or use the emulator backend");
  expect_failure(run(asked, fake_gpu_with("FAKE_CUDA_DEVICES", "0")), 3, "backend cuda: the driver sees no GPU",
                 "see what nvidia-smi says and whether CUDA_VISIBLE_DEVICES is empty");
  const ProgramResult info = run({"info"}, fake_gpu_with("FAKE_CUDA_DEVICES", "0"));
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_NE(info.out.find("cuda      not usable: the driver sees no GPU\n"), std::string::npos);
}

// -- What a stranger gets wrong ---------------------------------------------------------------------------------------

TEST_F(Cli, AnEmptyArgumentIsRefusedAndNotTakenAsMissing) {
  expect_failure(run({"gemm", "a.npy", "a.npy", "-o", ""}), 2, "argument 5 is empty, after '-o'",
                 "is a variable of the shell not set?");
  expect_failure(run({"layout", "_4:_1", "--equal", ""}), 2, "argument 4 is empty, after '--equal'",
                 "is a variable of the shell not set?");
  expect_failure(run({""}), 2, "argument 1 is empty", "is a variable of the shell not set?");
}

TEST_F(Cli, AFileMayHaveTheNameOfAVerb) {
  write("info", 4, 8);
  const ProgramResult result = gemm({"info", "info", "-o", "layout"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(npy::read_matrix(directory.file("layout")).matrix.rows, 4);
}

// A stream that the caller closed, or that cannot be written, neither ends up in the output file nor decides the
// result.
TEST_F(Cli, StandardStreamsThatAreNotThere) {
  write("a.npy", 4, 8);
  const auto shell = [&](const std::string& streams) {
    const std::string command = "cd '" + directory.path().string() +
                                "' && '" TILELOOM_PROGRAM "' gemm --backend emulator a.npy a.npy -o d.npy " + streams;
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const ProgramResult plain = gemm({"a.npy", "a.npy", "-o", "expected.npy"});
  ASSERT_EQ(plain.exit_code, 0);
  const std::string expected = test::read_file(directory.file("expected.npy"));
  for (const char* streams : {">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/null 2>/dev/full"}) {
    EXPECT_EQ(shell(streams), 0) << streams;
    EXPECT_EQ(test::read_file(directory.file("d.npy")), expected) << streams;
  }
  const int status = std::system("'" TILELOOM_PROGRAM "' gemm a.npy missing.npy 2>/dev/full");
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST_F(Cli, UnknownWordsSuggestTheRightOne) {
  expect_failure(run({"bench-mark", "--help"}), 2, "unknown verb 'bench-mark'", "tileloom --help lists what there is");
  expect_failure(run({"gem", "--m", "5"}), 2, "unknown verb 'gem'", "did you mean gemm?");
  expect_failure(run({"frobnicate"}), 2, "unknown verb 'frobnicate'", "tileloom --help lists what there is");
  expect_failure(run({"--verson"}), 2, "unknown option '--verson'", "did you mean --version?");
  expect_failure(gemm({"--kernal", "simple"}), 2, "unknown option '--kernal'", "did you mean --kernel?");
  expect_failure(gemm({"--acumulate=f16"}), 2, "unknown option '--acumulate'", "did you mean --accumulate?");
  expect_failure(gemm({"--frobnicate"}), 2, "unknown option '--frobnicate'",
                 "tileloom gemm --help lists what there is");
  expect_failure(gemm({"a.npy", "b.npy", "c.npy"}), 2, "unknown argument 'c.npy'",
                 "tileloom gemm --help lists what there is");
  const std::vector<std::string> sizes{"--m", "2", "--n", "2", "--k", "2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), sizes.begin(), sizes.end());
    return gemm(more);
  };
  EXPECT_EQ(with({"--kernel", "simpl"}).exit_code, 2);
  EXPECT_NE(with({"--kernel", "simpl"}).err.find("found 'simpl'\nhint: did you mean simple?\n"), std::string::npos);
  expect_failure(with({"--dist", "norml"}), 2, "--dist: expected normal, uniform or integers, found 'norml'",
                 "did you mean normal?");
  expect_failure(with({"--accumulate", "f64"}), 2, "--accumulate: expected f32 or f16, found 'f64'");
  expect_failure(run({"gemm", "--m", "2", "--n", "2", "--k", "2", "--backend", "emulater"}), 2,
                 "--backend: expected auto, cuda or emulator, found 'emulater'", "did you mean emulator?");
}

TEST_F(Cli, NoVerbShowsTheHelpAsAnError) {
  const ProgramResult result = run({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.substr(0, 9), "Examples:");
}

TEST_F(Cli, BadNumbers) {
  for (const std::string bad : {"-1", "ten", "1e3", "", " 5", "5 ", "99999999999999999999", "+5", "0x10"}) {
    if (!bad.empty()) {
      expect_failure(gemm({"--m=" + bad, "--n", "2", "--k", "2"}), 2,
                     "--m: expected an integer from 0 to 2^63 - 1, found '" + bad + "'");
    }
  }
  expect_failure(gemm({"--m", "1", "--n", "2", "--k", "2", "--seed", "x"}), 2,
                 "--seed: expected an integer from 0 to 2^64 - 1, found 'x'");
}

TEST_F(Cli, MissingOperands) {
  expect_failure(gemm({}), 2, "gemm: expected two files, or --m, --n and --k; found no --m",
                 "tileloom gemm A.npy B.npy -o D.npy");
  expect_failure(gemm({"--m", "5", "--k", "5"}), 2, "gemm: expected two files, or --m, --n and --k; found no --n",
                 "tileloom gemm A.npy B.npy -o D.npy");
  expect_failure(gemm({"x.npy"}), 2, "gemm: expected two files, found one: x.npy",
                 "for A·Aᵀ name it twice: tileloom gemm x.npy x.npy -o D.npy");
  expect_failure(gemm({"x.npy", "y.npy", "--k", "5"}), 2, "--k: expected no such option beside files, found 5",
                 "sizes and values are those of the files");
}

TEST_F(Cli, WrongFiles) {
  write("a.npy", 4, 6);
  expect_failure(gemm({"none.npy", "a.npy"}), 4, "none.npy: cannot read: No such file or directory");
  NpyFile file;
  file.descr = "'<f8'";
  test::write_file(directory.file("double.npy"), file.bytes());
  expect_failure(gemm({"a.npy", "double.npy"}), 2,
                 "double.npy: dtype: expected float16 ('<f2') or float32 ('<f4'), found '<f8'",
                 "save it as half: numpy.save(file, x.astype(numpy.float16))");
  file = {};
  file.shape = "(6,)";
  test::write_file(directory.file("vector.npy"), file.bytes());
  expect_failure(gemm({"vector.npy", "a.npy"}), 2, "vector.npy: shape: expected two dimensions, found 1: (6,)",
                 "give it two: numpy.save(file, x.reshape(rows, columns))");
}

TEST_F(Cli, ShapesThatDoNotFit) {
  write("a.npy", 4, 6);
  write("b.npy", 6, 5);
  write("c.npy", 7, 8);
  expect_failure(gemm({"a.npy", "b.npy"}), 2, "b.npy: expected 6 columns, as a.npy has, found 5 (its shape is 6 x 5)",
                 "D = A·Bᵀ takes B as N x K; this one looks like K x N: numpy.save(file, b.T) turns it");
  expect_failure(gemm({"a.npy", "c.npy"}), 2, "c.npy: expected 6 columns, as a.npy has, found 8 (its shape is 7 x 8)",
                 "D = A·Bᵀ takes A as M x K and B as N x K");
}

TEST_F(Cli, Archs) {
  const std::vector<std::string> sizes{"--m", "2", "--n", "2", "--k", "2"};
  const auto with = [&](const std::string& arch) {
    std::vector<std::string> arguments = sizes;
    arguments.insert(arguments.end(), {"--arch", arch});
    return gemm(arguments);
  };
  EXPECT_EQ(with("sm_80").exit_code, 0);
  EXPECT_EQ(with("sm_42").exit_code, 2);
  EXPECT_NE(with("sm_42").err.find("found 'sm_42'\n"), std::string::npos);
  expect_failure(with("sm_75"), 3,
                 "kernel multistage_128x128x64_f32: expected an arch that can run one of its images (compute_80, "
                 "compute_90), found sm_75",
                 "choose sm_80 or later");
}

TEST_F(Cli, ProblemsTooLargeForTheMachine) {
  const ProgramResult result = gemm({"--m", "4000000", "--n", "4000000", "--k", "1"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(std::regex_match(
      result.err, std::regex("error: m 4000000, n 4000000, k 1: expected matrices of at most [0-9.e+]+ GB, this "
                             "machine's memory; found 3.2e\\+04 GB\n")))
      << result.err;
}

TEST_F(Cli, OutputsThatCannotBeWritten) {
  expect_failure(gemm({"--m", "2", "--n", "2", "--k", "2", "-o", "no/d.npy"}), 4,
                 "no/d.npy: cannot write: No such file or directory");
  const ProgramResult full = gemm({"--m", "2", "--n", "2", "--k", "2", "-o", "/dev/full"});
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_EQ(full.err, "error: /dev/full: cannot write: No space left on device\n");
  EXPECT_TRUE(directory.listing().empty());
}

TEST_F(Cli, AFullStandardOutputIsAnError) {
  ASSERT_EQ(::symlink("/dev/full", directory.file("full").c_str()), 0);
  const std::string command = std::string("exec '") + TILELOOM_PROGRAM + "' --version > '" + directory.file("full") +
                              "' 2> '" + directory.file("err") + "'";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(test::read_file(directory.file("err")), "error: standard output: cannot write\n");
}

// Interrupted while it works: no temporary file stays, and the old output is what it was.
TEST_F(Cli, InterruptLeavesTheOldOutput) {
  test::write_file(directory.file("d.npy"), "old");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child =
        program.start({"gemm", "--backend", "emulator", "--m", "3000", "--n", "3000", "--k", "3000", "-o", "d.npy"});
    while (directory.listing().size() < 2) {  // until the temporary file is there
      ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "ended too early";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ::kill(child, signal);
    EXPECT_EQ(program.wait(child).exit_code, 128 + signal);
    EXPECT_EQ(directory.listing(), (std::vector<std::string>{"d.npy"}));
    EXPECT_EQ(test::read_file(directory.file("d.npy")), "old");
  }
}

TEST_F(Cli, ReadOnlyDirectoryAndFileAreRefused) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write everywhere";
  }
  test::write_file(directory.file("d.npy"), "old");
  ::chmod(directory.file("d.npy").c_str(), 0444);
  expect_failure(gemm({"--m", "2", "--n", "2", "--k", "2", "-o", "d.npy"}), 4,
                 "d.npy: cannot write: Permission denied");
}

// -- Progress ---------------------------------------------------------------------------------------------------------

// Without a terminal, progress is plain lines; what is quick shows none.
TEST(Progress, PlainLinesWithoutATerminal) {
  testing::internal::CaptureStderr();
  {
    cli::Progress progress("working", std::chrono::seconds(0));
    progress.update(0, 4);
    progress.update(1, 4);
    progress.update(2, 4);  // too soon after the last line
    progress.update(4, 4);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "working 25 %, 0 s left\n");
  testing::internal::CaptureStderr();
  cli::Progress("quick", std::chrono::seconds(60)).update(1, 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tileloom
