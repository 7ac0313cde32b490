// SPDX-License-Identifier: Apache-2.0
// `--follow` of the verbs that run a kernel in the emulator.
#pragma once

#include <cstdint>
#include <string>

#include "cli/report.hpp"
#include "tileloom/emu/provenance.hpp"

namespace tileloom::cli {

// An element of a matrix: `A:0,9`.
struct MatrixElement {
  char matrix = 'A';  // A, B or D
  std::int64_t row = 0;
  std::int64_t column = 0;
};

// Throws Error(bad_input) for other text.
[[nodiscard]] MatrixElement parse_matrix_element(const std::string& text);

// `BUFFER:BYTE`: the options that follow this element of 16 bits. Throws Error(bad_input) for other text.
[[nodiscard]] emu::FollowOptions parse_followed(const std::string& text);

// An object: moves, sums, results.
[[nodiscard]] Json provenance_json(const emu::Provenance& seen);

}  // namespace tileloom::cli
