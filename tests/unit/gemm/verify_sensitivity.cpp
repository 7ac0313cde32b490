// SPDX-License-Identifier: Apache-2.0
// How far verification can see with normal data: prints the table of docs/verification.md. Not a test.
//
// Each row of A is one trial. A fault is put into A, D is computed from it as an sm_90 kernel would, and verified
// against the right A; a fault is seen when any of the row's n elements of D is outside of its bound.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "gemm/generate.hpp"
#include "gemm/verify.hpp"
#include "support/reference_gemm.hpp"

namespace {

using namespace tileloom;

constexpr std::int64_t trials = 64;
constexpr std::int64_t columns = 128;

int rows_seen(const GemmProblem& p, const std::vector<std::uint16_t>& right, const std::vector<std::uint16_t>& faulty,
              const std::vector<std::uint16_t>& b) {
  std::vector<std::uint16_t> d(static_cast<std::size_t>(p.m * p.n));
  test::reference_gemm(p, hw::sm_90, faulty.data(), b.data(), d.data());
  GemmProblem row = p;
  row.m = 1;
  int seen = 0;
  for (std::int64_t i = 0; i < p.m; ++i) {
    seen += verify(row, hw::sm_90, &right[static_cast<std::size_t>(i * p.k)], b.data(),
                   &d[static_cast<std::size_t>(i * p.n)])
                    .ok()
                ? 0
                : 1;
  }
  return seen;
}

void print_row(std::int64_t k) {
  std::printf("| %8lld |", static_cast<long long>(k));
  for (const Accumulate accumulate : {Accumulate::f32, Accumulate::f16}) {
    const GemmProblem p = dense_problem(trials, columns, k, accumulate);
    const std::vector<std::uint16_t> a = generate(Distribution::normal, 1, 0, trials * k);
    const std::vector<std::uint16_t> b = generate(Distribution::normal, 1, 1, columns * k);
    const std::vector<std::uint16_t> fresh = generate(Distribution::normal, 2, 0, trials);
    std::vector<std::uint16_t> corrupted = a;
    std::vector<std::uint16_t> dropped = a;
    std::mt19937_64 random(static_cast<std::uint64_t>(k));
    for (std::int64_t i = 0; i < trials; ++i) {
      const auto at = i * k + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(k));
      corrupted[static_cast<std::size_t>(at)] = fresh[static_cast<std::size_t>(i)];
      dropped[static_cast<std::size_t>(i * k + k - 1)] = 0;
    }
    std::printf(" %3.0f %% | %3.0f %% |", 100.0 * rows_seen(p, a, corrupted, b) / trials,
                100.0 * rows_seen(p, a, dropped, b) / trials);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t largest = argc > 1 ? std::atoll(argv[1]) : 65536;
  std::printf(
      "| K | f32: one element replaced | f32: last of K dropped | f16: one element replaced | f16: last of K "
      "dropped |\n| ---: | ---: | ---: | ---: | ---: |\n");
  for (std::int64_t k = 64; k <= largest; k *= 2) {
    print_row(k);
  }
  return 0;
}
