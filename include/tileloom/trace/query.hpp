// SPDX-License-Identifier: Apache-2.0
// One question about a tiled MMA or a tiled copy, all in text, answered with CuTe's printed layouts.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tileloom/layout/layout.hpp"

namespace tileloom::trace {

struct Query {
  std::string atom;                        // any name that hw::mma_atom knows
  std::string atom_layout = "(_1,_1,_1)";  // a shape or a layout
  std::string permutation = "none";        // or a tiler, <_32,_32,_16>
  std::array<std::int64_t, 3> tile{};      // M, N, K of the tensors
  std::string a, b, c;                     // layouts of the operands, (M,K), (N,K), (M,N): expressions
  std::string query = "tiled_mma";         // or tiled_copy_A, tiled_copy_B, tiled_copy_C
  std::string copy_atom;                   // of the tiled copies
};

// Names and texts, in order. tiled_mma: threads, thr_layout_vmnk, tile_size, layoutA_TV, layoutB_TV, layoutC_TV,
// partition_A@T, partition_B@T, partition_C@T for each thread T of 0, 5, 17, 30 that there is, fragment_A, fragment_B,
// fragment_C. tiled_copy_A, _B (memory to registers): tiled_copy_TV, tiler, layoutS_TV, layoutD_TV, partition_S@T,
// retile_D. tiled_copy_C (registers to memory): the same with partition_D@T and retile_S.
using Answer = std::vector<std::pair<std::string, std::string>>;

// Throws Error(bad_input) for what CuTe does not compile, with a hint that says what to change, and for malformed text.
[[nodiscard]] Answer answer(const Query& query, const layout::Policy& policy = {});

}  // namespace tileloom::trace
