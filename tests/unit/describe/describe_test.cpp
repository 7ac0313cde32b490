// SPDX-License-Identifier: Apache-2.0
// describe.hpp: names and layouts of CuTe types, against CuTe's own print and the table of instructions; its example
// through the program.
#include "support/cute_program.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/config_file.hpp"
#include "tileloom/hw/instructions.hpp"
#include "tileloom/layout/text.hpp"
#include "unit/describe/same_kernel.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

// A line each: what it is, what is expected, what describe.hpp says.
constexpr const char* program = R"(
#include "tileloom/describe.hpp"
#include <iostream>
#include <tileloom/describe.hpp>

using namespace cute;
namespace d = tileloom::describe;

template <class Copy> void copy(const char* expected) { std::cout << "copy\t" << expected << "\t" << d::copy_name<Copy>() << std::endl; }
template <class Mma> void mma(const char* expected) { std::cout << "mma\t" << expected << "\t" << d::mma_name<Mma>() << std::endl; }
// CuTe prints with printf.
template <class L> void same_text(const L& l) {
  std::cout << "layout\t" << std::flush;
  print(l);
  std::fflush(stdout);
  std::cout << "\t" << d::layout_text(l) << std::endl;
}

int main() {
  copy<UniversalCopy<half_t>>("UniversalCopy<uint16_t>");
  copy<Copy_Atom<UniversalCopy<float>, half_t>>("UniversalCopy<uint32_t>");
  copy<Copy_Atom<Copy_Traits<UniversalCopy<uint128_t>>, half_t>>("UniversalCopy<uint128_t>");
  copy<SM80_CP_ASYNC_CACHEALWAYS<double>>("SM80_CP_ASYNC_CACHEALWAYS<uint64_t>");
  copy<Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t>, half_t>>("SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t>");
  copy<Copy_Atom<SM75_U16x8_LDSM_T, half_t>>("SM75_U16x8_LDSM_T");
  copy<Copy_Atom<SM90_U32x4_STSM_N, half_t>>("SM90_U32x4_STSM_N");
  copy<AutoVectorizingCopyWithAssumedAlignment<128>>("AutoVectorizingCopyWithAssumedAlignment<128>");
  using TiledMma = decltype(make_tiled_mma(SM80_16x8x16_F32BF16BF16F32_TN{}, Layout<Shape<_2, _2, _1>>{}));
  using S2R = decltype(make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, bfloat16_t>{}, TiledMma{}));
  copy<S2R>("SM75_U32x4_LDSM_N");
  mma<TiledMma>("SM80_16x8x16_F32BF16BF16F32_TN");
  mma<MMA_Atom<SM75_16x8x8_F32F16F16F32_TN>>("SM75_16x8x8_F32F16F16F32_TN");
  mma<SM80_16x8x32_S32S8S8S32_TN_SATURATE>("SM80_16x8x32_S32S8S8S32_TN_SATURATE");
  mma<UniversalFMA<float>>("UniversalFMA<float>");
  mma<MMA_Atom<UniversalFMA<half_t>>>("UniversalFMA<half_t>");
  mma<MMA_Atom<SM90::GMMA::MMA_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>>>("SM90_64x64x16_F32F16F16_SS");

  same_text(Layout<_8>{});
  same_text(make_layout(make_shape(_4{}, make_shape(3, _2{})), make_stride(7, make_stride(_1{}, 40))));
  same_text(Layout<Shape<Shape<_8>, _2>, Stride<Stride<_1>, _8>>{});
  auto rows = Layout<Shape<_8, _64>, Stride<_64, _1>>{};
  same_text(composition(Swizzle<3, 3, 3>{}, rows));
  same_text(tile_to_shape(composition(Swizzle<2, 3, 3>{}, rows), Shape<_128, _64, _3>{}));
  same_text(as_position_independent_swizzle_layout(GMMA::Layout_K_SW128_Atom<half_t>{}));
  std::cout << "text\tSw<3,3,3> o _0 o (_8,_64):(_64,_1)\t" << d::layout_text(GMMA::Layout_K_SW128_Atom<half_t>{}) << std::endl;

  const char* missing = "accepted";
  std::string found = missing;
  try { d::kernel("k").tile(Shape<_16, _8, _16>{}).json(); } catch (const std::logic_error& e) { found = e.what(); }
  std::cout << "text\tdescribe: mma has not been said\t" << found << std::endl;
  found = missing;
  try { d::kernel("k").mma(TiledMma{}).json(); } catch (const std::logic_error& e) { found = e.what(); }
  std::cout << "text\tdescribe: tile has not been said\t" << found << std::endl;
  std::cout << "json\n" << d::kernel("a\"b\\c\n\x01").mma(SM80_16x8x16_F32BF16BF16F32_TN{}).tile(Shape<_16, _8, _16>{}).json();
}
)";

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    c == '\t' ? fields.emplace_back() : fields.back() += c;
  }
  return fields;
}

TEST(Describe, names_layouts_and_text) {
  std::string json;
  int compared = 0;
  bool in_json = false;
  for (const std::string& line : tileloom::test::run_cute_program(program, "-I'" TILELOOM_SOURCE_DIR "/include'")) {
    if (in_json || line == "json") {
      json += in_json ? line + "\n" : "";
      in_json = true;
      continue;
    }
    const std::vector<std::string> f = fields_of(line);
    ASSERT_EQ(f.size(), 3U) << line;
    EXPECT_EQ(f[2], f[1]);
    if (f[0] == "copy") {
      EXPECT_EQ(hw::copy_atom(f[2]).name, f[1]);
    } else if (f[0] == "mma") {
      EXPECT_EQ(hw::mma_atom(f[2]).name, hw::mma_atom(f[1]).name);
    } else if (f[0] == "layout") {
      EXPECT_EQ(to_string(layout::parse_any_layout(f[2])), f[1]);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 24);
  const KernelConfig c = cli::read_config("k", json);
  EXPECT_EQ(c.name, "a\"b\\c\n\x01");
  EXPECT_EQ(c.types, (std::array<std::string, 3>{"bf16", "bf16", "f32"}));
  EXPECT_EQ(c.accumulate, "f32");
  EXPECT_EQ(c.mma.atom_layout, "(_1,_1,_1)");
  EXPECT_EQ(c.mma.permutation, "");
  EXPECT_NO_THROW((void)build_kernel(c));
}

#ifdef TILELOOM_DESCRIBE_EXAMPLE
TEST(Describe, the_example_describes_the_committed_configuration) {
  const std::string folder = TILELOOM_SOURCE_DIR;
  const std::string file = testing::TempDir() + "described_" + std::to_string(::getpid()) + ".json";
  ASSERT_EQ(std::system(("'" TILELOOM_DESCRIBE_EXAMPLE "' > '" + file + "'").c_str()), 0);
  expect_same_kernel(cli::read_config_file(folder + "/examples/hgemm-128x256x32.json", {}),
                     cli::read_config_file(file, {}));
  for (const std::string verb : {"check", "trace", "trace --element A:0,9"}) {
    const std::string pipe = "'" TILELOOM_DESCRIBE_EXAMPLE "' | '" TILELOOM_PROGRAM "' " + verb + " - > /dev/null";
    EXPECT_EQ(std::system(pipe.c_str()), 0) << pipe;
  }
  std::filesystem::remove(file);
}
#endif

}  // namespace
}  // namespace tileloom::trace::test
