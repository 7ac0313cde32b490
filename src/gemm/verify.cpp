// SPDX-License-Identifier: Apache-2.0
#include "gemm/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "gemm/accumulation.hpp"
#include "gemm/half.hpp"
#include "gemm/parallel.hpp"

namespace tileloom {
namespace gemm {
namespace {

constexpr int tile_rows = 4;
constexpr int tile_cols = 4;
// Rows of one task. B is converted once for each, so many are good, but every thread should have one.
constexpr std::int64_t least_block_rows = 16;
constexpr std::int64_t most_block_rows = 64;

std::int64_t block_rows(std::int64_t m, unsigned threads) {
  const std::int64_t share = m / threads / tile_rows * tile_rows;
  return std::clamp(share, least_block_rows, most_block_rows);
}

// Sums of one small tile of D, with their running error bounds.
struct Tile {
  double sum[tile_rows][tile_cols] = {};
  double error[tile_rows][tile_cols] = {};            // after rounding to the accumulator
  double unrounded_error[tile_rows][tile_cols] = {};  // before the last such rounding
  double peak[tile_rows][tile_cols] = {};             // largest |sum| after any step
};

// Rows of an operand in float64, padded with zeros to whole steps; `ceilings` has the largest exponent of each step.
template <int rows>
struct Panel {
  std::vector<double> values;    // [k][rows]
  std::vector<double> ceilings;  // [step][rows]

  void fill(const std::uint16_t* from, std::int64_t ld, std::int64_t count, std::int64_t k, int terms) {
    const std::int64_t steps = (k + terms - 1) / terms;
    values.assign(static_cast<std::size_t>(steps * terms * rows), 0.0);
    ceilings.assign(static_cast<std::size_t>(steps * rows), 0.0);
    for (std::int64_t row = 0; row < std::min<std::int64_t>(rows, count); ++row) {
      for (std::int64_t i = 0; i < k; ++i) {
        const double x = half_to_f64(from[row * ld + i]);
        double& ceiling = ceilings[static_cast<std::size_t>(i / terms * rows + row)];
        values[static_cast<std::size_t>(i * rows + row)] = x;
        ceiling = std::max(ceiling, exponent_ceiling(x));
      }
    }
  }
};

// The inner loop: everything is added in float64, and beside it runs the error that a tensor core can have made.
template <int terms>
void accumulate_steps(const StepModel& model, const Panel<tile_rows>& a, const Panel<tile_cols>& b, Tile& tile) {
  const double* pa = a.values.data();
  const double* pb = b.values.data();
  const std::size_t steps = a.ceilings.size() / tile_rows;
  for (std::size_t step = 0; step < steps; ++step) {
    double before[tile_rows][tile_cols];
    std::copy_n(&tile.sum[0][0], tile_rows * tile_cols, &before[0][0]);
    for (int i = 0; i < terms; ++i, pa += tile_rows, pb += tile_cols) {
      for (int r = 0; r < tile_rows; ++r) {
        for (int c = 0; c < tile_cols; ++c) {
          tile.sum[r][c] += pa[r] * pb[c];
        }
      }
    }
    for (int r = 0; r < tile_rows; ++r) {
      for (int c = 0; c < tile_cols; ++c) {
        const double product = a.ceilings[step * tile_rows + r] * b.ceilings[step * tile_cols + c];
        const double running = std::max(std::abs(before[r][c]) + tile.error[r][c], model.least_term);
        const double cut = tile.error[r][c] + model.align * std::max(product, running);
        const double size = std::abs(tile.sum[r][c]);
        tile.unrounded_error[r][c] = cut;
        tile.error[r][c] = cut + model.convert * (size + cut) + model.convert_least;
        tile.peak[r][c] = std::max(tile.peak[r][c], size);
      }
    }
  }
}

// Whether every element is an integer; `largest` becomes the largest magnitude.
bool all_integers(const std::uint16_t* values, std::int64_t rows, std::int64_t cols, std::int64_t ld, double& largest) {
  largest = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      const double x = half_to_f64(values[row * ld + col]);
      if (!std::isfinite(x) || x != std::trunc(x)) {
        return false;
      }
      largest = std::max(largest, std::abs(x));
    }
  }
  return true;
}

class Verifier {
 public:
  Verifier(const GemmProblem& problem, hw::Arch arch, const std::uint16_t* a, const std::uint16_t* b,
           const std::uint16_t* d, const VerifyControl& control)
      : p_(problem),
        model_(step_model(hw::mma_numerics_k16(arch), problem.accumulate)),
        a_(a),
        b_(b),
        d_(d),
        control_(control),
        block_rows_(block_rows(problem.m, threads_of(control.host_threads))) {
    double a_largest = 0;
    double b_largest = 0;
    integers_ = all_integers(a, p_.m, p_.k, p_.lda, a_largest) && all_integers(b, p_.n, p_.k, p_.ldb, b_largest) &&
                a_largest * b_largest < 0x1p24;
  }

  VerifyReport run() {
    const std::int64_t blocks = (p_.m + block_rows_ - 1) / block_rows_;
    total_ = nothing_seen();
    total_.elements = p_.m * p_.n;
    std::int64_t done = 0;
    parallel_for(p_.n == 0 ? 0 : blocks, control_.host_threads, [&](std::int64_t block) {
      const VerifyReport part = verify_block(block);
      const std::lock_guard lock(mutex_);
      merge(part);
      if (control_.progress) {
        control_.progress(++done, blocks);
      }
    });
    total_.max_error = std::max(total_.max_error, 0.0);
    return total_;
  }

