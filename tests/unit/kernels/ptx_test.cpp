// SPDX-License-Identifier: Apache-2.0
// The PTX that emulator and GPU share: committed copy, rounding, and what ptxas said of it.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "emu/image/decompress.hpp"
#include "kernels/instances.hpp"

namespace tileloom::kernels {
namespace {

const std::string source_dir = TILELOOM_SOURCE_DIR;

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    text.append(buffer.data(), count);
  }
  return text;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// For the oldest target.
std::string committed_ptx(const KernelInstance& instance) {
  const std::string packed = read_file(source_dir + "/src/kernels/ptx/" + std::string(instance.name) + ".ptx.zst");
  return emu::unpack_zstd(std::as_bytes(std::span(packed))).value_or("");
}

nlohmann::json manifest() {
  std::ifstream in(source_dir + "/src/kernels/ptx/MANIFEST.json");
  return nlohmann::json::parse(in);
}

// The first f32 operation that ptxas may contract into another: an add, sub or mul that names no rounding.
std::string unrounded_f32(std::string_view ptx) {
  static const std::regex unrounded(R"(\b(add|sub|mul|mad)(\.ftz)?(\.sat)?\.f32(x2)?\s[^;\n]*;)");
  std::match_results<std::string_view::const_iterator> match;
  return std::regex_search(ptx.begin(), ptx.end(), match, unrounded) ? match.str() : "";
}

TEST(CommittedPtx, IsOfTheseSources) {
  std::string hash = output_of("'" + source_dir + "/scripts/kernel_sources_hash.sh' '" + source_dir + "'");
  hash.erase(hash.find_last_not_of('\n') + 1);
  ASSERT_EQ(hash.size(), 64U);
  EXPECT_EQ(manifest().at("sources_sha256"), hash)
      << "a kernel source changed: refresh with cmake --build build/release --target update_ptx";
}

TEST(CommittedPtx, HasEveryKernelAndNoOther) {
  std::size_t images = 0;
  for (const KernelInstance& instance : instances()) {
    EXPECT_NE(committed_ptx(instance).find(".entry " + std::string(instance.name)), std::string::npos);
    ++images;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir + "/src/kernels/ptx")) {
    files += entry.path().extension() == ".zst" ? 1 : 0;
  }
  EXPECT_EQ(files, images);
}

// With the compiler that made the committed PTX, a build from these sources gives the same bytes.
TEST(CommittedPtx, EqualsWhatThisCompilerMakes) {
  if (!built_with_cuda()) {
    GTEST_SKIP() << "built without nvcc";
  }
  if (manifest().at("compiler") != ptx_compiler()) {
    GTEST_SKIP() << "committed PTX is by " << manifest().at("compiler") << ", this build by " << ptx_compiler();
  }
  for (const KernelInstance& instance : instances()) {
    EXPECT_TRUE(ptx_text(instance, ptx_targets(instance).front()) == committed_ptx(instance)) << instance.name;
  }
}

// The build compiles for the oldest target; the program renames it for the others (src/kernels/images.cpp).
TEST(Ptx, TheCompilerGivesTheSameForEachTarget) {
#ifdef TILELOOM_COMPILE_PTX
  const KernelInstance& instance = *find_instance("simple_128x128x16_f16");
  const std::string out = testing::TempDir() + "tileloom_retarget.ptx";
  const hw::Arch newest = ptx_targets(instance).back();
  const std::string command = TILELOOM_COMPILE_PTX + std::string(" compute_") + std::to_string(newest.sm) + " " +
                              TILELOOM_COMPILE_PTX_ARGUMENTS + "/" + std::string(instance.name) + ".cu '" + out + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const std::string made = read_file(out);
  std::filesystem::remove(out);
  EXPECT_TRUE(ptx_text(instance, newest) == made);
#else
  GTEST_SKIP() << "built without nvcc";
#endif
}

