// SPDX-License-Identifier: Apache-2.0
// Verification accepts every right result and finds faults. Right results come from the instruction model, which is
// compared with hardware elsewhere; faults are put into operands, so that D is what a broken kernel would give.
#include "gemm/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gemm/accumulation.hpp"
#include "gemm/generate.hpp"
#include "gemm/half.hpp"
#include "support/reference_gemm.hpp"

namespace tileloom {
namespace {

using Bits = std::vector<std::uint16_t>;

constexpr std::uint16_t one = 0x3C00;
constexpr std::uint16_t f16_infinity = 0x7C00;
constexpr std::uint16_t f16_nan = 0x7FFF;
constexpr std::uint16_t sign = 0x8000;

struct Case {
  GemmProblem problem;
  hw::Arch arch = hw::sm_90;
  Bits a, b, d;

  void compute() {
    d.assign(static_cast<std::size_t>(problem.m * problem.ldd), f16_nan);
    test::reference_gemm(problem, arch, a.data(), b.data(), d.data());
  }
  [[nodiscard]] VerifyReport verify() const {
    return tileloom::verify(problem, arch, a.data(), b.data(), d.data(), {});
  }
  [[nodiscard]] std::uint16_t& a_at(std::int64_t i, std::int64_t j) {
    return a[static_cast<std::size_t>(i * problem.lda + j)];
  }
  [[nodiscard]] std::uint16_t& d_at(std::int64_t i, std::int64_t j) {
    return d[static_cast<std::size_t>(i * problem.ldd + j)];
  }
};

Case make_case(Distribution distribution, std::int64_t m, std::int64_t n, std::int64_t k, Accumulate accumulate,
               hw::Arch arch = hw::sm_90, std::uint64_t seed = 1) {
  Case c;
  c.problem = dense_problem(m, n, k, accumulate);
  c.arch = arch;
  c.a = generate(distribution, seed, 0, m * c.problem.lda);
  c.b = generate(distribution, seed, 1, n * c.problem.ldb);
  c.compute();
  return c;
}

struct Shape {
  std::int64_t m, n, k;
};
// tile - 1, tile, tile + 1, primes, ones, K around the instruction's 16 and its halves.
const std::vector<Shape> shapes{{1, 1, 1},    {1, 1, 8},     {2, 3, 5},     {7, 13, 17},   {16, 8, 16},
                                {17, 9, 15},  {31, 33, 64},  {64, 65, 100}, {127, 128, 9}, {128, 129, 1},
                                {129, 1, 33}, {1, 127, 333}, {65, 66, 250}};
const std::vector<hw::Arch> archs{hw::sm_80, hw::sm_89, hw::sm_90};
const std::vector<Accumulate> accumulates{Accumulate::f32, Accumulate::f16};

template <class Check>
void for_each_setting(const Check& check) {
  for (const Shape& shape : shapes) {
    for (const hw::Arch arch : archs) {
      for (const Accumulate accumulate : accumulates) {
        SCOPED_TRACE(to_string(dense_problem(shape.m, shape.n, shape.k, accumulate)) + ", " + to_string(arch));
        check(shape, arch, accumulate);
      }
    }
  }
}

// -- Right results are accepted ---------------------------------------------------------------------------------------

TEST(Verify, AcceptsWhatTensorCoresCompute) {
  for_each_setting([](const Shape& s, hw::Arch arch, Accumulate accumulate) {
    for (const Distribution distribution : {Distribution::normal, Distribution::uniform, Distribution::integers}) {
      const VerifyReport report = make_case(distribution, s.m, s.n, s.k, accumulate, arch).verify();
      EXPECT_EQ(report.wrong, 0);
      EXPECT_EQ(report.elements, s.m * s.n);
      EXPECT_LE(report.max_error, report.bound_at_max);
    }
  });
}

// Any bit pattern but NaN and infinity: exponents from the smallest subnormal to the largest number.
Bits wide_range(std::size_t count, std::uint64_t seed, int exponent_low, int exponent_high) {
  std::mt19937_64 random(seed);
  Bits bits(count);
  for (std::uint16_t& x : bits) {
    const auto exponent = static_cast<std::uint64_t>(exponent_low) +
                          random() % static_cast<std::uint64_t>(exponent_high - exponent_low + 1);
    x = static_cast<std::uint16_t>((random() & 0x83FFU) | exponent << 10U);
  }
  return bits;
}

struct Range {
  int low, high;  // biased exponents
};

TEST(Verify, AcceptsWideRangesAndSubnormals) {
  for (const Range range : {Range{0, 0}, Range{0, 3}, Range{0, 12}, Range{10, 20}, Range{0, 22}, Range{12, 30}}) {
    for_each_setting([&](const Shape& s, hw::Arch arch, Accumulate accumulate) {
      Case c = make_case(Distribution::normal, s.m, s.n, s.k, accumulate, arch);
      c.a = wide_range(c.a.size(), 5, range.low, range.high);
      c.b = wide_range(c.b.size(), 6, range.low, range.high);
      c.compute();
      const VerifyReport report = c.verify();
      EXPECT_EQ(report.wrong, 0) << (report.first ? to_string(*report.first) : "");
    });
  }
}

// Rows that cancel: the sum is small, what is added is large, so the cut-off bits are all that is left.
TEST(Verify, AcceptsCancellation) {
  for_each_setting([](const Shape& s, hw::Arch arch, Accumulate accumulate) {
    Case c = make_case(Distribution::normal, s.m, s.n, s.k, accumulate, arch);
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 1; j < s.k; j += 2) {
        c.a_at(i, j) = c.a_at(i, j - 1) ^ sign;
      }
    }
    for (std::size_t i = 0; i < c.b.size(); ++i) {
      c.b[i] = static_cast<std::uint16_t>(one + i % 2);
    }
    c.compute();
    EXPECT_EQ(c.verify().wrong, 0);
  });
}

