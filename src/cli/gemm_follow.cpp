// SPDX-License-Identifier: Apache-2.0
#include "cli/gemm_follow.hpp"

#include <fmt/format.h>

#include "render/follow_text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

emu::BufferElement followed_element(const MatrixElement& e, const GemmProblem& p) {
  const std::int64_t rows = e.matrix == 'B' ? p.n : p.m;
  const std::int64_t columns = e.matrix == 'D' ? p.n : p.k;
  if (e.row >= rows || e.column >= columns) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--follow: expected an element of {}, which has {} x {}, found {}({},{})", e.matrix, rows,
                            columns, e.matrix, e.row, e.column),
                "row and column count from 0 in the whole matrix");
  }
  const std::int64_t ld = e.matrix == 'A' ? p.lda : e.matrix == 'B' ? p.ldb : p.ldd;
  return {std::string(1, e.matrix), static_cast<std::uint64_t>(2 * (e.row * ld + e.column))};
}

std::optional<emu::SumPlace> follow_element(const MatrixElement& element, const GemmProblem& problem,
                                            const GemmConfiguration& configuration, const GemmOperands& operands,
                                            LaunchControl& control) {
  emu::FollowOptions options;
  options.element = followed_element(element, problem);
  options.sums = element.matrix == 'D';
  control.follow = options;
  if (!options.sums) {
    return std::nullopt;
  }
  const GemmReport first = launch_host(problem, configuration, operands, control);
  if (first.provenance && !first.provenance->results.empty()) {
    const emu::FollowedResult& stored = first.provenance->results.front();
    if (stored.name != 0) {
      control.follow->sum = emu::Provenance::sum(stored.name, stored.cta);
    }
  }
  return control.follow->sum;
}

Json followed_json(const MatrixElement& element, const emu::Provenance& seen, const std::optional<emu::SumPlace>& sum) {
  Json json = {{"matrix", std::string(1, element.matrix)}, {"row", element.row}, {"column", element.column}};
  if (sum) {
    json["sum"] = {
        {"cta", sum->cta}, {"warp", sum->warp}, {"lane", sum->lane}, {"mma", sum->mma}, {"value", sum->value}};
  }
  json.update(provenance_json(seen));
  return json;
}

void followed_text(std::ostream& out, const MatrixElement& element, const GemmProblem& problem,
                   const emu::Provenance& seen, const std::optional<emu::SumPlace>& sum) {
  const render::RowLengths matrices{{"A", problem.lda}, {"B", problem.ldb}, {"D", problem.ldd}};
  render::follow_text(out, seen, followed_element(element, problem), matrices, sum);
}

}  // namespace tileloom::cli