TEST(Ptx, TargetIsTheOneAskedForAndTheRestTheSame) {
  const auto parts = [](const KernelInstance& instance, hw::Arch target) {
    const std::string& text = ptx_text(instance, target);
    const std::size_t line = text.find("\n.target ") + 1;
    const std::size_t end = text.find('\n', line);
    return std::tuple(text.substr(0, line), text.substr(line, end - line), text.substr(end));
  };
  for (const KernelInstance& instance : instances()) {
    const auto [before, ignored, after] = parts(instance, ptx_targets(instance).front());
    for (const hw::Arch target : ptx_targets(instance)) {
      const auto expected = std::tuple(before, ".target " + to_string(target), after);
      EXPECT_TRUE(parts(instance, target) == expected) << instance.name << " " << to_string(target);
    }
  }
}

TEST(Ptx, EveryThreadGetsTheSameText) {
  const KernelInstance& instance = instances().back();
  std::array<const std::string*, 8> texts{};
  {
    std::vector<std::jthread> threads;
    for (const std::string*& text : texts) {
      threads.emplace_back([&] { text = &ptx_text(instance, hw::sm_90); });
    }
  }
  for (const std::string* text : texts) {
    EXPECT_EQ(text, &ptx_text(instance, hw::sm_90));
  }
}

// ptxas may fuse an unrounded mul and add into one fma, which would change bits between emulator and GPU.
TEST(Ptx, HasNoUnroundedF32Arithmetic) {
  for (const KernelInstance& instance : instances()) {
    EXPECT_EQ(unrounded_f32(committed_ptx(instance)), "") << instance.name;
  }
}

TEST(Ptx, UnroundedF32ArithmeticWouldBeSeen) {
  EXPECT_EQ(unrounded_f32("\tmul.f32 \t%f3, %f1, %f2;\n"), "mul.f32 \t%f3, %f1, %f2;");
  EXPECT_EQ(unrounded_f32("\tadd.ftz.f32 %f3, %f1, %f2;"), "add.ftz.f32 %f3, %f1, %f2;");
  EXPECT_EQ(unrounded_f32("\tmul.rn.f32 %f3, %f1, %f2;\n\tfma.rn.f32 %f4, %f1, %f2, %f3;\n\tadd.f64 %fd1, %fd2, %fd3;"),
            "");
}

// Spilled registers would turn every K tile into local-memory traffic; more registers than a CTA's share would not run.
TEST(Ptxas, ReportsNoSpillAndRegistersThatFit) {
  for (const KernelInstance& instance : instances()) {
    for (const hw::Arch target : ptx_targets(instance)) {
      if (target < instance.min_arch) {
        continue;
      }
      for (const std::string& entry : entry_names(instance)) {
        const std::optional<EntryResources> r = resources(entry, target);
        ASSERT_TRUE(r) << entry << " " << to_string(target);
        EXPECT_EQ(r->spilled_bytes, 0) << entry << " " << to_string(target);
        EXPECT_EQ(r->stack_bytes, 0) << entry << " " << to_string(target);
        EXPECT_EQ(r->static_shared_bytes, 0) << entry << " " << to_string(target);
        EXPECT_GT(r->registers, 32) << entry << " " << to_string(target);
        EXPECT_LE(r->registers * instance.threads, 65536) << entry << " " << to_string(target);
      }
    }
  }
  EXPECT_FALSE(resources("no_such_kernel", hw::sm_90));
}

TEST(Ptxas, FiguresAreReadFromItsReport) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "ptxas reports";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "k.sm_90.cubin.log")
      << "ptxas info    : 0 bytes gmem\n"
         "ptxas info    : Compiling entry function 'k_narrow' for 'sm_90'\n"
         "ptxas info    : Function properties for k_narrow\n"
         "    24 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
         "ptxas info    : Used 255 registers, used 1 barriers, 24 bytes cumulative stack size, 4096 bytes smem\n"
         "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
         "ptxas info    : Function properties for k\n"
         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
         "ptxas info    : Used 40 registers, used 1 barriers, 440 bytes cmem[0]\n";
  EXPECT_EQ(output_of("'" + source_dir + "/scripts/ptxas_resources.sh' '" + folder.string() + "'"),
            "{\"k\", {hw::Arch{90}, 40, 0, 0, 0}},\n"
            "{\"k_narrow\", {hw::Arch{90}, 255, 24, 32, 4096}},\n");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tileloom::kernels
