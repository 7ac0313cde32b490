// SPDX-License-Identifier: Apache-2.0
// The kernels of tests/emu/others, compiled here and now by whatever compilers there are: what others_test has for
// good, for the versions at hand. `make test` compiles a few, `make test-long` all options, targets and kinds of file.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "emu/others/run.hpp"
#include "tileloom/emu/float16.hpp"

namespace tileloom::test {
namespace {

constexpr bool all = TILELOOM_OTHERS_ALL;

bool runs(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

class Compiled : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tileloom-others-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }

  // What the compiler makes of it, or nothing where it fails, which fails the test. ` -o made SOURCE` is added.
  std::string compiled(const std::string& command, const std::string& source) {
    const std::string log = path("log");
    const std::string line = command + " -o " + path("made") + " " + source + " >" + log + " 2>&1";
    if (std::system(line.c_str()) == 0) return others_file(folder_ / "made");
    ADD_FAILURE() << line << "\n" << others_file(folder_ / "log");
    return "";
  }

  void expect_compiled_right(const std::string& command, const std::string& source, const std::string& more = "") {
    const std::string made = compiled(command, "'" + others_folder + source + ".cu' " + more);
    if (made.empty()) return;
    std::size_t with_kernels = 0;
    for (const emu::Module& module : others_modules(made, source + ": " + command)) {
      if (module.kernels().empty()) continue;
      ++with_kernels;
      expect_right(module, others_kernels(source));
    }
    EXPECT_EQ(with_kernels, 1U) << command;
  }

  std::filesystem::path folder_;
};

class Nvcc : public Compiled {
 protected:
  void SetUp() override {
    Compiled::SetUp();
    if (!runs("nvcc --version")) GTEST_SKIP() << "no nvcc on the PATH";
  }
};

TEST_F(Nvcc, EveryOptionAndTarget) {
  const std::vector<std::string> sources =
      all ? std::vector<std::string>{"plain", "toolkit"} : std::vector<std::string>{"plain"};
  for (const std::string& source : sources) {
    for (const std::string arch : {"75", "80", "86", "89", "90"}) {
      for (const std::string options : {"", "-lineinfo", "-G", "-Xcicc -O0", "-rdc=true"}) {
        if (arch == "75" && source == "toolkit") continue;  // it copies asynchronously
        if (!all && !(arch == "89" && options == "-G")) continue;
        expect_compiled_right("nvcc -ptx -std=c++17 -arch=compute_" + arch + " " + options, source);
      }
    }
  }
}

TEST_F(Nvcc, EveryKindOfFile) {
  std::ofstream(folder_ / "main.cu") << "int main() {}\n";
  const std::string target = " -std=c++17 -gencode arch=compute_80,code=[sm_80,compute_80] ";
  expect_compiled_right("nvcc" + target, "plain", path("main.cu"));  // an executable
  if (!all) return;
  for (const std::string source : {"plain", "toolkit"}) {
    expect_compiled_right("nvcc -c -G" + target, source);
    expect_compiled_right("nvcc -shared -Xcompiler -fPIC" + target, source);
    expect_compiled_right("nvcc -lib" + target, source);
    for (const std::string mode : {"none", "speed", "balance", "size"}) {
      expect_compiled_right("nvcc -fatbin -compress-mode=" + mode + target, source);
    }
  }
}

TEST_F(Compiled, ByClang) {
  const std::string clang =
      "clang++ -x cuda --cuda-device-only -nocudainc -nocudalib -Wno-unknown-cuda-version -std=c++17 ";
  std::ofstream(folder_ / "empty.cu") << "\n";
  if (!runs(clang + "--cuda-gpu-arch=sm_80 -S -o " + path("empty.ptx") + " " + path("empty.cu"))) {
    GTEST_SKIP() << "no clang++ on the PATH that makes PTX";
  }
  for (const std::string arch : {"80", "86"}) {
    for (const std::string options : {"-O0", "-O1", "-O2 -g", "-O3", "-O0 -g"}) {
      if (!all && !(arch == "86" && options == "-O2 -g")) continue;
      expect_compiled_right(
          clang + "-Xclang -target-feature -Xclang +ptx72 -S --cuda-gpu-arch=sm_" + arch + " " + options, "plain");
    }
  }
}

#if TILELOOM_OTHERS_ALL
// The CuTe kernel of examples/unit-test, with every inline function a call and every variable in local memory.
TEST_F(Nvcc, CuteWithoutOptimisation) {
  const std::string cutlass = TILELOOM_OTHERS_CUTLASS;
  if (cutlass.empty()) GTEST_SKIP() << "built without CUTLASS";
  constexpr int n = 64;
  std::vector<std::uint16_t> a(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = emu::from_f32<emu::f16_format>(static_cast<float>(i * 7 % 11 - 5));
  for (const std::string options : {"-G", "-Xcicc -O0"}) {
    const std::string ptx = compiled("nvcc -ptx -std=c++17 -arch=compute_80 -I'" + cutlass + "' " + options,
                                     TILELOOM_SOURCE_DIR "/examples/unit-test/gemm.cu");
    ASSERT_FALSE(ptx.empty());
    const emu::Module module = emu::Module::from_ptx(ptx, "gemm.ptx");
    emu::Memory memory;
    std::vector<float> d(n * n);
    const emu::DevicePtr in = memory.wrap_read_only(std::as_bytes(std::span(a)), "A");
    emu::Arguments arguments(module.kernel("gemm_64x64"));
    arguments.set(0, memory.wrap_output(std::as_writable_bytes(std::span(d)), "D")).set(1, in).set(2, in);
    arguments.set(3, n).set(4, n).set(5, n);
    const emu::LaunchReport report =
        emu::try_launch(module, "gemm_64x64", {.block = {128}, .check = true}, arguments.bytes(), memory);
    EXPECT_FALSE(report.failure.has_value()) << report.failure->message;
    for (const emu::Finding& f : report.findings) ADD_FAILURE() << to_string(f);
    for (int i = 0; i < n * n; ++i) {
      float sum = 0;
      for (int k = 0; k < n; ++k) {
        sum += emu::to_f32<emu::f16_format>(a[i / n * n + k]) * emu::to_f32<emu::f16_format>(a[i % n * n + k]);
      }
      ASSERT_EQ(d[i], sum) << options << " at " << i;
    }
  }
}
#endif

}  // namespace
}  // namespace tileloom::test
