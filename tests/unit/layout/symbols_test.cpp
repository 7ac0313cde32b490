// SPDX-License-Identifier: Apache-2.0
// Symbols with known divisibility: text, substitution, and what can be said before the values are known.
#include "tileloom/layout/symbols.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tileloom::layout {
namespace {

std::string parse_error(const std::string& text) {
  const Result<SymbolicLayout> r = try_parse_symbolic_layout(text);
  return r.ok() ? "no error: " + to_string(r.value()) : r.error().what();
}
std::string substituted(const std::string& text, const SymbolValues& values) {
  const Result<Value> r = try_substitute(text, values);
  return r.ok() ? to_string(r.value()) : std::string("error: ") + r.error().what();
}

TEST(LayoutSymbols, read_and_print_back) {
  for (const std::string text :
       {"(M,K):(K{div=8},_1)", "(M,K):(_1,M{div=8})", "K{div=16}:_1", "(_8,(K{div=4},N)):(_1,(8,K{div=4}))", "4:_1",
        "(m_0,tile):(_1,x9)", "(_4,_8):(_1@0,_1@1)", "o:S"}) {
    EXPECT_EQ(to_string(parse_symbolic_layout(text)), text);
  }
  EXPECT_EQ(to_string(parse_symbolic_layout(" ( M , K ) : ( K { div = 8 } , _1 ) ")), "(M,K):(K{div=8},_1)");
  EXPECT_EQ(to_string(parse_symbolic_layout("K{div=1}:_1")), "K:_1");
  EXPECT_EQ(to_string(parse_symbolic_tree("(M,(_2,N{div=2}))")), "(M,(_2,N{div=2}))");
  EXPECT_EQ(to_string(parse_symbolic_tree("K{div=8}")), "K{div=8}");
}

TEST(LayoutSymbols, errors_point_at_the_column) {
  EXPECT_EQ(parse_error("(M,K):(K{div=0},_1)"), "column 14: the divisor of K is 0, expected at least 1");
  EXPECT_EQ(parse_error("(M,K):(K{mod=8},_1)"), "column 10: expected div=N, what divides K");
  EXPECT_EQ(parse_error("(M,K):(K{div=8,_1)"), "column 15: expected '}', found ','");
  EXPECT_EQ(parse_error("(M,K):(K{div=x},_1)"), "column 14: expected a digit, found 'x'");
  EXPECT_EQ(parse_error("(M,K):(K{div=99999999999999999999},_1)"), "column 14: the number does not fit in 64 bits");
  EXPECT_EQ(parse_error("(M,K):_1"), "column 1: layout (1,1):_1: shape and stride have different profiles");
  EXPECT_EQ(parse_error("(M,K{div=8})"), "'(M,K{div=8})' is a tuple, expected a layout, shape:stride");
  EXPECT_EQ(parse_error("coalesce(M:_1)"), "column 1: expected plain layout text, found a call of 'coalesce'");
  EXPECT_EQ(parse_error("(M,_K):(_1,M)"), "column 5: expected ',' or ')', found 'K'");
  EXPECT_EQ(try_evaluate("(M,K):(K,_1)").error().what(),
            std::string("column 2: expected an integer, '_' or '(', found 'M'"));
}

TEST(LayoutSymbols, substitution_gives_dynamic_integers) {
  const SymbolValues values = {{"M", 100}, {"N", 7}, {"K", 4096}};
  EXPECT_EQ(to_string(substitute(parse_symbolic_layout("(M,K):(K{div=8},_1)"), values)), "(100,4096):(4096,_1)");
  EXPECT_EQ(to_string(substitute(parse_symbolic_tree("(M,(_2,K))"), values)), "(100,(_2,4096))");
  EXPECT_EQ(substituted("logical_divide(K{div=8}:_1, _8)", values), "(_8,512):(_1,_8)");
  EXPECT_EQ(substituted("size((M,N):(N,_1))", values), "700");
  EXPECT_EQ(substituted("Sw<3,3,3> o _0 o (_8,K{div=64}):(K,_1)", values), "Sw<3,3,3> o _0 o (_8,4096):(4096,_1)");
  EXPECT_EQ(substituted("<M,_8>", values), "<100,_8>");
  EXPECT_EQ(substituted("smem_ptr[16b](unset) o (M,K):(K,_1)", values), "smem_ptr[16b](unset) o (100,4096):(4096,_1)");
}

TEST(LayoutSymbols, substitution_refuses_at_the_column) {
  EXPECT_EQ(substituted("(M,K):(K{div=8},_1)", {{"M", 1}}), "error: column 4: the symbol K has no value");
  EXPECT_EQ(substituted("(M,K):(K{div=8},_1)", {{"M", 1}, {"K", 4100}}),
            "error: column 8: K = 4100 is not a multiple of 8");
  EXPECT_EQ(substituted("(M,K):(K,_1)", {{"M", 0}, {"K", 8}}),
            "error: column 1: shape (0,8) has the size 0, expected at least 1");
  EXPECT_THROW((void)substitute(parse_symbolic_layout("K{div=8}:_1"), {{"K", 12}}), Error);
}

TEST(LayoutSymbols, divisibility_holds_for_a_symbol_everywhere) {
  const SymbolicLayout l = parse_symbolic_layout("(M,K{div=6},_4):(K{div=4},_1,_0)");
  const Divisibility d = divisibility(l);
  EXPECT_EQ(d.shape, (std::vector<std::int64_t>{1, 12, 4}));
  EXPECT_EQ(d.stride, (std::vector<std::int64_t>{12, 1, 0}));
  EXPECT_EQ(symbols_of(l), (std::vector<Symbol>{{"M", 1}, {"K", 12}}));
}

TEST(LayoutSymbols, alignment_is_the_widest_vector_that_all_values_allow) {
  const auto alignment = [](const std::string& text) { return max_alignment(parse_symbolic_layout(text)); };
  EXPECT_EQ(alignment("(M,K):(K{div=8},_1)"), 8);
  EXPECT_EQ(alignment("(M,K):(K,_1)"), 1);
  EXPECT_EQ(alignment("(M,K{div=8}):(ld{div=4},_1)"), 4);
  EXPECT_EQ(alignment("(M{div=16},K):(_1,M)"), 16);
  EXPECT_EQ(alignment("(_8,N):(_1,ld{div=2})"), 2);
  EXPECT_EQ(alignment("(_8,_4,N):(_1,_8,ld{div=64})"), 32);
  EXPECT_EQ(alignment("(N,_4):(_8,_1)"), 4);
  EXPECT_EQ(alignment("(M,N):(ld,_2)"), 1);
  EXPECT_EQ(alignment("(_4,N):(_1,_0)"), 4);
  EXPECT_EQ(alignment("(_1,K{div=8}):(_3,_1)"), 8);
  EXPECT_THROW((void)alignment("(M,K):(_1@0,_1@1)"), Error);
}

// Whatever the values, the vector that the symbols allow is allowed by the numbers.
TEST(LayoutSymbols, alignment_divides_that_of_every_substitution) {
  std::mt19937_64 random(1);
  const auto below = [&](std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random); };
  for (int i = 0; i < 5000; ++i) {
    const std::vector<std::string> names = {"A", "B", "C"};
    std::map<std::string, std::int64_t> divisor;
    SymbolValues values;
    for (const std::string& n : names) {
      divisor[n] = std::int64_t{1} << below(4);
      values[n] = divisor[n] * (1 + below(5));
    }
    const auto leaf = [&](bool stride) {
      const std::int64_t choice = below(stride ? 6 : 4);
      const std::string& n = names[static_cast<std::size_t>(below(3))];
      return choice < 2    ? n + "{div=" + std::to_string(divisor[n]) + "}"
             : choice == 4 ? "_1"
                           : (below(2) == 0 ? "_" : "") + std::to_string(std::int64_t{1} << below(4));
    };
    const std::string text = "(" + leaf(false) + "," + leaf(false) + "," + leaf(false) + "):(" + leaf(true) + "," +
                             leaf(true) + "," + leaf(true) + ")";
    const std::int64_t known = max_alignment(parse_symbolic_layout(text));
    const Layout l = substitute(parse_symbolic_layout(text), values);
    ASSERT_GE(known, 1) << text;
    ASSERT_EQ(max_alignment(l).value % known, 0) << text << " is " << to_string(l) << ", alignment " << known;
  }
}

}  // namespace
}  // namespace tileloom::layout
