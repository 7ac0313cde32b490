// SPDX-License-Identifier: Apache-2.0
// `tileloom emulate` as a stranger meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tileloom/npy.hpp"
#include "unit/cli/run_program.hpp"
#include "unit/image/fatbin_writer.hpp"

namespace tileloom {
namespace {

using Json = nlohmann::json;
using test::NpyFile;
using test::ProgramResult;
using Words = std::vector<std::string>;

class Emulate : public testing::Test {
 protected:
  Emulate() {
    std::filesystem::create_directory_symlink(TILELOOM_SOURCE_DIR "/examples", directory.path() / "examples");
  }

  [[nodiscard]] ProgramResult emulate(Words arguments) const {
    arguments.insert(arguments.begin(), "emulate");
    return program.run(arguments);
  }
  // The kernel of examples/reverse.ptx over 64 floats.
  [[nodiscard]] ProgramResult reverse(const Words& more, const std::string& file = "examples/reverse.ptx") const {
    Words arguments{file, "--block", "64", "--arg", "in=f32[64]:iota", "--arg", "out=f32[64]"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return emulate(arguments);
  }
  [[nodiscard]] ProgramResult race(const Words& more) const { return reverse(more, "examples/reverse_race.ptx"); }
  void expect_failure(const ProgramResult& result, int exit_code, const std::string& error,
                      const std::string& hint = {}) const {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(result.err, "error: " + error + "\n" + (hint.empty() ? "" : "hint: " + hint + "\n"));
  }
  void write(const std::string& name, const std::string& text) const { test::write_file(directory.file(name), text); }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(directory.file(name)); }

  test::Directory directory;
  test::Program program{directory};
};

// A kernel whose mangled names demangle to two instances of `ns::twice`, and one named `other`.
constexpr const char* three_kernels = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry _ZN2ns5twiceIfEEvPT_i(.param .u64 p, .param .u32 n) { ret; }
.visible .entry _ZN2ns5twiceIdEEvPT_i(.param .u64 p, .param .u32 n) { ret; }
.visible .entry other(.param .align 8 .b8 box[24]) { .shared .b8 s[40]; .reg .b32 %r; mov.u32 %r, s; ret; }
)";

// Every type in, and the same out: `copy(in, out, bytes)` of one CTA.
constexpr const char* copy_bytes = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry copy_bytes(.param .u64 in, .param .u64 out, .param .u32 bytes)
{
  .reg .b32 %t, %n; .reg .b64 %in, %out, %d; .reg .b16 %h; .reg .pred %p;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [bytes];
  mov.u32 %t, %tid.x; setp.ge.u32 %p, %t, %n; @%p ret;
  cvt.u64.u32 %d, %t; add.u64 %in, %in, %d; add.u64 %out, %out, %d;
  ld.global.u8 %h, [%in]; st.global.u8 [%out], %h;
  ret;
}
)";

TEST_F(Emulate, RunsSavesAndCompares) {
  const ProgramResult saved = reverse({"--save", "out=out.npy"});
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_EQ(saved.out.substr(0, saved.out.find('\n')),
            "reverse, grid (1,1,1), block (64,1,1), 0 bytes of dynamic shared memory, sm_90");
  EXPECT_NE(saved.out.find("\nchecked   no race and no uninitialised read\nwrote     out.npy: 64 float32\n"),
            std::string::npos)
      << saved.out;
  const npy::Array out = npy::read_array(directory.file("out.npy"));
  ASSERT_EQ(out.shape, std::vector<std::int64_t>{64});
  for (int i = 0; i < 64; ++i) {
    float value = 0;
    std::memcpy(&value, out.bytes.data() + 4 * i, 4);
    EXPECT_EQ(value, static_cast<float>(63 - i));
  }
  EXPECT_EQ(reverse({"--expect", "out=out.npy"}).exit_code, 0);
}

