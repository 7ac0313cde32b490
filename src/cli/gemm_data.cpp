// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "cli/gemm_run.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

npy::Matrix read(const std::string& path, std::vector<std::string>& notes) {
  npy::LoadedMatrix loaded = npy::read_matrix(path);
  if (loaded.from_float32) {
    notes.push_back(fmt::format("{}: float32, rounded to float16: {} of {} values changed, {} of them to infinity",
                                path, loaded.values_rounded, loaded.matrix.values.size(), loaded.values_overflowed));
  }
  if (loaded.from_fortran_order) {
    notes.push_back(fmt::format("{}: column-major (Fortran order), transposed while reading", path));
  }
  return std::move(loaded.matrix);
}

void check_fit(const GemmRequest& request, const npy::Matrix& a, const npy::Matrix& b) {
  if (a.cols == b.cols) {
    return;
  }
  const bool transposed = a.cols == b.rows;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: expected {} columns, as {} has, found {} (its shape is {} x {})", request.b_path, a.cols,
                          request.a_path, b.cols, b.rows, b.cols),
              transposed ? "D = A·Bᵀ takes B as N x K; this one looks like K x N: numpy.save(file, b.T) turns it"
                         : "D = A·Bᵀ takes A as M x K and B as N x K");
}

// Better one clear line than a machine that swaps for an hour.
void check_memory(const GemmProblem& p) {
  const auto bytes = [](std::int64_t rows, std::int64_t cols) {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(cols);
  };
  const double needed = bytes(p.m, p.k) + bytes(p.n, p.k) + bytes(p.m, p.n);
  const double physical =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  if (needed > physical) {
    throw Error(ErrorKind::cannot_run, fmt::format("m {}, n {}, k {}: expected matrices of at most {:.3g} GB, this "
                                                   "machine's memory; found {:.3g} GB",
                                                   p.m, p.n, p.k, physical * 1e-9, needed * 1e-9));
  }
}

npy::Matrix make(const Generated& what, std::uint64_t stream, std::int64_t rows) {
  return {rows, what.k, generate(what.distribution, what.seed, stream, rows * what.k)};
}

GemmProblem checked_problem(std::int64_t m, std::int64_t n, std::int64_t k, Accumulate accumulate) {
  const GemmProblem problem = dense_problem(m, n, k, accumulate);
  check(problem);
  check_memory(problem);
  return problem;
}

}  // namespace

GemmData load_operands(const GemmRequest& request) {
  GemmData data;
  if (request.generated) {
    const Generated& what = *request.generated;
    data.problem = checked_problem(what.m, what.n, what.k, request.accumulate);
    data.a = make(what, /*stream=*/0, what.m);
    data.b = make(what, /*stream=*/1, what.n);
    return data;
  }
  data.a = read(request.a_path, data.notes);
  data.b = read(request.b_path, data.notes);
  check_fit(request, data.a, data.b);
  data.problem = checked_problem(data.a.rows, data.b.rows, data.a.cols, request.accumulate);
  return data;
}

}  // namespace tileloom::cli