 private:
  static VerifyReport nothing_seen() {
    VerifyReport report;
    report.exact = true;
    report.max_error = -1;  // so that the first element counts, whatever its error
    return report;
  }

  VerifyReport verify_block(std::int64_t block) const {
    VerifyReport report = nothing_seen();
    const std::int64_t first_row = block * block_rows_;
    const std::int64_t rows = std::min(block_rows_, p_.m - first_row);
    std::vector<Panel<tile_rows>> a(static_cast<std::size_t>((rows + tile_rows - 1) / tile_rows));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i) * tile_rows;
      a[i].fill(a_ + (first_row + row) * p_.lda, p_.lda, rows - row, p_.k, model_.terms);
    }
    Panel<tile_cols> b;
    for (std::int64_t col = 0; col < p_.n; col += tile_cols) {
      b.fill(b_ + col * p_.ldb, p_.ldb, p_.n - col, p_.k, model_.terms);
      for (std::size_t i = 0; i < a.size(); ++i) {
        Tile tile;
        model_.terms == 8 ? accumulate_steps<8>(model_, a[i], b, tile) : accumulate_steps<16>(model_, a[i], b, tile);
        judge_tile(tile, first_row + static_cast<std::int64_t>(i) * tile_rows, col, report);
      }
    }
    return report;
  }

  void judge_tile(const Tile& tile, std::int64_t row, std::int64_t col, VerifyReport& report) const {
    for (int r = 0; r < tile_rows && row + r < p_.m; ++r) {
      for (int c = 0; c < tile_cols && col + c < p_.n; ++c) {
        judge(tile.sum[r][c], tile.peak[r][c], tile.error[r][c], tile.unrounded_error[r][c], row + r, col + c, report);
      }
    }
  }

  void judge(double sum, double peak, double error, double unrounded_error, std::int64_t row, std::int64_t col,
             VerifyReport& report) const {
    const bool f16 = model_.accumulate == Accumulate::f16;
    const bool exact = integers_ && peak <= model_.exact_limit;
    // The rounding of the last f16 step is the one to D, which rounded_interval makes.
    const double bound = exact ? 0 : bound_inflation * (f16 ? unrounded_error : error);
    const bool may_overflow = f16 && !exact && !(peak + bound_inflation * error < 65504);
    const Allowed allowed = std::isfinite(sum) && !may_overflow
                                ? rounded_interval(sum, bound)
                                : allowed_values(model_, p_.k, a_ + row * p_.lda, b_ + col * p_.ldb);
    const double value = half_to_f64(d_[row * p_.ldd + col]);
    const double spread = std::max(allowed.high - sum, sum - allowed.low);
    report.exact = report.exact && exact;
    if (!allowed.contains(value)) {
      report.wrong += 1;
      if (!report.first || before(row, col, report.first->row, report.first->col)) {
        report.first = {row, col, value, sum, spread};
      }
    }
    const double difference = std::abs(value - sum);
    if (std::isfinite(difference)) {
      note_error(difference, spread, row, col, report);
    }
    note_squares(value, sum, report);
  }

  static bool before(std::int64_t row, std::int64_t col, std::int64_t other_row, std::int64_t other_col) {
    return row < other_row || (row == other_row && col < other_col);
  }

  static void note_error(double error, double bound, std::int64_t row, std::int64_t col, VerifyReport& report) {
    const bool earlier = error == report.max_error && before(row, col, report.max_row, report.max_col);
    if (error > report.max_error || earlier) {
      report.max_error = error;
      report.bound_at_max = bound;
      report.max_row = row;
      report.max_col = col;
    }
  }

  static void note_squares(double value, double sum, VerifyReport& report) {
    if (std::isfinite(sum)) {
      const double difference = std::isfinite(value) ? value - sum : std::numeric_limits<double>::infinity();
      report.error_squares += difference * difference;
      report.reference_squares += sum * sum;
    } else if (std::isfinite(value)) {
      report.error_squares = std::numeric_limits<double>::infinity();
    }
  }

  void merge(const VerifyReport& part) {
    total_.wrong += part.wrong;
    total_.error_squares += part.error_squares;
    total_.reference_squares += part.reference_squares;
    total_.exact = total_.exact && part.exact;
    if (part.first && (!total_.first || part.first->row < total_.first->row)) {
      total_.first = part.first;
    }
    note_error(part.max_error, part.bound_at_max, part.max_row, part.max_col, total_);
  }

  const GemmProblem& p_;
  StepModel model_;
  const std::uint16_t* a_;
  const std::uint16_t* b_;
  const std::uint16_t* d_;
  const VerifyControl& control_;
  std::int64_t block_rows_;
  bool integers_ = false;
  std::mutex mutex_;
  VerifyReport total_;
};

}  // namespace
}  // namespace gemm

double VerifyReport::relative_error() const {
  return error_squares == 0 ? 0 : std::sqrt(error_squares / reference_squares);
}

std::string to_string(const Mismatch& m) {
  return std::isfinite(m.expected)
             ? fmt::format("D({},{}) = {:.6g}, expected {:.8g} within {:.3g}", m.row, m.col, m.value, m.expected,
                           m.bound)
             : fmt::format("D({},{}) = {:.6g}, expected {:.8g}", m.row, m.col, m.value, m.expected);
}

VerifyReport verify(const GemmProblem& problem, hw::Arch arch, const std::uint16_t* a, const std::uint16_t* b,
                    const std::uint16_t* d, const VerifyControl& control) {
  return gemm::Verifier(problem, arch, a, b, d, control).run();
}

}  // namespace tileloom
