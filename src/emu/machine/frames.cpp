// SPDX-License-Identifier: Apache-2.0
#include "emu/machine/frames.hpp"

#include <cstring>

namespace tileloom::emu {
namespace {

constexpr std::uint32_t max_depth = 4096;
constexpr std::uint64_t max_frames_bytes = std::uint64_t{256} << 20;  // of one warp
constexpr std::uint64_t max_local_bytes =
    512 * 1024;  // of a thread: CUDA C++ Programming Guide, technical specifications

void grow_local(Warp& w, unsigned lane, std::uint32_t base, std::uint32_t bytes) {
  const std::uint64_t top = std::uint64_t{base} + bytes;
  if (top > max_local_bytes) w.fail("stack overflow", "takes more than 512 KiB of local memory", lane);
  std::vector<std::byte>& local = w.local[lane];
  if (local.size() < top) local.resize(top);
  if (bytes > 0) std::memset(local.data() + base, uninitialised, bytes);
  w.local_top[lane] = static_cast<std::uint32_t>(top);
}

void ensure_frame(Warp& w, const Program& program, std::uint32_t depth, unsigned lane) {
  if (depth < w.frames.size()) return;
  if (depth > max_depth || std::uint64_t{depth} * program.frame_bytes > max_frames_bytes) {
    w.fail("stack overflow", "calls " + std::to_string(depth) + " deep", lane);
  }
  w.frames.push_back({make_aligned_bytes(program.frame_bytes), {}});
}

}  // namespace

void enter_kernel(Warp& w, const Program& program, const FunctionCode& kernel) {
  if (w.frames.empty()) {
    w.frames.push_back({make_aligned_bytes(program.frame_bytes), {}});
  } else {
    for (Frame& frame : w.frames) std::memset(frame.registers.get(), uninitialised, program.frame_bytes);
  }
  for_lanes(w.exists, [&](unsigned lane) {
    w.frames[0].local_base()[lane] = 0;
    grow_local(w, lane, 0, kernel.local_bytes);
  });
}

void enter_call(Warp& w, const Program& program, const Call& call, std::uint32_t mask, std::uint32_t pc) {
  const FunctionCode& callee = program.functions[call.function];
  for_lanes(mask, [&](unsigned lane) {
    const std::uint32_t depth = w.depth[lane];
    ensure_frame(w, program, depth + 1, lane);
    const auto caller_base = static_cast<std::uint32_t>(w.frames[depth].local_base()[lane]);
    const std::uint32_t base = w.local_top[lane];
    grow_local(w, lane, base, callee.local_bytes);
    for (const ParameterCopy& copy : call.arguments) {
      std::memcpy(w.local[lane].data() + base + copy.callee, w.local[lane].data() + caller_base + copy.caller,
                  copy.bytes);
    }
    Frame& frame = w.frames[depth + 1];
    frame.local_base()[lane] = base;
    frame.return_to[lane] = pc + 1;
    w.depth[lane] = depth + 1;
    w.lane_pc[lane] = callee.first;
  });
}

std::uint32_t leave_call(Warp& w, const Program& program, unsigned lane) {
  const Frame& frame = w.frames[w.depth[lane]];
  const std::uint32_t back = frame.return_to[lane];
  const auto base = static_cast<std::uint32_t>(frame.local_base()[lane]);
  --w.depth[lane];
  const auto caller_base = static_cast<std::uint32_t>(w.frames[w.depth[lane]].local_base()[lane]);
  for (const ParameterCopy& copy : program.calls[program.ops[back - 1].target].results) {
    std::memcpy(w.local[lane].data() + caller_base + copy.caller, w.local[lane].data() + base + copy.callee,
                copy.bytes);
  }
  w.local_top[lane] = base;
  return back;
}

}  // namespace tileloom::emu