// A subnormal shifts like a number of exponent -14. Two such products, which cancel, push the others off the grid: what
// the tensor core gives is 0, and right.
TEST(Verify, AcceptsWhatSubnormalsPushOffTheGrid) {
  for (const hw::Arch arch : archs) {
    Case c = make_case(Distribution::normal, 2, 2, 64, Accumulate::f32, arch);
    for (std::size_t i = 0; i < c.a.size(); ++i) {
      const bool pair = i % 8 < 2;
      c.a[i] = pair ? std::uint16_t{1} : half_from(0x1p-12);
      c.b[i] = pair ? half_from(i % 2 == 0 ? 32768.0 : -32768.0) : half_from(0.9 * 0x1p-12);
    }
    c.compute();
    EXPECT_EQ(c.d[0], 0);
    const VerifyReport report = c.verify();
    EXPECT_EQ(report.wrong, 0);
    EXPECT_GT(report.max_error, 0);
  }
}

TEST(Verify, ReadsOnlyInsideTheLeadingDimensions) {
  Case c;
  c.problem = {.m = 5, .n = 9, .k = 20, .lda = 23, .ldb = 31, .ldd = 12};
  c.a.assign(5 * 23, f16_nan);
  c.b.assign(9 * 31, f16_nan);
  const Bits values = generate(Distribution::normal, 4, 0, 14 * 20);
  for (std::size_t row = 0; row < 14; ++row) {
    for (std::size_t i = 0; i < 20; ++i) {
      (row < 5 ? c.a[row * 23 + i] : c.b[(row - 5) * 31 + i]) = values[row * 20 + i];
    }
  }
  c.compute();
  EXPECT_TRUE(c.verify().ok());
}

TEST(Verify, AnEmptyProductIsZeroAndNothingElse) {
  Case c = make_case(Distribution::normal, 3, 4, 0, Accumulate::f32);
  EXPECT_TRUE(c.verify().ok());
  c.d_at(2, 1) = 1;  // the smallest subnormal
  EXPECT_EQ(c.verify().wrong, 1);
  EXPECT_EQ(make_case(Distribution::normal, 0, 4, 3, Accumulate::f32).verify().elements, 0);
  EXPECT_EQ(make_case(Distribution::normal, 4, 0, 3, Accumulate::f32).verify().elements, 0);
}

// -- The bound is about as small as it can be -------------------------------------------------------------------------

