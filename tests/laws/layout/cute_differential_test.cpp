// SPDX-License-Identifier: Apache-2.0
// Random cases, evaluated here and by CuTe's own headers: the same text.
//
// Each run draws a fresh seed (TILELOOM_SEED repeats one), writes one C++ program with the cases that the engine
// accepts, compiles it with the host compiler against the CUTLASS headers that the build uses, and compares the
// output line by line. TILELOOM_DIFFERENTIAL_CASES sets the number of cases.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "laws/layout/oracle.hpp"

namespace tileloom::layout::laws {
namespace {

std::string cpp(TreeRef t) {
  if (t.is_leaf()) {
    const Int& x = t.leaf();
    if (x.is_any()) {
      return "cute::_";
    }
    const std::string v = std::to_string(x.value);
    return x.is_static() ? "cute::Int<" + v + ">{}" : "int(" + v + ")";
  }
  std::string s;
  for (const TreeRef child : t) {
    s += (s.empty() ? "" : ", ") + cpp(child);
  }
  return "cute::make_tuple(" + s + ")";
}

std::string cpp(const Layout& l) {
  return "cute::make_layout(" + cpp(l.shape()) + ", " + cpp(l.stride()) + ")";
}

struct Case {
  std::string ours;    // expression text
  std::string theirs;  // C++ expression
};

Case call_of(const std::string& op, const std::vector<std::string>& ours, const std::vector<std::string>& theirs,
             const std::string& name = {}) {
  const auto join = [](const std::vector<std::string>& v) {
    std::string s;
    for (const std::string& x : v) {
      s += (s.empty() ? "" : ", ") + x;
    }
    return s;
  };
  return {op + "(" + join(ours) + ")", "cute::" + (name.empty() ? op : name) + "(" + join(theirs) + ")"};
}

Case random_case(Generator& g) {
  static const std::vector<std::string> unary = {
      "coalesce",  "filter",           "filter_zeros",       "flatten",    "right_inverse", "left_inverse",
      "nullspace", "make_layout_like", "make_fragment_like", "complement", "coshape",       "max_alignment"};
  static const std::vector<std::string> binary = {"composition",     "logical_divide",    "logical_product",
                                                  "blocked_product", "raked_product",     "max_common_layout",
                                                  "composition",     "max_common_vector", "tiled_product"};
  g.choose_kind();
  const Layout a = g.layout(256);
  const Layout b = g.layout(64, 3);
  const Tree n(g.number(1 + g.below(256)));
  switch (g.below(7)) {
    case 0:
    case 1: {
      const std::string& op = unary[static_cast<std::size_t>(g.below(static_cast<std::int64_t>(unary.size())))];
      return call_of(op, {to_string(a)}, {cpp(a)});
    }
    case 2:
    case 3: {
      const std::string& op = binary[static_cast<std::size_t>(g.below(static_cast<std::int64_t>(binary.size())))];
      return call_of(op, {to_string(a), to_string(b)}, {cpp(a), cpp(b)});
    }
    case 4:
      return call_of("complement", {to_string(a), to_string(n)}, {cpp(a), cpp(n)});
    case 5: {
      const std::string factor = std::to_string(std::int64_t{1} << g.below(4));
      const std::string op = g.below(2) == 0 ? "upcast" : "downcast";
      return call_of(op, {to_string(a), factor}, {cpp(a)}, op + "<" + factor + ">");
    }
    default: {
      // A swizzled tile with one row fixed, which may or may not decay to a plain layout.
      const int bits = 1 + static_cast<int>(g.below(3));
      const int base = static_cast<int>(g.below(4));
      const std::int64_t rows = std::int64_t{1} << (2 + g.below(3));
      const std::int64_t columns = std::int64_t{1} << (3 + g.below(4));
      const Layout l = make_layout(Tree::tuple({Int::make_static(rows), Int::make_static(columns)}),
                                   g.below(2) == 0 ? Major::left : Major::right);
      const Tree coord = Tree::tuple({g.number(g.below(rows)), Int::make_any()});
      const std::string sw = std::to_string(bits) + "," + std::to_string(base) + ",3>";
      return {"slice(" + to_string(coord) + ", Sw<" + sw + " o _0 o " + to_string(l) + ")",
              "cute::slice(" + cpp(coord) + ", cute::composition(cute::Swizzle<" + sw + "{}, " + cpp(l) + "))"};
    }
  }
}

std::uint64_t seed() {
  if (const char* text = std::getenv("TILELOOM_SEED")) {
    return std::strtoull(text, nullptr, 10);
  }
  return std::random_device{}();
}

std::size_t wanted_cases() {
  const char* text = std::getenv("TILELOOM_DIFFERENTIAL_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 40;
}

TEST(CuteDifferential, random_cases_print_the_same_text) {
  const std::uint64_t s = seed();
  RecordProperty("seed", std::to_string(s));
  SCOPED_TRACE("TILELOOM_SEED=" + std::to_string(s));
  Generator g(s);
  std::vector<Case> cases;
  std::vector<std::string> expected;
  while (cases.size() < wanted_cases()) {
    const Case c = random_case(g);
    const Result<Value> value = try_evaluate(c.ours, Semantics::cute);
    if (value.ok()) {
      cases.push_back(c);
      expected.push_back(to_string(value.value()));
    }
  }
  const auto directory = std::filesystem::temp_directory_path() / ("tileloom_differential_" + std::to_string(s));
  std::filesystem::create_directories(directory);
  const std::string source = directory / "cases.cpp";
  const std::string program = directory / "cases";
  const std::string output = directory / "output.txt";
  {
    std::ofstream out(source);
    out << "#include <cute/tensor.hpp>\nint main() {\n";
    for (const Case& c : cases) {
      out << "  cute::print(" << c.theirs << "); printf(\"\\n\");\n";
    }
    out << "}\n";
  }
  const std::string compile = std::string(TILELOOM_CXX) +
                              " -std=c++17 -O0 -w -I'" TILELOOM_CUTLASS_INCLUDE "' -I'" TILELOOM_CUDA_INCLUDE
                              "' -I'" TILELOOM_CUDA_INCLUDE "/cccl' '" +
                              source + "' -o '" + program + "' 2> '" + output + "'";
  ASSERT_EQ(std::system(compile.c_str()), 0) << "CuTe refuses a case that the engine accepts, see " << output;
  ASSERT_EQ(std::system(("'" + program + "' > '" + output + "'").c_str()), 0);
  std::ifstream in(output);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(expected[i], line) << cases[i].ours;
  }
  if (!HasFailure()) {
    std::filesystem::remove_all(directory);
  }
}

}  // namespace
}  // namespace tileloom::layout::laws
