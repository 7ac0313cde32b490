// SPDX-License-Identifier: Apache-2.0
// PTX out of files: what nvcc writes in each of its compression modes, and what it does not write.
#include "tileloom/emu/image.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "emu/image/decompress.hpp"
#include "tileloom/error.hpp"
#include "unit/gemm/npy_bytes.hpp"
#include "unit/image/fatbin_writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tileloom::test {
namespace {

const std::string ptx_80 =
    "//\n.version 9.0\n.target sm_80\n.address_size 64\n" + std::string(2000, ' ') + ".visible .entry k() {}\n";
const std::string ptx_90 = "//\n.version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {}\n";

[[nodiscard]] emu::ImageFile read(const std::string& bytes) {
  return emu::read_images(std::as_bytes(std::span(bytes)), "k.o");
}

template <class F>
void expect_error(F&& call, ErrorKind kind, const std::string& message, const std::string& hint) {
  try {
    call();
    FAIL() << "no error; expected " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_EQ(error.what(), message);
    EXPECT_EQ(error.hint(), hint);
  }
}

void expect_bad(const std::string& bytes, const std::string& message,
                const std::string& hint = "build the file again") {
  expect_error([&] { (void)read(bytes); }, ErrorKind::bad_input, message, hint);
}

TEST(Images, OfEachCompression) {
  for (const std::uint64_t flags : {0x11U, 0x2011U, 0x8011U}) {
    const auto file = read("\177ELF..." + fatbin({{1, 80, flags, ptx_80}, {2, 90, 0x11, "code"}}) + "more");
    ASSERT_EQ(file.ptx.size(), 1U) << flags;
    EXPECT_EQ(file.ptx[0].text, ptx_80);
    EXPECT_EQ(file.ptx[0].arch, hw::sm_80);
    EXPECT_EQ(file.ptx[0].name, "k.o:sm_80:0");
    EXPECT_EQ(file.machine_code, std::vector{hw::sm_90});
  }
}

TEST(Images, TextIsAnImageItself) {
  const auto file = read(ptx_90);
  ASSERT_EQ(file.ptx.size(), 1U);
  EXPECT_EQ(file.ptx[0].name, "k.o");
  EXPECT_EQ(file.ptx[0].arch, hw::sm_90);
  EXPECT_EQ(file.ptx[0].text, ptx_90);
}

TEST(Images, OfEveryUnitTheNewestThatRuns) {
  const std::string bytes = fatbin({{1, 80, 0x11, ptx_80}, {1, 90, 0x8011, ptx_90}}) + fatbin({{1, 80, 0x11, ptx_80}}) +
                            fatbin({{1, 90, 0x11, ptx_90}});
  const auto names = [&](hw::Arch arch) {
    std::vector<std::string> found;
    for (const auto& image : emu::images_for(read(bytes), arch, "k.o")) found.push_back(image.name);
    return found;
  };
  EXPECT_EQ(names(hw::sm_90), (std::vector<std::string>{"k.o:sm_90:0", "k.o:sm_80:1", "k.o:sm_90:2"}));
  EXPECT_EQ(names(hw::sm_86), (std::vector<std::string>{"k.o:sm_80:0", "k.o:sm_80:1"}));
}

TEST(Images, WhatCannotRunIsSaid) {
  const auto too_new = read(fatbin({{1, 90, 0x11, ptx_90}}));
  expect_error([&] { (void)emu::images_for(too_new, hw::sm_80, "k.o"); }, ErrorKind::cannot_run,
               "k.o: PTX for sm_90, which sm_80 cannot run",
               "choose a newer architecture, or compile for an older one");
  const auto code = read(fatbin({{2, 80, 0x11, "code"}, {2, 90, 0x11, "code"}, {2, 80, 0x11, "code"}}));
  expect_error([&] { (void)emu::images_for(code, hw::sm_90, "k.o"); }, ErrorKind::cannot_run,
               "k.o: machine code for sm_80, sm_90 only, expected PTX",
               "add PTX: nvcc -gencode arch=compute_80,code=compute_80");
}

TEST(Images, DamageIsNamed) {
  const std::string whole = fatbin({{1, 80, 0x8011, ptx_80}});
  expect_bad("", "k.o: neither PTX nor a file with device code",
             "expected PTX text, a fatbin, or an object, library or executable of nvcc's");
  expect_bad(std::string("\177ELF\0", 5), "k.o: neither PTX nor a file with device code",
             "expected PTX text, a fatbin, or an object, library or executable of nvcc's");
  expect_bad(".version 9.0\n", "k.o: no .target", "PTX names its target: .target sm_80");
  expect_bad(whole.substr(0, whole.size() - 1), fmt::format("k.o: damaged fatbin: content of {} bytes, {} are left",
                                                            whole.size() - 16, whole.size() - 17));
  std::string bytes = whole;
  put<std::uint32_t>(bytes, 16 + 4, 8);
  expect_bad(bytes, fmt::format("k.o: damaged fatbin: an entry's header of 8 bytes, {} are left", bytes.size() - 16));
  bytes = whole;
  put<std::uint64_t>(bytes, 16 + 8, ~std::uint64_t{0});
  expect_bad(bytes, fmt::format("k.o: damaged fatbin: an entry of 18446744073709551615 bytes, {} are left",
                                bytes.size() - 96));
  bytes = whole;
  put<std::uint32_t>(bytes, 16 + 16, 1U << 30);
  expect_bad(bytes, fmt::format("k.o: damaged fatbin: a compressed image of 1073741824 bytes, {} are left",
                                bytes.size() - 96));
  bytes = whole;
  put<std::uint64_t>(bytes, 16 + 56, std::uint64_t{1} << 40);
  expect_bad(bytes, "k.o:sm_80:0: an image of 1099511627776 bytes, expected at most 268435456", "is the file damaged?");
  for (const std::uint64_t flags : {0x2011U, 0x8011U}) {
    bytes = fatbin({{1, 80, flags, ptx_80}});
    put<std::uint64_t>(bytes, 16 + 56, ptx_80.size() + 1);
    expect_bad(bytes, "k.o:sm_80:0: damaged fatbin: an image cannot be decompressed");
  }
}

// zstd's own header is checked; LZ4 has none, and its sizes are all that tells.
TEST(Images, ZstdHeaderIsChecked) {
  std::string bytes = fatbin({{1, 80, 0x8011, ptx_80}});
  bytes[96] = static_cast<char>(bytes[96] ^ 0x5A);
  expect_bad(bytes, "k.o:sm_80:0: damaged fatbin: an image cannot be decompressed");
}

TEST(Images, ZstdFileIsUnpackedWholeOrNotAtAll) {
  const auto unpack = [](std::string_view bytes) { return emu::unpack_zstd(std::as_bytes(std::span(bytes))); };
  const std::string packed = FatbinEntryText{1, 80, 0x8011, ptx_80}.packed();
  EXPECT_EQ(unpack(packed), ptx_80);
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_EQ(unpack(packed.substr(0, size)), std::nullopt) << size;
  EXPECT_EQ(unpack(ptx_80), std::nullopt);
}

// A magic number without a header behind it is a constant of some program.
TEST(Images, MagicAloneIsNoFatbin) {
  std::string bytes("\x50\xED\x55\xBA and so on, for long enough", 32);
  EXPECT_EQ(read(bytes + fatbin({{1, 80, 0x11, ptx_80}})).ptx.size(), 1U);
}

void fuzz(const std::string& bytes) {
  const std::string input = '\0' + bytes;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// Every byte of a file changed, every length: an answer or an error, no crash (this test also runs under sanitizers).
TEST(Images, AnyBytesAreAnsweredOrRefused) {
  for (const std::uint64_t flags : {0x11U, 0x2011U, 0x8011U}) {
    const std::string whole = fatbin({{1, 80, flags, ptx_90}, {2, 90, flags, ptx_90}});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int change : {0x01, 0x80, 0xFF}) {
        std::string bytes = whole;
        bytes[i] = static_cast<char>(bytes[i] ^ change);
        fuzz(bytes);
      }
      fuzz(whole.substr(0, i));
    }
  }
}

