// SPDX-License-Identifier: Apache-2.0
// Half-precision GEMM on tensor cores: problem -> configuration -> launch. Each prints itself with to_string.
//
//   D = A * B^T      A is m x k, B is n x k, D is m x n; all row-major f16
//
//   const tileloom::GemmProblem problem = tileloom::dense_problem(1000, 1000, 333);
//   const tileloom::GemmConfiguration chosen = tileloom::configure(problem);
//   tileloom::launch_host(problem, chosen, {a.data(), b.data(), d.data()});
//   std::cout << to_string(problem) << '\n' << to_string(chosen) << '\n';
//
// The C interface to the same is tileloom/gemm.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/accumulate.hpp"
#include "tileloom/emu/counters.hpp"
#include "tileloom/emu/finding.hpp"
#include "tileloom/emu/provenance.hpp"
#include "tileloom/hw/arch.hpp"

namespace tileloom {

// -- What is asked ----------------------------------------------------------------------------------------------------

// Sizes and leading dimensions are in elements. Element (i, j) of A is a[i * lda + j], and so on; elements past a row's
// end (between k and lda) are never used, those of D never written.
struct GemmProblem {
  std::int64_t m = 0;    // rows of A and D, >= 0
  std::int64_t n = 0;    // rows of B, columns of D, >= 0
  std::int64_t k = 0;    // columns of A and B, >= 0; k = 0 makes D zero
  std::int64_t lda = 1;  // >= max(1, k)
  std::int64_t ldb = 1;  // >= max(1, k)
  std::int64_t ldd = 1;  // >= max(1, n)
  Accumulate accumulate = Accumulate::f32;

  bool operator==(const GemmProblem&) const = default;
};

// Rows without gaps.
[[nodiscard]] GemmProblem dense_problem(std::int64_t m, std::int64_t n, std::int64_t k,
                                        Accumulate accumulate = Accumulate::f32);

// `D = A·Bᵀ, m 1000, n 1000, k 333, f16, accumulate f32`; leading dimensions are named when rows have gaps.
[[nodiscard]] std::string to_string(const GemmProblem& problem);

// Throws Error(bad_input) that names the first argument outside its range, in the order m n k lda ldb ldd, or the first
// matrix whose bytes do not fit in 63 bits.
void check(const GemmProblem& problem);

// -- What is chosen ---------------------------------------------------------------------------------------------------

// automatic: the GPU if one is usable, else the emulator.
enum class Backend { automatic, cuda, emulator };

// `auto`, `cuda`, `emulator`.
[[nodiscard]] std::string_view to_string(Backend backend);

struct GemmOptions {
  Backend backend = Backend::automatic;
  std::optional<hw::Arch> arch;  // emulator: what to model, default sm_90; cuda: what the GPU must be
  std::string kernel;  // an instance (`simple_128x128x16_f32`) or a family (`simple`); empty: the fastest by estimate
  int stages = 0;      // shared-memory stages of a pipelined kernel; 0: the instance's default
  // Tile columns in a band of the rasterisation; 0 is off. Empty: chosen.
  std::optional<std::uint32_t> raster_width;
};

// A kernel instance on a backend, and why it was taken.
struct GemmConfiguration {
  std::string kernel;  // the instance
  std::string family;
  int tile_m = 0;
  int tile_n = 0;
  int tile_k = 0;
  int threads = 0;                         // a CTA
  std::uint32_t ctas = 0;                  // grid size
  int stages = 0;                          // in shared memory; 0: the kernel uses none
  std::uint32_t raster_width = 0;          // tile columns in a band of CTAs; 0: off
  std::uint32_t dynamic_shared_bytes = 0;  // a CTA
  Backend backend = Backend::emulator;     // never automatic
  hw::Arch arch;                           // of the GPU, or the one that is emulated
  std::string image;                       // what runs: `PTX compute_90`, `fatbin`
  std::string device;                      // name of the GPU, or `emulator`
  std::vector<std::string> reasons;        // one sentence for each choice that was not the caller's
  std::vector<std::string> runners_up;     // where the kernel was chosen: the next ones, with their estimates
};

// Several lines: kernel, tile, grid, backend, reasons, runners-up.
[[nodiscard]] std::string to_string(const GemmConfiguration& configuration);

// Chooses kernel and backend. For cuda this loads the kernel, so a configuration that is returned can be launched.
// Throws Error(bad_input) for a bad problem, a kernel that does not exist or does not accumulate as asked, or stages
// that it does not have; Error(cannot_run) where no image runs on the arch, the arch has too little shared memory for
// it, no GPU is usable though cuda is asked for, or the grid is too large.
[[nodiscard]] GemmConfiguration configure(const GemmProblem& problem, const GemmOptions& options = {});

// -- Running it -------------------------------------------------------------------------------------------------------

// a and b may be null when they are not read (m, n or k is 0), d when nothing is written (m or n is 0).
struct GemmOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;  // must not overlap A or B
};

struct LaunchControl {
  void* stream = nullptr;     // cuda: a CUstream; null is the default stream
  unsigned host_threads = 0;  // emulator: 0 is all of this machine's
  bool check = false;         // emulator: look for races in shared memory
  // emulator: count executions and what accesses cost, of operands copied to addresses that are multiples of 256 bytes.
  bool count = false;
  std::optional<emu::FollowOptions> follow = {};  // emulator: where elements of A, B or sums go; on one host thread
  // emulator: called now and then from one thread with CTAs done and in all; false ends the launch with
  // Error(cannot_run, "stopped").
  std::function<bool(std::uint64_t done, std::uint64_t all)> progress;
};

struct GemmReport {
  double seconds = 0;                   // from the call to its return
  std::uint64_t warp_instructions = 0;  // emulator only
  std::vector<std::string> warnings;
  std::vector<emu::Finding> findings;  // of a checked run
  std::vector<emu::UninitialisedRead> uninitialised_reads;
  std::optional<emu::Counters> counters;      // of a counted run
  std::optional<emu::Provenance> provenance;  // of a followed run
};

// Operands in the memory of the backend: device memory for cuda (launched on the stream, in the current context, not
// waited for), host memory for the emulator. Throws Error(bad_input) naming a null, misaligned or (cuda) host pointer;
// Error(cannot_run) or Error(check_failed) when the launch fails.
GemmReport launch(const GemmProblem& problem, const GemmConfiguration& configuration, const GemmOperands& operands,
                  const LaunchControl& control = {});

// Operands in host memory; for cuda they are copied to the GPU and back. D is complete on return.
GemmReport launch_host(const GemmProblem& problem, const GemmConfiguration& configuration, const GemmOperands& operands,
                       const LaunchControl& control = {});

}  // namespace tileloom
