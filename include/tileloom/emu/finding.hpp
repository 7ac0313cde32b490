// SPDX-License-Identifier: Apache-2.0
// What the emulator's checks find in shared and global memory: two accesses that nothing orders, and reads of bytes
// that were never written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tileloom::emu {

// Named after the order in which the emulator ran the two accesses, of two CTAs the order in which they began; a GPU
// may run them in the other.
enum class Hazard : std::uint8_t { read_after_write, write_after_read, write_after_write };

// `read after write`, ...
[[nodiscard]] std::string_view to_string(Hazard hazard);

// copy: the write of a cp.async, which happens at any time between the instruction and the wait that completes its
// group; in global memory its read, likewise. update: an atomic operation.
enum class AccessVerb : std::uint8_t { read, write, update, copy };

// `read`, `write`, `update`, `copy`.
[[nodiscard]] std::string_view to_string(AccessVerb verb);

// An instruction: its place in the source is the innermost inlined one outside CUTLASS's and the toolkit's headers.
struct InstructionPlace {
  std::string opcode;      // as in PTX: `ld.shared.u32`
  std::string file;        // without its folder; empty where the PTX has no `.loc`
  std::uint32_t line = 0;  // 0 where the PTX has no `.loc`
  std::string ptx_file;
  std::uint32_t ptx_line = 0;
};

// `k.cuh:212 (k.ptx:310)`, or `k.ptx:310`.
[[nodiscard]] std::string to_string(const InstructionPlace& place);

struct RacingAccess {
  AccessVerb verb = AccessVerb::read;
  InstructionPlace at;
  std::uint32_t warp = 0;
  std::uint32_t lane = 0;
  std::array<std::uint32_t, 3> cta{};  // x, y, z
};

// What would order the two accesses.
enum class Remedy : std::uint8_t {
  cta_barrier,         // a bar.sync between them
  warp_barrier,        // a bar.warp.sync (__syncwarp) between them: both threads are of one warp
  wait,                // a cp.async.wait between them: one thread's copy and its own access
  wait_and_barrier,    // a wait by the thread that copies, then a barrier between it and the other
  barrier_after_wait,  // the thread that copies has waited, but no barrier after the wait says so to the other
  other_launch,        // of two CTAs: a release in the first and an acquire in the second, or two launches
  wider_scope,         // of two CTAs: two atomics of .cta scope, which exclude threads of one CTA only
  one_lane,            // two lanes of one store wrote different values: only one may write
};

// Races of one kind between two instructions of the source: PTX instructions with the same opcode and source line, as
// unrolled loops have them, are one. Threads, CTAs, bytes and PTX lines are those of an example: threads of two warps
// where there are such, in the CTA with the lowest number.
struct Finding {
  Hazard hazard = Hazard::read_after_write;
  RacingAccess first, second;           // in the order in which the emulator ran them
  std::string buffer;                   // of global memory: a buffer's label or a variable's name; empty: shared memory
  std::uint64_t first_byte = 0;         // of the buffer, or of the CTA's shared memory
  std::uint64_t last_byte = 0;          // inclusive
  std::uint64_t occurrences = 0;        // accesses of one thread that met one or more unordered ones
  std::uint32_t instruction_pairs = 1;  // of PTX instructions
  Remedy remedy = Remedy::cta_barrier;
};

// What would order them, as a sentence: `nothing orders them: a bar.sync between them would`.
[[nodiscard]] std::string explain_remedy(const Finding& finding);

// Four lines without a newline at the end; of global memory `bytes 0..15 of D`, and where the two threads are of two
// CTAs each line names its own:
//   race: write after read, shared bytes 0..15 of CTA (0,0,0), 128 times, 4 pairs of PTX instructions
//     read   ldmatrix.sync.aligned.m8n8.x4.shared.b16  k.cuh:212 (k.ptx:310)  warp 1 lane 3
//     write  st.shared.v4.u32                          k.cuh:260 (k.ptx:402)  warp 0 lane 0
//     nothing orders them: a bar.sync between them would
[[nodiscard]] std::string to_string(const Finding& finding);

// A read of shared memory that no thread of the CTA has written or begun to copy to, or of global memory that neither
// the host nor a kernel has written. Reads by PTX instructions with the same opcode and source line are one; bytes, CTA
// and thread are those of an example.
struct UninitialisedRead {
  RacingAccess reader;
  std::string buffer;             // of global memory; empty: shared memory
  std::uint64_t first_byte = 0;   // of the buffer, or of the CTA's shared memory
  std::uint64_t last_byte = 0;    // inclusive
  std::uint64_t occurrences = 0;  // reads of one thread
};

// Three lines without a newline at the end:
//   uninitialised read, shared bytes 0..3 of CTA (0,0,0), 32 times
//     read    ld.shared.u32  k.cuh:212 (k.ptx:310)  warp 0 lane 0
//     nothing has written these bytes in this CTA
[[nodiscard]] std::string to_string(const UninitialisedRead& read);

}  // namespace tileloom::emu