TEST(Verify, OneProductHasNoErrorButTheRoundingToD) {
  // K = 1: the sum is exact up to f32's (f16's) own rounding, so D's neighbours are wrong.
  for (const Accumulate accumulate : accumulates) {
    Case c = make_case(Distribution::normal, 40, 40, 1, accumulate);
    for (std::size_t i = 0; i < c.d.size(); ++i) {
      c.d[i] = static_cast<std::uint16_t>(c.d[i] + (i % 2 == 0 ? 1 : -1));
    }
    EXPECT_EQ(c.verify().wrong, c.verify().elements);
  }
}

TEST(Verify, IntegersMustBeExact) {
  for (const Accumulate accumulate : accumulates) {
    Case c = make_case(Distribution::integers, 33, 34, 200, accumulate);
    EXPECT_TRUE(c.verify().exact);
    for (std::uint16_t& x : c.d) {
      x = static_cast<std::uint16_t>(x ^ 1U);  // the last bit of each
    }
    EXPECT_EQ(c.verify().wrong, c.verify().elements);
  }
}

TEST(Verify, IntegersThatOutgrowTheAccumulatorAreNotCalledExact) {
  Case c = make_case(Distribution::integers, 4, 4, 64, Accumulate::f16);
  c.a.assign(c.a.size(), half_from(33.0));
  c.b.assign(c.b.size(), half_from(1.0));
  c.compute();
  EXPECT_FALSE(c.verify().exact);  // the sum reaches 2112 > 2048
  EXPECT_TRUE(c.verify().ok());
  c.problem.accumulate = Accumulate::f32;
  c.compute();
  EXPECT_TRUE(c.verify().exact);
  EXPECT_TRUE(c.verify().ok());
}

// -- Faults are found -------------------------------------------------------------------------------------------------

// D of operands with a fault, judged against the operands without it. Integers: every change must be found.
std::int64_t elements_changed(const Case& right, const Case& faulty) {
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < right.d.size(); ++i) {
    changed += half_to_f64(right.d[i]) != half_to_f64(faulty.d[i]) ? 1 : 0;
  }
  return changed;
}

void expect_all_found(const Case& right, Case faulty) {
  faulty.compute();
  const std::int64_t changed = elements_changed(right, faulty);
  faulty.a = right.a;
  faulty.b = right.b;
  EXPECT_EQ(faulty.verify().wrong, changed);
}

TEST(Verify, FindsOneCorruptedElementAtEveryShape) {
  for_each_setting([](const Shape& s, hw::Arch arch, Accumulate accumulate) {
    const Case right = make_case(Distribution::integers, s.m, s.n, s.k, accumulate, arch);
    for (const std::int64_t j : {std::int64_t{0}, s.k / 2, s.k - 1}) {
      Case faulty = right;
      faulty.a_at(s.m / 2, j) = half_from(half_to_f64(faulty.a_at(s.m / 2, j)) + 1);
      expect_all_found(right, faulty);
    }
  });
}

TEST(Verify, FindsADroppedTailOfKAtEveryShape) {
  for_each_setting([](const Shape& s, hw::Arch arch, Accumulate accumulate) {
    const Case right = make_case(Distribution::integers, s.m, s.n, s.k, accumulate, arch);
    Case faulty = right;
    const std::int64_t tail = s.k % 16 == 0 ? 16 : s.k % 16;
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = s.k - std::min(tail, s.k); j < s.k; ++j) {
        faulty.a_at(i, j) = 0;
      }
    }
    expect_all_found(right, faulty);
  });
}

TEST(Verify, FindsTwoSwappedRowsAtEveryShape) {
  for_each_setting([](const Shape& s, hw::Arch arch, Accumulate accumulate) {
    const Case right = make_case(Distribution::integers, s.m, s.n, s.k, accumulate, arch);
    Case faulty = right;
    for (std::int64_t j = 0; j < s.k; ++j) {
      std::swap(faulty.a_at(0, j), faulty.a_at(s.m - 1, j));
    }
    expect_all_found(right, faulty);
  });
}

