// SPDX-License-Identifier: Apache-2.0
#include "emu/machine/frames.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emu/machine/address.hpp"

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

void enter_call(Warp& w, const Program& program, std::uint32_t number, std::uint32_t mask, std::uint32_t pc) {
  const Call& call = program.calls[number];
  const FunctionCode& callee = program.functions[call.function];
  if (!callee.defined) {
    w.fail("missing function", "calls " + callee.name + ", which has no body in this module",
           static_cast<unsigned>(std::countr_zero(mask)));
  }
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
    frame.call[lane] = number;
    w.depth[lane] = depth + 1;
    w.lane_pc[lane] = callee.first;
  });
}

std::uint32_t called_at(const Warp& w, const Program& program, const Op& op, unsigned lane) {
  const std::uint64_t address = w.reg<std::uint64_t>(op.a)[lane];
  for (std::uint32_t call = op.target; call < op.target + op.imm; ++call) {
    if (function_address(program.calls[call].function) == address) return call;
  }
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    if (function_address(f) != address) continue;
    w.fail("bad call", "calls " + program.functions[f].name + ", which has other parameters or results", lane);
  }
  w.fail("bad call", fmt::format("calls address 0x{:x}, where no function is", address), lane);
}

std::uint32_t leave_call(Warp& w, const Program& program, unsigned lane) {
  const Frame& frame = w.frames[w.depth[lane]];
  const std::uint32_t back = frame.return_to[lane];
  const auto base = static_cast<std::uint32_t>(frame.local_base()[lane]);
  --w.depth[lane];
  const auto caller_base = static_cast<std::uint32_t>(w.frames[w.depth[lane]].local_base()[lane]);
  for (const ParameterCopy& copy : program.calls[frame.call[lane]].results) {
    std::memcpy(w.local[lane].data() + caller_base + copy.caller, w.local[lane].data() + base + copy.callee,
                copy.bytes);
  }
  w.local_top[lane] = base;
  return back;
}

}  // namespace tileloom::emu
