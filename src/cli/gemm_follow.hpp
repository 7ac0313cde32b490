// SPDX-License-Identifier: Apache-2.0
// The way of an element of A, B or D through a product that runs on the emulator.
#pragma once

#include <optional>
#include <ostream>

#include "cli/follow.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::cli {

// Throws Error(bad_input) for an element that the matrix does not have.
[[nodiscard]] emu::BufferElement followed_element(const MatrixElement& element, const GemmProblem& problem);

// Makes `control` follow the element. Of D that takes a run, which says in which sum it is made: the result.
[[nodiscard]] std::optional<emu::SumPlace> follow_element(const MatrixElement& element, const GemmProblem& problem,
                                                          const GemmConfiguration& configuration,
                                                          const GemmOperands& operands, LaunchControl& control);

// What was seen. `sum`: of an element of D.
[[nodiscard]] Json followed_json(const MatrixElement& element, const emu::Provenance& seen,
                                 const std::optional<emu::SumPlace>& sum);
void followed_text(std::ostream& out, const MatrixElement& element, const GemmProblem& problem,
                   const emu::Provenance& seen, const std::optional<emu::SumPlace>& sum);

}  // namespace tileloom::cli
