// SPDX-License-Identifier: Apache-2.0
// The parts in which an epilogue brings the output tile through shared memory.
//
// The first two modes of smem.C are one part, a third mode (PIPE) holds further parts. All threads write PIPE parts,
// meet at a barrier, and store them: a round. Parts follow each other along N, row after row of parts, or along M,
// column after column (epilogue.along).
#pragma once

#include "tileloom/hw/lane_maps.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace {

struct SlabPlace {
  std::int64_t part = 0;       // in the order of the epilogue
  std::int64_t round = 0;      // part / PIPE
  std::int64_t pipe = 0;       // part % PIPE: the third coordinate in sC
  std::int64_t rounds = 0;     // of the whole tile
  hw::MatrixPosition origin;   // of the part in the tile
  hw::MatrixPosition last;     // its last element
  hw::MatrixPosition in_part;  // of the element in the part
};

// Precondition: C has shared memory, and p is inside the tile.
[[nodiscard]] SlabPlace slab_of(const Kernel& kernel, hw::MatrixPosition p);

}  // namespace tileloom::trace
