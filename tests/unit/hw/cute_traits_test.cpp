// SPDX-License-Identifier: Apache-2.0
// Every entry of the table against CuTe's own traits, as printed text; and every atom of CuTe's headers in the table.
//
// Writes one C++ program that prints the traits of all entries, compiles it with the host compiler against the CUTLASS
// headers that the build uses, and compares line by line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "tileloom/hw/instructions.hpp"

namespace tileloom::hw {
namespace {

std::string register_bytes(const MmaOperand& o) {
  return o.holder == Holder::shared_descriptor ? "descriptor" : std::to_string((o.values * bits(o.type) + 7) / 8);
}

std::string type_name(ElementType type) {
  return std::string(name(type));
}

std::string cute_text(const MmaOperand& o) {
  return o.cute_tv.empty() ? to_string(o.tv) : o.cute_tv;
}

std::string line_of(const MmaAtom& x) {
  return x.name + " (_" + std::to_string(x.m) + ",_" + std::to_string(x.n) + ",_" + std::to_string(x.k) + ") " +
         to_string(x.thread_id) + " " + cute_text(x.a) + " " + cute_text(x.b) + " " + cute_text(x.c) + " " +
         type_name(x.d.type) + " " + type_name(x.a.type) + " " + type_name(x.b.type) + " " + type_name(x.c.type) + " " +
         register_bytes(x.a) + " " + register_bytes(x.b) + " " + register_bytes(x.c);
}

std::string line_of(const CopyAtom& x) {
  return x.name + " " + to_string(x.thread_id) + " " + to_string(x.source_bits) + " " + to_string(x.destination_bits) +
         " " + to_string(x.reference_bits);
}

// CuTe's C++ type of an entry: majors and signs of wgmma are template arguments.
std::string cpp_type(const std::string& name) {
  if (!name.starts_with("SM90_64x") || name.find("S32") != std::string::npos) return name;
  const bool has_majors = !name.ends_with("_TN");
  return name + (has_majors ? "<GMMA::Major::K,GMMA::Major::K>" : "<>");
}

constexpr const char* prologue = R"(#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm70.hpp>
#include <cute/atom/mma_traits_sm75.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/atom/copy_traits_sm75.hpp>
#include <cute/atom/copy_traits_sm80.hpp>
#include <cute/atom/copy_traits_sm90.hpp>
using namespace cute;
template <class T> struct Text { static constexpr const char* is = "another type"; };
#define TEXT(type, text) template <> struct Text<type> { static constexpr const char* is = text; };
TEXT(half_t, "f16") TEXT(bfloat16_t, "bf16") TEXT(tfloat32_t, "tf32") TEXT(float, "f32") TEXT(double, "f64")
TEXT(float_e4m3_t, "e4m3") TEXT(float_e5m2_t, "e5m2") TEXT(int8_t, "s8") TEXT(uint8_t, "u8") TEXT(int4b_t, "s4")
TEXT(uint4b_t, "u4") TEXT(int32_t, "s32") TEXT(uint1b_t, "b1")
template <class... L> void layouts(L... l) { ((printf(" "), print(l)), ...); }
template <class Registers, class Frg> void registers() {
  if constexpr (is_same_v<Frg, void>) printf(" %d", int(sizeof(Registers)));
  else printf(" descriptor");
}
template <class T, class = void> struct FrgA { using type = void; };
template <class T> struct FrgA<T, void_t<typename T::FrgTypeA>> { using type = typename T::FrgTypeA; };
template <class T, class = void> struct FrgB { using type = void; };
template <class T> struct FrgB<T, void_t<typename T::FrgTypeB>> { using type = typename T::FrgTypeB; };
template <class Op> void mma(const char* name) {
  using T = MMA_Traits<Op>;
  printf("%s", name);
  layouts(typename T::Shape_MNK{}, typename T::ThrID{}, typename T::ALayout{}, typename T::BLayout{}, typename T::CLayout{});
  printf(" %s %s %s %s", Text<typename T::ValTypeD>::is, Text<typename T::ValTypeA>::is, Text<typename T::ValTypeB>::is,
         Text<typename T::ValTypeC>::is);
  registers<typename Op::ARegisters, typename FrgA<T>::type>();
  registers<typename Op::BRegisters, typename FrgB<T>::type>();
  registers<typename Op::CRegisters, void>();
  printf("\n");
}
template <class Op> void copy_op(const char* name) {
  using T = Copy_Traits<Op>;
  printf("%s", name);
  layouts(typename T::ThrID{}, typename T::SrcLayout{}, typename T::DstLayout{}, typename T::RefLayout{});
  printf("\n");
}
)";

// Functions of a hundred calls each: one of a thousand takes the compiler much longer.
std::string program_text(std::vector<std::string>& expected) {
  std::string text = prologue;
  std::string calls;
  int count = 0;
  const auto call = [&](const std::string& function, const std::string& type, const std::string& name) {
    if (count % 100 == 0) text += (count > 0 ? "}\n" : "") + ("void part_" + std::to_string(count / 100)) + "() {\n";
    text += "  " + function + "<" + type + ">(\"" + name + "\");\n";
    if (count % 100 == 0) calls += "  part_" + std::to_string(count / 100) + "();\n";
    ++count;
  };
  for (const MmaAtom& x : mma_atoms()) {
    call("mma", cpp_type(x.name), x.name);
    expected.push_back(line_of(x));
  }
  for (const CopyAtom& x : copy_atoms()) {
    call("copy_op", x.name, x.name);
    expected.push_back(line_of(x));
  }
  return text + "}\nint main() {\n" + calls + "}\n";
}

TEST(CuteTraits, EveryEntryIsWhatCuteSays) {
  const auto directory = std::filesystem::temp_directory_path() / ("tileloom_traits_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const std::string source = directory / "traits.cpp";
  const std::string program = directory / "traits";
  const std::string output = directory / "output.txt";
  std::vector<std::string> expected;
  std::ofstream(source) << program_text(expected);
  const std::string compile = std::string(TILELOOM_CXX) +
                              " -std=c++17 -O0 -w -DCUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED -I'" TILELOOM_CUTLASS_INCLUDE
                              "' -I'" TILELOOM_CUDA_INCLUDE "' -I'" TILELOOM_CUDA_INCLUDE "/cccl' '" +
                              source + "' -o '" + program + "' 2> '" + output + "'";
  ASSERT_EQ(std::system(compile.c_str()), 0) << "CuTe lacks an atom of the table, see " << output;
  ASSERT_EQ(std::system(("'" + program + "' > '" + output + "'").c_str()), 0);
  std::ifstream in(output);
  std::size_t lines = 0;
  for (const std::string& line : expected) {
    std::string theirs;
    ASSERT_TRUE(std::getline(in, theirs)) << line;
    EXPECT_EQ(line, theirs);
    ++lines;
  }
  EXPECT_GT(lines, 1100U);
  if (!HasFailure()) std::filesystem::remove_all(directory);
}

std::set<std::string> names_in_headers(const std::vector<std::string>& headers, const char* traits) {
  std::set<std::string> names;
  for (const std::string& header : headers) {
    std::ifstream in(std::string(TILELOOM_CUTLASS_INCLUDE "/cute/atom/") + header);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    EXPECT_FALSE(text.empty()) << header;
    const std::regex specialization(std::string("struct ") + traits + R"(<\s*(SM\d+_\w+))");
    for (std::sregex_iterator at(text.begin(), text.end(), specialization), end; at != end; ++at) {
      names.insert((*at)[1]);
    }
  }
  return names;
}

// Left out: complex products, which are several instructions each; movmatrix, whose traits say nothing of what moves.
bool is_left_out(const std::string& name) {
  return name.find("C64") != std::string::npos || name.ends_with("_MOVM_T");
}

std::set<std::string> names_in_table() {
  std::set<std::string> names;
  for (const auto& all : {mma_names(), copy_names()}) {
    for (const std::string& name : all) {
      if (name.starts_with("SM")) names.insert(name.substr(0, name.find('<')));
    }
  }
  return names;
}

TEST(CuteTraits, NoAtomOfCuteIsMissing) {
  std::set<std::string> theirs =
      names_in_headers({"mma_traits_sm70.hpp", "mma_traits_sm75.hpp", "mma_traits_sm80.hpp", "mma_traits_sm89.hpp",
                        "mma_traits_sm90.hpp", "mma_traits_sm90_gmma.hpp", "mma_traits_sm90_gmma_ext.hpp"},
                       "MMA_Traits");
  theirs.merge(
      names_in_headers({"copy_traits_sm75.hpp", "copy_traits_sm80.hpp", "copy_traits_sm90.hpp"}, "Copy_Traits"));
  std::erase_if(theirs, is_left_out);
  EXPECT_GT(theirs.size(), 1100U);
  EXPECT_EQ(names_in_table(), theirs);
}

}  // namespace
}  // namespace tileloom::hw
