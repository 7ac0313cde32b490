// SPDX-License-Identifier: Apache-2.0
// What this GPU reaches at most, measured: its matrix instructions, its memory, and a launch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/session.hpp"

namespace tileloom::bench {

// `mma.sync f16`, `mma.sync f32`, `wgmma f16`, `wgmma f32` (by the type of the sums, operands f16, random normal data),
// `read`, `copy` (bytes read and written), `empty kernel` (launch to launch in a graph).
struct Ceiling {
  std::string name;
  std::string unit;              // TFLOPS, TB/s, us
  double burst = 0;              // about a millisecond on a GPU that was idle before
  double sustained = 0;          // 64 ms and more, after a second of the same work
  std::optional<double> sm_mhz;  // medians of the sustained runs
  std::optional<double> watts;
};

// The kernels' machine code.
struct CeilingImages {
  std::span<const std::byte> mma;
  std::span<const std::byte> wgmma;
  std::span<const std::byte> memory;
};

// Of this build; nothing where it is without CUDA.
[[nodiscard]] CeilingImages built_ceiling_images();

// All that this GPU has: wgmma on sm_90 only. Each kernel's results are checked before it is timed. Throws
// Error(cannot_run) without images or memory, Error(check_failed) for results that the work cannot have.
[[nodiscard]] std::vector<Ceiling> measure_ceilings(Session& session, const CeilingImages& images);
[[nodiscard]] std::vector<Ceiling> measure_ceilings(Session& session);

}  // namespace tileloom::bench
