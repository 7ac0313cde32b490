// SPDX-License-Identifier: Apache-2.0
// The order of MMAs that gemm_walk gives is that in which CuTe's own cute::gemm issues them: instructions that only
// write down whose operands they got, run on the host.
#include <gtest/gtest.h>

#include <sstream>

#include "support/cute_program.hpp"
#include "tileloom/trace/gemm_walk.hpp"

namespace tileloom::trace::laws {
namespace {

// Fragments hold their number: m in A, n in B.
constexpr const char* prologue = R"(#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
using namespace cute;
static int low(uint32_t x) { return x & 0xffff; }
static int low(double x) { return int(x); }
static int low(float x) { return int(x); }
template <class A, class B> void note(A a, B b) { printf("%d %d ", low(a), low(b)); }

struct Wide : SM80_16x8x16_F16F16F16F16_TN {  // 16 bytes of A, 8 of B
  static void fma(uint32_t&, uint32_t&, uint32_t const& a, uint32_t const&, uint32_t const&, uint32_t const&,
                  uint32_t const& b, uint32_t const&, uint32_t const&, uint32_t const&) { note(a, b); }
};
struct Short : SM80_16x8x8_F16F16F16F16_TN {  // 8 and 4
  static void fma(uint32_t&, uint32_t&, uint32_t const& a, uint32_t const&, uint32_t const& b, uint32_t const&,
                  uint32_t const&) { note(a, b); }
};
struct Double : SM80_8x8x4_F64F64F64F64_TN {  // 8 and 8
  static void fma(double&, double&, double const& a, double const& b, double const&, double const&) { note(a, b); }
};
struct Scalar : UniversalFMA<float, float, float, float> {  // 4 and 4
  static void fma(float&, float const& a, float const& b, float const&) { note(a, b); }
};
namespace cute {
template <> struct MMA_Traits<Wide> : MMA_Traits<SM80_16x8x16_F16F16F16F16_TN> {};
template <> struct MMA_Traits<Short> : MMA_Traits<SM80_16x8x8_F16F16F16F16_TN> {};
template <> struct MMA_Traits<Double> : MMA_Traits<SM80_8x8x4_F64F64F64F64_TN> {};
template <> struct MMA_Traits<Scalar> : MMA_Traits<UniversalFMA<float, float, float, float>> {};
}
template <class T> T numbered(int i) { return T(i); }
template <> half_t numbered<half_t>(int i) { return half_t::bitcast(uint16_t(i)); }

template <class Op, int M, int N> void walk() {
  MMA_Atom<Op> mma;
  using Atom = MMA_Atom<Op>;
  auto v = [](auto tv) { return size<1>(tv); };
  auto a = make_tensor<typename Atom::ValTypeA>(make_shape(v(typename Atom::LayoutA_TV{}), Int<M>{}));
  auto b = make_tensor<typename Atom::ValTypeB>(make_shape(v(typename Atom::LayoutB_TV{}), Int<N>{}));
  auto c = make_tensor<typename Atom::ValTypeC>(make_shape(v(typename Atom::LayoutC_TV{}), Int<M>{}, Int<N>{}));
  for (int m = 0; m < M; ++m) for (int i = 0; i < size<0>(a); ++i) a(i, m) = numbered<typename Atom::ValTypeA>(m);
  for (int n = 0; n < N; ++n) for (int i = 0; i < size<0>(b); ++i) b(i, n) = numbered<typename Atom::ValTypeB>(n);
  printf("%d %d ", int(size<0>(a) * sizeof(typename Atom::ValTypeA)), int(size<0>(b) * sizeof(typename Atom::ValTypeB)));
  cute::gemm(mma, c, a, b, c);
  printf("\n");
}
)";

TEST(CuteWalk, gemm_issues_its_mmas_in_this_order) {
  const std::array<std::pair<int, int>, 4> grids{{{4, 8}, {3, 5}, {1, 4}, {5, 2}}};
  std::string program = prologue;
  program += "int main() {\n";
  for (const char* op : {"Wide", "Short", "Double", "Scalar"}) {
    for (const auto& [m, n] : grids) {
      program += std::string("  walk<") + op + ", " + std::to_string(m) + ", " + std::to_string(n) + ">();\n";
    }
  }
  const std::vector<std::string> lines = tileloom::test::run_cute_program(program + "}\n");
  ASSERT_EQ(lines.size(), 4 * grids.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::istringstream line(lines[i]);
    int a_bytes = 0;
    int b_bytes = 0;
    line >> a_bytes >> b_bytes;
    const auto& [m, n] = grids.at(i % grids.size());
    const GemmWalk walk = gemm_walk(m, n, a_bytes, b_bytes);
    std::vector<GemmStep> found;
    for (GemmStep s; line >> s.m >> s.n;) {
      found.push_back(s);
    }
    EXPECT_EQ(found.size(), walk.steps.size());
    EXPECT_TRUE(found == walk.steps) << lines[i];
  }
}

}  // namespace
}  // namespace tileloom::trace::laws
