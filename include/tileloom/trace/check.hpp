// SPDX-License-Identifier: Apache-2.0
// What every memory access of a kernel costs, and what would not work, before anything is compiled.
//
//   const CheckReport report = check_kernel(kernel);
//   report.sites[1].shared->worst.high          // of one instruction; ideal beside it
//   report.ok()                                 // no property failed
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tileloom/hw/memory_cost.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace {

// Shared memory at one site. All instructions of all warps for one k-tile (of the epilogue: one slab) are priced; they
// differ where a swizzle or a permutation makes them.
struct SharedCost {
  hw::Wavefronts worst;                       // of one instruction
  std::int64_t low = 0, high = 0, ideal = 0;  // of all instructions together
  std::int64_t instructions = 0;
};

struct GlobalCost {
  hw::GlobalTraffic worst;                                    // of one request
  std::int64_t requests = 0, sectors = 0, ideal_sectors = 0;  // of all together
};

// One end of one copy.
struct SiteCost {
  std::string site;    // A: global -> shared
  std::string memory;  // global or shared
  std::string atom;
  int width = 0;           // bytes that one lane moves; a row of ldmatrix has 16
  int alignment = 0;       // bytes, up to 16, that every address is known to be a multiple of
  std::string limited_by;  // the stride that keeps it below the width; empty if nothing does
  std::optional<SharedCost> shared;
  std::optional<GlobalCost> global;
};

enum class Verdict { good, bad, note };  // a note says something without judging

struct Property {
  std::string name;
  Verdict verdict = Verdict::good;
  std::string text;
  std::string hint;
  // Where it fails, piece by piece: each hole, each overlap. At most `most_findings`; `found` counts all.
  std::vector<std::string> findings = {};
  std::int64_t found = 0;
};
inline constexpr std::size_t most_findings = 1000;

// Which output tile a block of the grid computes.
struct TileOfBlock {
  std::int64_t m = 0;
  std::int64_t n = 0;
};
// Of block `block` of a grid of tiles_m * tiles_n, in bands of `width` tiles along N (0: one band).
using RasterMap =
    std::function<TileOfBlock(std::int64_t block, std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t width)>;

struct CheckOptions {
  std::optional<int> max_conflicts;  // wavefronts that an instruction may have beyond its ideal; empty: any
  std::optional<int> registers;      // of a thread, as ptxas says; empty: estimated from the fragments
  RasterMap raster;                  // the kernel's; empty: not checked
};

struct CheckReport {
  std::vector<SiteCost> sites;
  std::vector<Property> properties;
  std::int64_t slabs = 1;  // parts of the output tile; C's costs are those of one
  [[nodiscard]] bool ok() const;
};

// Global addresses are those of CTA (0,0) and k-tile 0 of matrices that start at a multiple of 128 bytes. Costs whose
// rule is not settled are ranges and fail no check.
[[nodiscard]] CheckReport check_kernel(const Kernel& kernel, const CheckOptions& options = {});

// Registers of a thread that ptxas would give the kernel, at most 255: a formula in the fragments, fitted to the
// shipped kernels, of which it is at most 18 away (docs/cli/check.md).
[[nodiscard]] int estimate_registers(const Kernel& kernel);

}  // namespace tileloom::trace