// Normal data: a fault in one operand element changes a whole row of D, and one of its elements is enough.
TEST(Verify, FindsTheFaultsInNormalDataToo) {
  for (const Accumulate accumulate : accumulates) {
    for (const hw::Arch arch : archs) {
      const Case right = make_case(Distribution::normal, 64, 65, 250, accumulate, arch);
      Case corrupted = right;
      corrupted.a_at(20, 100) = half_from(3.0 - half_to_f64(corrupted.a_at(20, 100)));
      Case dropped = right;
      Case swapped = right;
      for (std::int64_t i = 0; i < 64; ++i) {
        for (std::int64_t j = 240; j < 250; ++j) {
          dropped.a_at(i, j) = 0;
        }
      }
      for (std::int64_t j = 0; j < 250; ++j) {
        std::swap(swapped.a_at(0, j), swapped.a_at(63, j));
      }
      for (Case* faulty : {&corrupted, &dropped, &swapped}) {
        faulty->compute();
        faulty->a = right.a;
        EXPECT_GT(faulty->verify().wrong, 0) << to_string(accumulate) << ' ' << to_string(arch);
      }
    }
  }
}

TEST(Verify, ReportsTheFirstMismatchInRowMajorOrder) {
  Case c = make_case(Distribution::integers, 200, 70, 40, Accumulate::f32);
  for (const auto& [row, col] : {std::pair{150, 3}, {67, 69}, {67, 4}, {199, 0}}) {
    c.d_at(row, col) = half_from(half_to_f64(c.d_at(row, col)) + 1);
  }
  const VerifyReport report = c.verify();
  EXPECT_EQ(report.wrong, 4);
  EXPECT_EQ(report.first->row, 67);
  EXPECT_EQ(report.first->col, 4);
  EXPECT_EQ(report.first->value, report.first->expected + 1);
  EXPECT_EQ(report.max_error, 1);
  EXPECT_EQ(report.max_row, 67);
  EXPECT_EQ(report.max_col, 4);
}

TEST(Verify, ReportDoesNotDependOnTheNumberOfThreads) {
  Case c = make_case(Distribution::normal, 300, 41, 77, Accumulate::f32);
  c.d_at(280, 7) = f16_nan;
  c.d_at(90, 40) = one;
  const VerifyReport alone =
      verify(c.problem, c.arch, c.a.data(), c.b.data(), c.d.data(), {.host_threads = 1, .progress = {}});
  const VerifyReport many =
      verify(c.problem, c.arch, c.a.data(), c.b.data(), c.d.data(), {.host_threads = 7, .progress = {}});
  EXPECT_EQ(alone.wrong, many.wrong);
  EXPECT_EQ(to_string(*alone.first), to_string(*many.first));
  EXPECT_EQ(alone.max_error, many.max_error);
  EXPECT_EQ(alone.max_row, many.max_row);
  EXPECT_EQ(alone.max_col, many.max_col);
}

TEST(Verify, MismatchPrints) {
  EXPECT_EQ(to_string(Mismatch{3, 5, 1.5, 1.25, 0.0005}), "D(3,5) = 1.5, expected 1.25 within 0.0005");
  EXPECT_EQ(to_string(Mismatch{0, 1, 2, std::numeric_limits<double>::infinity(), 0}), "D(0,1) = 2, expected inf");
}

// -- NaN and infinities -----------------------------------------------------------------------------------------------

TEST(Verify, NanFailsWhereTheReferenceIsFinite) {
  for (const Accumulate accumulate : accumulates) {
    Case c = make_case(Distribution::normal, 5, 6, 40, accumulate);
    c.d_at(4, 5) = f16_nan;
    EXPECT_EQ(c.verify().wrong, 1);
    c.d_at(4, 5) = f16_infinity;
    EXPECT_EQ(c.verify().wrong, 1);
  }
}

