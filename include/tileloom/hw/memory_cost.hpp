// SPDX-License-Identifier: Apache-2.0
// What one memory instruction of one warp costs, from its addresses alone.
//
// Shared memory: wavefronts, passes of the shared-memory pipe, as Nsight Compute counts them. Word = 4 bytes, bank =
// word mod 32. Rules, measured on an H200 (sm_90) with Nsight Compute, by name:
//
//   bank words         Loads and stores. Lanes form groups of 32 (up to 4 bytes a lane), 16 (8 bytes) or 8 (16 bytes)
//                      neighbours. A group costs the largest number of distinct words that fall into one bank. Inactive
//                      lanes are absent; a group of them costs nothing.
//   merged groups      8- and 16-byte loads. Two neighbouring groups that together have no conflict cost 1, not 2, if
//                      every active lane i finds lane i^1 inactive or at its own address, or every one lane i^2.
//   matrix rows        ldmatrix, stmatrix. Matrix j is the 16-byte rows of lanes 8j to 8j+7, and costs as a group does.
//   conflicting lanes  cp.async.ca. Groups as for stores. Two lanes of a group conflict if they share a bank of the
//                      destination, or a bank of the source (bank of the global address: L1 and shared memory share
//                      their banks), equal addresses included. A group costs 1 + the most lanes that one lane
//                      conflicts with. Lanes that read nothing, and so write zeros, conflict at the destination only.
//   sector moves       cp.async.cg. Of lanes with the same destination the lowest counts. Copies between the same
//                      128-byte global line and 128-byte shared line move together if they are of one kind: both halves
//                      of a 32-byte sector kept in order; both swapped; or one 16-byte half, by its place in the source
//                      sector and in the destination sector; each kind split by whether the sector changes its place
//                      within its 64 bytes. A kind costs the most copies that it takes from one source sector. Lanes
//                      that read nothing write zeros, in passes of their own that cost as conflicting lanes do.
//
// These give all 596 accesses of one measurement exactly (tests/golden/h200), and of a second one the 1353 copies that
// the profiler saw, with inactive lanes and lanes that read nothing (tests/golden/h200/copies.json). Rules 1 to 3 also
// reproduce published counts for A100 and Turing; other architectures are not measured.
//
// Global memory: one request an instruction; its sectors are the distinct 32-byte blocks of the active lanes. Copies
// that bypass L1 fetch more where the halves of a sector part: bypass_sectors.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tileloom::hw {

inline constexpr std::uint32_t all_lanes = 0xFFFF'FFFF;

enum class SharedOp : std::uint8_t { load, store, ldmatrix, stmatrix, cp_async_ca, cp_async_cg };

struct SharedAccess {
  SharedOp op;
  int size;  // bytes a lane moves: 1, 2, 4, 8, 16; ldmatrix, stmatrix: matrices 1, 2, 4
  std::span<const std::uint32_t, 32> shared;  // byte address of each lane, a multiple of the lane's bytes (of 16)
  std::span<const std::uint64_t> global{};    // cp.async: source byte address of each of the 32 lanes
  std::uint32_t active = all_lanes;           // bit i: lane i takes part
  std::uint32_t readers = all_lanes;          // cp.async: of those, the lanes whose source size is not 0
};

struct Wavefronts {
  int low = 0;  // the cost is at least this
  int high = 0;
  bool exact = true;      // low = high, by a rule that measurements settle
  int ideal = 0;          // the same instruction with the same active lanes and no conflict
  std::string_view rule;  // its name in the list above
};

// Throws Error(bad_input) for a size that the instruction does not have, and for cp.async without 32 global addresses.
[[nodiscard]] Wavefronts shared_wavefronts(const SharedAccess& access);

// What Nsight Compute (2025.3) shows at a cp.async whose source size is a run-time operand. Of cp.async.cg it is more
// than the cost: the profiler adds to the moves a cp.async.ca of all lanes. The hardware's own counters and the time
// are those of shared_wavefronts, with or without a size. Precondition: a cp.async that shared_wavefronts accepts.
[[nodiscard]] int profiled_sized_copy(const SharedAccess& access);

// The sectors that a cp.async.cg fetches from L2: each pair of a source sector and a destination sector (32 bytes) is a
// fetch, and two where halves keep their place and swap. Rows of 128 bytes that begin at a multiple of 32 take 4 each,
// others 8. Measured likewise; what arrives from L2 agrees. Precondition: as above.
[[nodiscard]] int bypass_sectors(const SharedAccess& access);

// Distinct words in each bank that the active lanes touch in shared memory; of ldmatrix and stmatrix the lanes that
// give the rows.
[[nodiscard]] std::array<int, 32> bank_words(const SharedAccess& access);

struct GlobalAccess {
  int size;                                    // bytes a lane moves: 1, 2, 4, 8, 16
  std::span<const std::uint64_t, 32> address;  // byte address of each lane, a multiple of size
  std::uint32_t active = all_lanes;
};

struct GlobalTraffic {
  int requests = 0;       // 1, or 0 if no lane is active
  int sectors = 0;        // distinct 32-byte blocks
  int ideal_sectors = 0;  // distinct bytes / 32, rounded up
  int lines = 0;          // distinct 128-byte lines (tags); the tag stage takes four a cycle
};

// Throws Error(bad_input) for a size that no instruction has.
[[nodiscard]] GlobalTraffic global_traffic(const GlobalAccess& access);

}  // namespace tileloom::hw
