// SPDX-License-Identifier: Apache-2.0
// The description of a kernel: what its host code builds, stage by stage, as text. The JSON form is docs/formats/
// kernel-config.md; nothing here knows JSON.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tileloom::trace {

// make_tiled_copy: an instruction, and which thread and which of its values each element of a tile is. Either by
// `threads` and `values`, or as CuTe's type TiledCopy has it, by `tv` and `tile`.
struct CopyConfig {
  std::string atom;     // any name that hw::copy_atom knows
  std::string threads;  // a layout: position in a tile of threads -> thread
  std::string values;   // a layout: position in a thread's block -> value
  std::string tv;       // a layout: (thread, value) -> element of the tile, first mode fastest
  std::string tile;     // its shape
};

// Empty texts and options are stages that the kernel does not have. Fields of A, B and C are in that order; C is the
// output tile.
struct KernelConfig {
  std::string name;
  std::string arch = "sm_80";
  int stages = 1;  // tiles of A and B in shared memory at a time
  struct Raster {
    std::string along = "N";
    std::int64_t width = 0;  // tiles of a band; 0: off
  };
  std::optional<Raster> raster;
  std::array<std::string, 3> types;  // of A, B and C in memory; empty: the instruction's
  std::string accumulate;            // empty: the instruction's
  struct Mma {
    std::string atom;
    std::string atom_layout = "(_1,_1,_1)";  // a shape or a layout
    std::string permutation;                 // a tiler
  } mma;
  std::array<std::int64_t, 3> tile{};                  // M, N, K of a CTA
  std::array<std::string, 3> gmem;                     // the whole matrices: layouts with symbols M, N, K, ...
  std::array<std::string, 3> smem;                     // the tiles: layouts, a third mode being the stages
  std::array<std::optional<std::int64_t>, 3> smem_at;  // first byte in the CTA's shared memory
  std::int64_t smem_static = 0;                        // further bytes, static ones that the kernel declares
  std::array<std::optional<CopyConfig>, 2> g2s;        // global -> shared, A and B
  std::array<std::string, 2> s2r;                      // shared -> registers: copy atoms
  std::string r2s;                                     // registers -> shared, C: a copy atom
  std::optional<CopyConfig> s2g;                       // shared -> global, C
  std::optional<CopyConfig> r2g;     // registers -> global, C: after lanes have exchanged what they hold; no smem of C
  std::string epilogue_along = "N";  // N or M: how the parts of smem.C follow each other in the tile
};

}  // namespace tileloom::trace