// PTX without comments and the white space that fatbins leave out.
[[nodiscard]] std::vector<std::string> words(const std::string& ptx) {
  std::istringstream stream(std::regex_replace(ptx, std::regex("//[^\n]*"), ""));
  return {std::istream_iterator<std::string>(stream), {}};
}

// What this machine's nvcc writes, in each mode, equals what it writes as PTX.
TEST(Images, OfThisMachinesNvcc) {
  if (std::system("nvcc --help 2>/dev/null | grep -q compress-mode") != 0)
    GTEST_SKIP() << "no nvcc with --compress-mode here";
  const Directory here;
  write_file(here.file("k.cu"),
             "__global__ void k(float* x) { x[threadIdx.x] *= 2; }\nint main() { k<<<1, 1>>>(nullptr); }\n");
  const auto compile = [&](const std::string& options) {
    ASSERT_EQ(std::system(("cd '" + here.path().string() + "' && nvcc k.cu " + options).c_str()), 0) << options;
  };
  compile("-ptx -arch=compute_80 -o k.ptx");
  const std::string ptx = read_file(here.file("k.ptx"));
  for (const std::string options : {"none -c", "speed -c", "size -fatbin", "default"}) {
    compile("-gencode arch=compute_80,code=[compute_80,sm_80] -o k --compress-mode=" + options);
    const std::string bytes = read_file(here.file("k"));
    const auto file = emu::read_images(std::as_bytes(std::span(bytes)), "k");
    ASSERT_EQ(file.ptx.size(), 1U) << options;
    EXPECT_EQ(words(file.ptx[0].text), words(ptx)) << options;
    EXPECT_EQ(file.machine_code, std::vector{hw::sm_80}) << options;
  }
}

}  // namespace
}  // namespace tileloom::test