TEST_F(Emulate, ADifferenceNamesItsElementAndWritesNothing) {
  ASSERT_EQ(reverse({"--save", "out=ref.npy"}).exit_code, 0);
  const auto zeros = [&](const Words& more) {
    Words arguments{"examples/reverse.ptx", "--block", "64", "--arg", "in=f32[64]:zeros", "--arg", "out=f32[64]"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return emulate(arguments);
  };
  expect_failure(zeros({"--expect", "out=ref.npy:2", "--save", "out=new.npy"}), 1,
                 "out: 61 of 64 elements differ from ref.npy; the first: out[0] is 0, expected 63",
                 "new.npy was not written");
  EXPECT_FALSE(exists("new.npy"));
  EXPECT_EQ(zeros({"--expect", "out=ref.npy:63"}).exit_code, 0);
}

TEST_F(Emulate, NanEqualsNanOnly) {
  const auto run = [&](const std::string& in, const Words& more) {
    Words arguments{"examples/reverse.ptx", "--block", "64", "--arg", "in=f32[64]:" + in, "--arg", "out=f32[64]"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return emulate(arguments);
  };
  ASSERT_EQ(run("nan", {"--save", "out=nan.npy"}).exit_code, 0);
  EXPECT_EQ(run("nan", {"--expect", "out=nan.npy"}).exit_code, 0);
  EXPECT_EQ(run("zeros", {"--expect", "out=nan.npy:inf"}).exit_code, 1);
}

TEST_F(Emulate, ARaceIsExitCode1WithBothInstructions) {
  const ProgramResult result = race({"--save", "out=out.npy"});
  expect_failure(result, 1, "check failed: 2 races and 1 uninitialised read", "out.npy was not written");
  EXPECT_NE(result.out.find("race: read after write, shared bytes 124..127 of CTA (0,0,0), 32 times\n"
                            "  write   st.shared.b32  reverse_race.ptx:27  warp 0 lane 31\n"
                            "  read    ld.shared.b32  reverse_race.ptx:31  warp 1 lane 0\n"
                            "  nothing orders them: a bar.sync between them would\n"),
            std::string::npos)
      << result.out;
  EXPECT_FALSE(exists("out.npy"));
  EXPECT_EQ(race({"--no-check"}).exit_code, 0);
}

TEST_F(Emulate, IgnoresWhatAFileAccepts) {
  write("ignore",
        "# accepted\n\nrace reverse_race.ptx:27,*:31 known\nuninitialised-read reverse_race.ptx known too\n"
        "race k.cu:1 gone\n");
  const ProgramResult text = race({"--ignore", "ignore"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.err, "note: ignore:5: nothing was found that this entry ignores\n");
  EXPECT_NE(text.out.find("checked   no race and no uninitialised read; 3 ignored\n"), std::string::npos);
  const Json json = Json::parse(race({"--ignore", "ignore", "--json"}).out);
  EXPECT_EQ(json["findings"].size(), 0U);
  EXPECT_EQ(json["ignored"]["findings"].size(), 2U);
  EXPECT_EQ(json["ignored"]["findings"][1]["reason"], "known");
  EXPECT_EQ(json["ignored"]["uninitialised_reads"][0]["reason"], "known too");
  for (const auto& [line, error] : std::vector<std::pair<std::string, std::string>>{
           {"rce k.cu why", "ignore:1: expected race or uninitialised-read, found 'rce'"},
           {"race k.cu:3", "ignore:1: expected a reason after k.cu:3, found none"},
           {"uninitialised-read a,b why", "ignore:1: expected a place after uninitialised-read, found 'a,b'"}}) {
    write("ignore", line);
    const ProgramResult refused = race({"--ignore", "ignore"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err.substr(0, refused.err.find('\n')), "error: " + error);
  }
  EXPECT_EQ(race({"--ignore", "none"}).exit_code, 4);
}

TEST_F(Emulate, JsonHoldsTheRun) {
  const ProgramResult result = race({"--json", "--arch", "sm_80", "--delivery", "seed:3", "--schedule", "9"});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["schema"], "tileloom.emulate/1");
  EXPECT_EQ(json["launch"]["arch"], "sm_80");
  EXPECT_EQ(json["launch"]["block"], Json({64, 1, 1}));
  EXPECT_EQ(json["launch"]["delivery"], "seed:3");
  EXPECT_EQ(json["launch"]["schedule"], 9);
  EXPECT_EQ(json["arguments"][1]["type"], "f32[64]");
  EXPECT_GE(json["findings"].size(), 1U);
  EXPECT_TRUE(json["failure"].is_null());
  EXPECT_EQ(json["notes"].size(), 1U);  // sm_80 is not measured
  EXPECT_TRUE(Json::parse(race({"--json", "--no-check"}).out)["findings"].is_null());
}

TEST_F(Emulate, WhatEndsALaunchIsToldInTextAndJson) {
  const std::string error =
      "out of bounds: ld.global.b32 at reverse.ptx:24 reads bytes 256..259 of in (256 bytes); thread (0,0,0), CTA "
      "(1,0,0)";
  expect_failure(reverse({"--grid", "2", "--save", "out=o.npy"}), 1, error, "o.npy was not written");
  const Json json = Json::parse(reverse({"--grid", "2", "--json"}).out);
  EXPECT_EQ(json["failure"]["kind"], "out of bounds");
  EXPECT_EQ(json["failure"]["message"], error);
  write("loop.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nL: bra L;\n}\n");
  expect_failure(
      emulate({"loop.ptx", "--block", "32", "--max-instructions", "1000"}), 1,
      "instruction limit: CTA (0,0,0) has run more than 1000 warp instructions; warp 0 is at bra at loop.ptx:6");
}

TEST_F(Emulate, ListsKernelsByTheNamesOfTheirAuthor) {
  write("k.ptx", three_kernels);
  const ProgramResult list = emulate({"k.ptx", "--list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_NE(list.out.find("void ns::twice<float>(float*, int)\n  ptx name  _ZN2ns5twiceIfEEvPT_i\n"), std::string::npos)
      << list.out;
  EXPECT_NE(
      list.out.find("\nother\n  shared    40 bytes and what the launch adds\n  arg 0     b8[24]    24 bytes  box\n"),
      std::string::npos)
      << list.out;
  const Json json = Json::parse(emulate({"k.ptx", "--list", "--json"}).out);
  EXPECT_EQ(json["entries"][2]["static_shared_bytes"], 40);
  EXPECT_EQ(json["entries"][0]["parameters"][1]["type"], "u32");
}

TEST_F(Emulate, AnyUnambiguousPartOfANameWillDo) {
  write("k.ptx", three_kernels);
  const auto run = [&](const std::string& entry) {
    return emulate({"k.ptx", "--entry", entry, "--block", "1", "--arg", "p=f32[1]", "--arg", "n=i32:1"});
  };
  EXPECT_EQ(run("twice<float>").out.substr(0, 35), "void ns::twice<float>(float*, int),");
  EXPECT_EQ(run("double*").exit_code, 0);
  EXPECT_EQ(run("_ZN2ns5twiceIfEEvPT_i").exit_code, 0);
  expect_failure(run("twice"), 2, "--entry: expected a part of one kernel's name, found 'twice', which 2 have",
                 "they are void ns::twice<float>(float*, int), void ns::twice<double>(double*, int)");
  expect_failure(run("othr"), 2, "--entry: no kernel of k.ptx is named 'othr'", "did you mean other?");
  expect_failure(emulate({"k.ptx", "--block", "1"}), 2, "k.ptx: expected --entry, for there are 3 kernels",
                 "they are void ns::twice<float>(float*, int), void ns::twice<double>(double*, int), other");
}

TEST_F(Emulate, StructsPassByValueInBytes) {
  write("k.ptx", three_kernels);
  const std::string bytes(48, '0');
  EXPECT_EQ(emulate({"k.ptx", "--entry", "other", "--block", "1", "--arg", "box=bytes:" + bytes}).exit_code, 0);
  expect_failure(emulate({"k.ptx", "--entry", "other", "--block", "1", "--arg", "box=bytes:00ff"}), 2,
                 "--arg box: expected 24 bytes for parameter 0 (b8[24] box), found 2 of bytes");
}

TEST_F(Emulate, EveryTypeGoesInAndComesOut) {
  write("copy.ptx", copy_bytes);
  for (const std::string type : {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}) {
    for (const std::string values : {"integers:5", "zeros", "iota"}) {
      const auto run = [&](const std::string& in, const Words& more) {
        const int bytes = 6 * (type == "bf16" || type.ends_with("16") ? 2
                               : type[1] == '8'                       ? 1
                               : type.ends_with("32")                 ? 4
                                                                      : 8);
        Words arguments{"copy.ptx",
                        "--block",
                        "64",
                        "--arg",
                        "in=" + in,
                        "--arg",
                        "out=" + type + "[2,3]",
                        "--arg",
                        "n=u32:" + std::to_string(bytes)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return emulate(arguments);
      };
      const ProgramResult saved = run(type + "[2,3]:" + values, {"--save", "out=out.npy"});
      EXPECT_EQ(saved.exit_code, 0) << saved.err;
      EXPECT_EQ(run("out.npy", {"--expect", "out=out.npy"}).exit_code, 0) << type << " " << values;
    }
  }
  const npy::Array array = npy::read_array(directory.file("out.npy"));
  EXPECT_EQ(array.type, npy::Type::u64);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
}

TEST_F(Emulate, AliasesPassABufferTwice) {
  const ProgramResult result = emulate(
      {"examples/reverse.ptx", "--block", "32", "--arg", "x=f32[64]:iota", "--arg", "y=@x+128", "--save", "x=x.npy"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const npy::Array x = npy::read_array(directory.file("x.npy"));
  float values[64];
  std::memcpy(values, x.bytes.data(), sizeof values);
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[32], 31);
  EXPECT_EQ(values[63], 0);
}

TEST_F(Emulate, WrongArgumentsAreNamed) {
  const auto with = [&](const std::string& in, const std::string& out = "out=f32[64]") {
    return emulate({"examples/reverse.ptx", "--block", "64", "--arg", in, "--arg", out});
  };
  const std::string forms = "TYPE[SIZES]:VALUES, a file that ends in .npy, TYPE:VALUE, bytes:HEX or @NAME, found '";
  expect_failure(with("in=f33[64]"), 2, "--arg in: expected " + forms + "f33[64]'",
                 "types are f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32 or u64");
  expect_failure(with("in=f32"), 2, "--arg in: expected " + forms + "f32'", "for example f32[64]:normal or f32:1");
  expect_failure(with("in=f32[64]:nrmal"), 2,
                 "--arg in: expected normal, uniform, integers, zeros, iota or nan, found 'nrmal'",
                 "did you mean normal?");
  expect_failure(with("in=u8[64]:uniform"), 2, "--arg in: expected integers, zeros or iota for u8, found 'uniform'");
  expect_failure(with("in=f32[64]:normal:x"), 2, "--arg in: expected a seed from 0 to 2^64 - 1, found 'x'");
  expect_failure(with("in=f32[8,,8]"), 2, "--arg in: expected sizes with commas between them, found '8,,8'",
                 "f16[1024,1024]");
  expect_failure(with("in=f64[999999999999999999]"), 2,
                 "--arg in: expected a buffer of at most 2^38 bytes, found more");
  expect_failure(with("in=i32:3000000000"), 2, "--arg in: expected a value of i32, found '3000000000'");
  expect_failure(with("in=bytes:123"), 2, "--arg in: expected two hexadecimal digits a byte, found '123'");
  expect_failure(with("in=none.npy"), 4, "none.npy: cannot read: No such file or directory");
  expect_failure(with("in=f32[64]:iota", "in=f32[64]"), 2, "--arg in: expected a name that no other --arg has");
  expect_failure(with("in=f32[64]:iota", "out=@im"), 2, "--arg out: no --arg is named 'im'", "did you mean in?");
  expect_failure(with("=f32[64]"), 2, "--arg: expected NAME=..., found '=f32[64]'",
                 "tileloom emulate --help has examples");
  expect_failure(reverse({"--arg", "n=i32:1"}), 2, "kernel reverse: expected 2 arguments (--arg), found 3",
                 "in this order: u64 in, u64 out");
  expect_failure(reverse({"--expect", "out=none.npy"}), 4, "none.npy: cannot read: No such file or directory");
  expect_failure(reverse({"--save", "oot=x.npy"}), 2, "--save oot: no --arg is named 'oot'", "did you mean out?");
  expect_failure(emulate({"examples/reverse.ptx"}), 2, "emulate: expected --block, found none",
                 "for example --grid 8 --block 128");
  EXPECT_EQ(reverse({"--save", "out=no/such/x.npy"}).exit_code, 4);
}

TEST_F(Emulate, FilesOfTheWrongKindAreRefused) {
  NpyFile file;
  file.descr = "'<c8'";
  write("complex.npy", file.bytes());
  file = {};
  file.fortran_order = "True";
  write("fortran.npy", file.bytes());
  file = {};
  file.shape = "(2, 4)";
  write("short.npy", file.bytes());
  const auto with = [&](const std::string& name) {
    return emulate({"examples/reverse.ptx", "--block", "1", "--arg", "in=" + name, "--arg", "out=f32[1]"});
  };
  expect_failure(
      with("complex.npy"), 2,
      "complex.npy: dtype: expected little-endian float16 to float64 or integers of 8 to 64 bits, found '<c8'",
      "save it as one of those, for example numpy.save(file, x.astype('<f4'))");
  expect_failure(with("fortran.npy"), 2, "fortran.npy: expected C order, found Fortran order",
                 "save numpy.ascontiguousarray(x), or x.T for the bytes as they lie");
  expect_failure(with("short.npy"), 2, "short.npy: expected 16 bytes of data for shape (2, 4), found 12",
                 "the file is cut short");
  write("big.npy", NpyFile{.descr = "'|u1'", .shape = "(12,)"}.bytes());
  expect_failure(reverse({"--expect", "out=big.npy"}), 2,
                 "--expect out: expected the shape of out, (64), found (12) in big.npy");
}

// A file of nvcc's holds PTX for several architectures: the newest that the modelled one can run is taken.
TEST_F(Emulate, RunsWhatAFatbinHolds) {
  const std::string ptx = test::read_file(TILELOOM_SOURCE_DIR "/examples/reverse.ptx");
  std::string newer = ptx;
  newer.replace(newer.find("sm_80"), 5, "sm_90");
  write("k.o", "\177ELF" + test::fatbin({{1, 80, 0x8011, ptx}, {1, 90, 0x2011, newer}, {2, 90, 0x11, "code"}}));
  const std::vector<std::string> launch{"k.o", "--block", "64", "--arg", "in=f32[64]:iota", "--arg", "out=f32[64]"};
  EXPECT_EQ(emulate(launch).exit_code, 0);
  EXPECT_EQ(Json::parse(emulate({"k.o", "--list", "--json"}).out)["target"], "sm_90");
  EXPECT_EQ(Json::parse(emulate({"k.o", "--list", "--json", "--arch", "sm_80"}).out)["target"], "sm_80");
  write("code.o", "\177ELF" + test::fatbin({{2, 90, 0x11, "code"}}));
  expect_failure(emulate({"code.o", "--list"}), 3, "code.o: machine code for sm_90 only, expected PTX",
                 "add PTX: nvcc -gencode arch=compute_80,code=compute_80");
  write("text", "hello");
  expect_failure(emulate({"text", "--list"}), 2, "text: neither PTX nor a file with device code",
                 "expected PTX text, a fatbin, or an object, library or executable of nvcc's");
}

TEST_F(Emulate, CompilesASource) {
  if (std::system("nvcc --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no nvcc here";
  }
  write("a b.cu", "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n");
  const ProgramResult result =
      emulate({"a b.cu", "--block", "4", "--arg", "x=f32[4]:iota", "--save", "x=x.npy", "--arch", "sm_80"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("twice(float*), grid (1,1,1), block (4,1,1)"), 0U) << result.out;
  write("bad.cu", "nothing\n");
  const ProgramResult refused = emulate({"bad.cu", "--list"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("error: bad.cu: nvcc could not compile it\n"), std::string::npos) << refused.err;
  EXPECT_EQ(emulate({"none.cu", "--list"}).exit_code, 4);
  expect_failure(program.run({"emulate", "a b.cu", "--list"}, {{"TMPDIR", "/nowhere"}}), 4,
                 "temporary directory: expected one that can be written to, found '/nowhere'", "set TMPDIR to another");
}

TEST_F(Emulate, SavesEachBufferToItsOwnFile) {
  expect_failure(reverse({"--save", "out=o.npy", "--save", "in=o.npy"}), 2,
                 "--save: expected a file for each buffer, found o.npy twice");
  EXPECT_FALSE(exists("o.npy"));
}

TEST_F(Emulate, CountsAndFollows) {
  const ProgramResult result = reverse({"--counters", "--follow", "in:8"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("wavefronts"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("ld.global"), std::string::npos) << result.out;
  const Json json = Json::parse(reverse({"--counters", "--follow", "in:8", "--json"}).out);
  EXPECT_GE(json["counters"]["instructions"].size(), 4U);
  EXPECT_GE(json["followed"]["moves"].size(), 4U);  // global, shared, shared, global
  EXPECT_TRUE(Json::parse(reverse({"--json"}).out)["counters"].is_null());
  expect_failure(reverse({"--follow", "in"}), 2, "--follow: expected BUFFER:BYTE, found 'in'",
                 "for example A:18, the element at byte 18 of buffer A");
  expect_failure(reverse({"--follow", "inn:8"}), 2, "--follow: no --arg is named 'inn'", "they are in, out");
}

}  // namespace
}  // namespace tileloom