TEST(Verify, NonFiniteInputsAskForTheSameClass) {
  for (const Accumulate accumulate : accumulates) {
    for (const hw::Arch arch : archs) {
      Case c = make_case(Distribution::normal, 6, 4, 40, accumulate, arch);
      c.b.assign(c.b.size(), one);
      c.a_at(0, 17) = f16_nan;
      c.a_at(1, 3) = f16_infinity;
      c.a_at(2, 39) = f16_infinity | sign;
      c.a_at(3, 2) = f16_infinity;  // the two in different instructions: infinity, then NaN
      c.a_at(3, 30) = f16_infinity | sign;
      c.compute();
      ASSERT_TRUE(c.verify().ok());
      for (const std::uint16_t other : {f16_nan, f16_infinity, std::uint16_t(f16_infinity | sign), one}) {
        for (std::int64_t row = 0; row < 4; ++row) {
          Case changed = c;
          changed.d_at(row, 1) = other;
          const bool same = half_to_f64(other) == half_to_f64(c.d_at(row, 1)) ||
                            (std::isnan(half_to_f64(other)) && std::isnan(half_to_f64(c.d_at(row, 1))));
          EXPECT_EQ(changed.verify().ok(), same) << row << ' ' << other;
        }
      }
    }
  }
}

TEST(Verify, OverflowOfDFollowsRoundingToNearest) {
  // 65519.99 rounds to 65504, 65520 to infinity: the sum is exact, so exactly one of the two is right.
  for (const double sum : {65504.0, 65512.0, 65516.0, 65520.0, 65536.0}) {
    Case c = make_case(Distribution::integers, 1, 1, 4, Accumulate::f32);
    c.a = {half_from(65504.0), half_from(sum - 65504.0), 0, 0};
    c.b = {one, one, one, one};
    c.compute();
    EXPECT_TRUE(c.verify().ok()) << sum;
    EXPECT_EQ(c.d[0] == f16_infinity, sum >= 65520) << sum;
    c.d[0] = c.d[0] == f16_infinity ? std::uint16_t{0x7BFF} : f16_infinity;
    EXPECT_FALSE(c.verify().ok()) << sum;
  }
}

TEST(Verify, AnF16SumThatOverflowsOnTheWayStaysInfinite) {
  Case c = make_case(Distribution::normal, 2, 1, 64, Accumulate::f16);
  c.b.assign(c.b.size(), one);
  c.a.assign(c.a.size(), half_from(8192.0));
  for (std::int64_t j = 32; j < 64; ++j) {
    c.a_at(0, j) = half_from(-8192.0);  // the exact sum of row 0 is 0, that of row 1 524288
    c.a_at(1, j) = half_from(8192.0);
  }
  c.compute();
  EXPECT_EQ(c.d[0], f16_infinity);
  EXPECT_TRUE(c.verify().ok());
  c.d[0] = 0;  // what exact arithmetic gives is wrong here
  EXPECT_FALSE(c.verify().ok());
  c.problem.accumulate = Accumulate::f32;
  EXPECT_FALSE(c.verify().wrong == 0 && c.d[0] == f16_infinity);
  c.compute();
  EXPECT_EQ(c.d[0], 0);
  EXPECT_TRUE(c.verify().ok());
}

// -- The fast path agrees with the definition -------------------------------------------------------------------------

TEST(Verify, FastPathAgreesWithTheStepwiseDefinition) {
  for (const Accumulate accumulate : accumulates) {
    for (const hw::Arch arch : archs) {
      const gemm::StepModel model = gemm::step_model(hw::mma_numerics_k16(arch), accumulate);
      Case c = make_case(Distribution::normal, 12, 12, 150, accumulate, arch);
      for (std::int64_t i = 0; i < 12; ++i) {
        for (std::int64_t j = 0; j < 12; ++j) {
          const gemm::Allowed allowed = gemm::allowed_values(model, 150, &c.a[static_cast<std::size_t>(i * 150)],
                                                             &c.b[static_cast<std::size_t>(j * 150)]);
          // Values well inside and well outside of the interval get the same verdict from both.
          const double middle = (allowed.low + allowed.high) / 2;
          const double width = std::max(allowed.high - allowed.low, std::abs(middle) * 0x1p-10);
          for (const double factor : {0.0, 0.3, -0.3, 1.5, -1.5}) {
            Case changed = c;
            changed.d_at(i, j) = half_from(middle + factor * width);
            EXPECT_EQ(changed.verify().ok(), allowed.contains(half_to_f64(changed.d_at(i, j))))
                << i << ' ' << j << ' ' << factor;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tileloom
