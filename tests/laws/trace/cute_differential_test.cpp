// SPDX-License-Identifier: Apache-2.0
// Random tiled MMAs and tiled copies, described here and by CuTe's own headers: the same text.
//
// Each run draws a fresh seed (TILELOOM_SEED repeats one) and compiles one C++ program with all cases that the library
// accepts; CuTe's copy() is instantiated for each, so that its vectorization checks count. Set
// TILELOOM_DIFFERENTIAL_CASES for another number of cases.
#include <gtest/gtest.h>

#include <sstream>

#include "laws/trace/generator.hpp"
#include "support/cute_program.hpp"
#include "tileloom/trace/query.hpp"

namespace tileloom::trace::laws {
namespace {

using tileloom::test::cpp;

std::string cpp_any(const AnyLayout& l) {
  const auto* swizzled = std::get_if<layout::ComposedLayout>(&l);
  if (swizzled == nullptr) {
    return cpp(std::get<Layout>(l));
  }
  const layout::Swizzle& s = swizzled->swizzle();
  return "cute::make_composed_layout(cute::Swizzle<" + std::to_string(s.bits()) + "," + std::to_string(s.base()) + "," +
         std::to_string(s.shift()) + ">{}, cute::Int<0>{}, " + cpp(swizzled->layout()) + ")";
}

std::string cpp_tiler(const layout::Tiler& tiler) {
  std::string s;
  for (const layout::Tiler& mode : tiler.modes()) {
    s += (s.empty() ? "" : ", ") + (mode.is_layout() ? cpp(mode.layout()) : cpp(Tree(mode.leaf())));
  }
  return "cute::make_tile(" + s + ")";
}

// CuTe's side of an Answer: the same keys in the same order.
constexpr const char* prologue = R"(#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm90.hpp>
#include <cute/atom/copy_traits_sm75.hpp>
#include <cute/atom/copy_traits_sm80.hpp>
#include <cute/atom/copy_traits_sm90.hpp>
using namespace cute;
template <class X> void line(const std::string& key, X const& x) { printf("%s ", key.c_str()); print(x); printf("\n"); }
template <class F> void for_threads(int n, F f) { for (int t : {0, 5, 17, 30}) if (t < n) f(t, std::to_string(t)); }
template <class T, class L> auto shared(L l) { return make_tensor(make_smem_ptr((T*)nullptr), l); }
template <class T, class L> auto global(L l) { return make_tensor(make_gmem_ptr((T*)nullptr), l); }

template <class Mma, class A, class B, class C> void describe(Mma mma, A a, B b, C c) {
  auto A_ = shared<typename Mma::ValTypeA>(a);
  auto B_ = shared<typename Mma::ValTypeB>(b);
  auto C_ = global<typename Mma::ValTypeC>(c);
  line("threads", size(mma));
  line("thr_layout_vmnk", mma.get_thr_layout_vmnk());
  line("tile_size", make_shape(tile_size<0>(mma), tile_size<1>(mma), tile_size<2>(mma)));
  line("layoutA_TV", mma.get_layoutA_TV());
  line("layoutB_TV", mma.get_layoutB_TV());
  line("layoutC_TV", mma.get_layoutC_TV());
  for_threads(size(mma), [&](int t, std::string n) {
    auto thr = mma.get_slice(t);
    line("partition_A@" + n, thr.partition_A(A_).layout());
    line("partition_B@" + n, thr.partition_B(B_).layout());
    line("partition_C@" + n, thr.partition_C(C_).layout());
  });
  auto thr = mma.get_slice(0);
  line("fragment_A", thr.partition_fragment_A(A_).layout());
  line("fragment_B", thr.partition_fragment_B(B_).layout());
  line("fragment_C", thr.partition_fragment_C(C_).layout());
}
template <class Copy> void describe_copy(Copy copy) {
  line("tiled_copy_TV", typename Copy::TiledLayout_TV{});
  line("tiler", typename Copy::Tiler_MN{});
  line("layoutS_TV", copy.get_layoutS_TV());
  line("layoutD_TV", copy.get_layoutD_TV());
}
// Of most: a few retiled fragments make another number of instructions than the tensor, and cute::copy refuses them.
template <class Copy, class S, class D> void instantiate_copy(Copy copy, S const& from, D& to, bool never) {
  if constexpr (decltype(size(from) / size<0>(from) == size(to) / size<0>(to))::value) {
    if (never) cute::copy(copy, from, to);
  }
}
template <class Copy, class T, class F> void load(Copy copy, T tensor, F fragment, bool never) {
  describe_copy(copy);
  for_threads(size(copy), [&](int t, std::string n) { line("partition_S@" + n, copy.get_slice(t).partition_S(tensor).layout()); });
  auto registers = copy.get_slice(0).retile_D(fragment);
  line("retile_D", registers.layout());
  instantiate_copy(copy, copy.get_slice(0).partition_S(tensor), registers, never);
}
template <class Copy, class T, class F> void store(Copy copy, T tensor, F fragment, bool never) {
  describe_copy(copy);
  for_threads(size(copy), [&](int t, std::string n) { line("partition_D@" + n, copy.get_slice(t).partition_D(tensor).layout()); });
  auto registers = copy.get_slice(0).retile_S(fragment);
  line("retile_S", registers.layout());
  auto there = copy.get_slice(0).partition_D(tensor);
  instantiate_copy(copy, registers, there, never);
}
template <class Copy, class T> void move(Copy copy, T tensor) {
  describe_copy(copy);
  for_threads(size(copy), [&](int t, std::string n) {
    line("partition_S@" + n, copy.get_slice(t).partition_S(tensor).layout());
    line("partition_D@" + n, copy.get_slice(t).partition_D(tensor).layout());
  });
}
)";

struct Case {
  std::string what;
  std::string body;  // C++ statements
  Answer expected;
};

Query query_of(const Configuration& c, const std::string& query, const std::string& copy_atom) {
  Query q;
  q.atom = c.atom;
  q.atom_layout = to_string(c.atom_layout);
  q.permutation = c.permutation;
  q.tile = c.tile;
  q.a = c.tensors[0];
  q.b = c.tensors[1];
  q.c = c.tensors[2];
  q.query = query;
  q.copy_atom = copy_atom;
  return q;
}

std::string cpp_mma(const Configuration& c) {
  return "auto mma = make_tiled_mma(MMA_Atom<" + c.atom + ">{}, " + cpp(c.atom_layout) + ", " +
         cpp_tiler(layout::parse_tiler(c.permutation)) + "); using Mma = decltype(mma);";
}

Case mma_case(const Configuration& c) {
  return {c.text(),
          cpp_mma(c) + " describe(mma, " + cpp_any(c.tensor(Operand::a)) + ", " + cpp_any(c.tensor(Operand::b)) + ", " +
              cpp_any(c.tensor(Operand::c)) + ");",
          answer(query_of(c, "tiled_mma", ""), Semantics::cute)};
}

// Loads by ldmatrix or plainly, plain stores.
Case copy_case(Generator& g, const Configuration& c) {
  std::vector<const hw::CopyAtom*> atoms;
  for (const hw::CopyAtom& a : hw::copy_atoms()) {
    if (a.kind == hw::CopyKind::ldmatrix || a.kind == hw::CopyKind::universal) {
      atoms.push_back(&a);
    }
  }
  const Operand o = std::array{Operand::a, Operand::b, Operand::c}[static_cast<std::size_t>(g.below(3))];
  const hw::CopyAtom& atom = *g.one_of(atoms);
  if (o == Operand::c && atom.kind == hw::CopyKind::ldmatrix) {
    throw Error(ErrorKind::bad_input, "ldmatrix does not store");
  }
  const std::string letter_of(1, letter(o));
  const std::string type = "typename Mma::ValType" + letter_of;
  const std::string tensor = (o == Operand::c ? "global<" : "shared<") + type + ">(" + cpp_any(c.tensor(o)) + ")";
  return {atom.name + " " + letter_of + " of " + c.text(),
          cpp_mma(c) + " auto tensor = " + tensor + "; " + (o == Operand::c ? "store" : "load") + "(make_tiled_copy_" +
              letter_of + "(Copy_Atom<" + atom.name + ", " + type + ">{}, mma), tensor, " +
              "mma.get_slice(0).partition_fragment_" + letter_of + "(tensor), argc > 1);",
          answer(query_of(c, "tiled_copy_" + letter_of, atom.name), Semantics::cute)};
}

Case plain_copy_case(Generator& g) {
  const std::int64_t rows = std::int64_t{4} << g.below(3);
  const std::int64_t columns = std::int64_t{1} << g.below(4);
  const std::int64_t width = std::int64_t{1} << g.below(4);
  const auto pair = [](std::int64_t a, std::int64_t b) {
    return Tree::tuple({Int::make_static(a), Int::make_static(b)});
  };
  const Layout threads = make_layout(pair(rows, columns), g.below(2) == 0 ? layout::Major::left : layout::Major::right);
  const Layout values = make_layout(pair(1, width));
  const Layout tensor = make_layout(pair(2 * rows, 4 * columns * width), layout::Major::right);
  const std::string atom = "UniversalCopy<uint" + std::to_string(16 * width) + "_t>";
  const TiledCopy copy = make_tiled_copy(hw::copy_atom(atom), 16, threads, values, Semantics::cute);
  Case c;
  c.what = atom + " " + to_string(threads) + " " + to_string(values);
  c.body = "move(make_tiled_copy(Copy_Atom<" + atom + ", half_t>{}, " + cpp(threads) + ", " + cpp(values) +
           "), global<half_t>(" + cpp(tensor) + "));";
  c.expected = {{"tiled_copy_TV", to_string(copy.layout_tv())},
                {"tiler", to_string(copy.tiler())},
                {"layoutS_TV", to_string(copy.layout_tv(End::source))},
                {"layoutD_TV", to_string(copy.layout_tv(End::destination))}};
  for (const int t : {0, 5, 17, 30}) {
    if (t < rows * columns) {
      const std::string n = "@" + std::to_string(t);
      c.expected.emplace_back("partition_S" + n, to_string(copy.partition_source(tensor, thread(t)).layout));
      c.expected.emplace_back("partition_D" + n, to_string(copy.partition_destination(tensor, thread(t)).layout));
    }
  }
  return c;
}

std::vector<Case> random_cases(Generator& g, std::size_t count) {
  std::vector<Case> cases;
  while (cases.size() < count) {
    const Configuration c = g.configuration();
    try {
      switch (cases.size() % 4) {
        case 0:
          cases.push_back(mma_case(c));
          break;
        case 3:
          cases.push_back(plain_copy_case(g));
          break;
        default:
          cases.push_back(copy_case(g, c));
      }
    } catch (const Error&) {
      continue;  // refused, as not every copy goes with every MMA
    }
  }
  return cases;
}

std::string line_of(const std::string& key, const std::string& text) {
  std::string line = key;
  line += ' ';
  return line += text;
}

TEST(CuteDifferential, random_tiled_mmas_and_copies_print_the_same_text) {
  const std::uint64_t s = seed(std::random_device{}());
  RecordProperty("seed", std::to_string(s));
  SCOPED_TRACE("TILELOOM_SEED=" + std::to_string(s));
  const char* wanted = std::getenv("TILELOOM_DIFFERENTIAL_CASES");
  Generator g(s);
  const std::vector<Case> cases = random_cases(g, wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 12);
  std::string program = prologue;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    program += "void case";
    program += std::to_string(i) + "(int argc) { ";
    program += cases[i].body;
    program += " }\n";
  }
  program += "int main(int argc, char**) {\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    program += "  case";
    program += std::to_string(i) + "(argc);\n";
  }
  const std::vector<std::string> lines = tileloom::test::run_cute_program(program + "}\n");
  std::size_t at = 0;
  for (const Case& c : cases) {
    for (const auto& [key, text] : c.expected) {
      ASSERT_LT(at, lines.size());
      EXPECT_EQ(line_of(key, text), lines[at++]) << c.what;
    }
  }
  EXPECT_EQ(at, lines.size());
}

}  // namespace
}  // namespace tileloom::trace::laws
