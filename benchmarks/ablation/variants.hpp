// SPDX-License-Identifier: Apache-2.0
// The kernels and variants of variants.json, and what the compiler made of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/params.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::ablation {

struct Kernel {
  std::string name;
  Accumulate accumulate = Accumulate::f16;
  int tile_m = 0, tile_n = 0, tile_k = 0;
  int threads = 0;
  int stages = 0;
  std::string ptx;
  std::string machine_code;
  int registers = 0;  // a thread
  int spilled = 0;    // bytes a thread

  [[nodiscard]] std::string entry() const { return "ablation_" + name; }
  [[nodiscard]] int shared_bytes() const { return 2 * (tile_m + tile_n) * tile_k * stages; }
  [[nodiscard]] int mma_per_tile() const { return tile_m / 16 * (tile_n / 8) * (tile_k / 16); }
  [[nodiscard]] unsigned grid(const GemmProblem& problem) const;
  // CTAs that fit an SM of sm_90 whose whole carve-out is shared memory.
  [[nodiscard]] int ctas_per_sm() const;
};

struct Variant {
  std::string name;
  std::string what;  // the one thing that differs
  const Kernel* kernel = nullptr;
  std::uint32_t raster_width = 0;  // tile columns a band
  bool full_carveout = true;       // all of the SM's memory that can be shared memory is
};

struct Variants {
  std::vector<Kernel> kernels;
  std::vector<Variant> variants;  // the first is what the others differ from
};

// `folder` holds variants.json and NAME.ptx, NAME.cubin, NAME.cubin.log of each kernel.
[[nodiscard]] Variants read_variants(const std::string& folder);

// Whole tiles only. Precondition: the problem is dense and the tiles divide it.
[[nodiscard]] kernels::GemmParams params(const Variant& variant, const GemmProblem& problem,
                                         const GemmOperands& operands);

}  // namespace tileloom::ablation
