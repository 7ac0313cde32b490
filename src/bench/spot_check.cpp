// SPDX-License-Identifier: Apache-2.0
#include "bench/spot_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace tileloom::bench {
namespace {

constexpr std::int64_t band = 64;
constexpr double full_check_products = 0x1p30;  // up to here every element is computed again

std::vector<std::uint16_t> gather_rows(const std::uint16_t* from, std::int64_t ld, std::int64_t cols,
                                       const std::vector<std::int64_t>& rows) {
  std::vector<std::uint16_t> gathered(rows.size() * static_cast<std::size_t>(cols));
  auto to = gathered.begin();
  for (const std::int64_t row : rows) {
    to = std::copy_n(from + row * ld, cols, to);
  }
  return gathered;
}

std::vector<std::uint16_t> gather(const std::vector<std::uint16_t>& d, std::int64_t ld,
                                  const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& cols) {
  std::vector<std::uint16_t> gathered;
  gathered.reserve(rows.size() * cols.size());
  for (const std::int64_t row : rows) {
    for (const std::int64_t col : cols) {
      gathered.push_back(d[static_cast<std::size_t>(row * ld + col)]);
    }
  }
  return gathered;
}

// The sample's rows and columns, named as those of D.
void place(VerifyReport& report, const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& cols) {
  const auto at = [](const std::vector<std::int64_t>& lines, std::int64_t i) {
    return lines.empty() ? 0 : lines[static_cast<std::size_t>(i)];
  };
  report.max_row = at(rows, report.max_row);
  report.max_col = at(cols, report.max_col);
  if (report.first) {
    report.first->row = at(rows, report.first->row);
    report.first->col = at(cols, report.first->col);
  }
}

}  // namespace

std::vector<std::int64_t> sampled_lines(std::int64_t count, bool all, std::uint64_t seed) {
  std::vector<std::int64_t> lines;
  std::mt19937_64 random(seed);
  for (std::int64_t first = 0; first < count; first += all ? 1 : band) {
    const std::int64_t width = all ? 1 : std::min(band, count - first);
    lines.push_back(first + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(width)));
  }
  return lines;
}

SpotCheck spot_check(const GemmProblem& problem, hw::Arch arch, const HostOperands& operands,
                     const std::vector<std::uint16_t>& d, std::uint64_t seed) {
  SpotCheck check;
  check.elements = problem.m * problem.n;
  check.unwritten = std::ranges::count(d, poison);
  const bool all = static_cast<double>(check.elements) * static_cast<double>(problem.k) <= full_check_products;
  const std::vector<std::int64_t> rows = sampled_lines(problem.m, all, 2 * seed);
  const std::vector<std::int64_t> cols = sampled_lines(problem.n, all, 2 * seed + 1);
  const std::vector<std::uint16_t> a = gather_rows(operands.a, problem.lda, problem.k, rows);
  const std::vector<std::uint16_t> b = gather_rows(operands.b, problem.ldb, problem.k, cols);
  const std::vector<std::uint16_t> sample = gather(d, problem.ldd, rows, cols);
  const GemmProblem smaller = dense_problem(static_cast<std::int64_t>(rows.size()),
                                            static_cast<std::int64_t>(cols.size()), problem.k, problem.accumulate);
  check.report = verify(smaller, arch, a.data(), b.data(), sample.data());
  place(check.report, rows, cols);
  return check;
}

std::string coverage(const SpotCheck& check) {
  return check.report.elements == check.elements
             ? fmt::format("all {} elements", check.elements)
             : fmt::format("{} of {} elements, every tile met", check.report.elements, check.elements);
}

}  // namespace tileloom::bench
