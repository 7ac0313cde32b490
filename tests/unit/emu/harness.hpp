// SPDX-License-Identifier: Apache-2.0
// Runs a few PTX instructions on 32 lanes.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tileloom/emu/emulator.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu::test {

inline constexpr std::string_view header = ".version 8.0\n.target sm_80\n.address_size 64\n";

// A kernel `k` around a body. Lane values: %d1, %d2, %d3 the inputs, %r1... and %h1... their low halves, %t the thread.
// The result is what %d0, %r0, %h0 (zero-extended) or %p0 holds afterwards, as `result` says; it begins as all ones.
inline std::string wrap_body(const std::string& body, char result, std::string_view head = header) {
  std::string text(head);
  text += R"(.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %d<40>; .reg .b32 %t;
  ld.param.u64 %d30, [in];
  ld.param.u64 %d31, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %d32, %t, 24;
  add.u64 %d30, %d30, %d32;
  mul.wide.u32 %d32, %t, 8;
  add.u64 %d31, %d31, %d32;
  ld.global.u64 %d1, [%d30];
  ld.global.u64 %d2, [%d30+8];
  ld.global.u64 %d3, [%d30+16];
  cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3;
  cvt.u16.u64 %h1, %d1; cvt.u16.u64 %h2, %d2; cvt.u16.u64 %h3, %d3;
  setp.ne.u64 %p1, %d1, 0; setp.ne.u64 %p2, %d2, 0; setp.ne.u64 %p3, %d3, 0;
  mov.b64 %d0, -1; mov.b32 %r0, -1; mov.b16 %h0, -1; setp.eq.u32 %p0, %t, %t;
  and.b32 %r39, %t, 5; setp.ne.u32 %p19, %r39, 0;
)";
  text += body;
  switch (result) {
    case 'r':
      text += "\n  cvt.u64.u32 %d0, %r0;";
      break;
    case 'h':
      text += "\n  cvt.u64.u16 %d0, %h0;";
      break;
    case 'p':
      text += "\n  selp.u64 %d0, 1, 0, %p0;";
      break;
    default:
      break;
  }
  text += "\n  st.global.u64 [%d31], %d0;\n  ret;\n}\n";
  return text;
}

// Lanes that %p19 selects in wrap_body.
inline bool in_mask(unsigned lane) {
  return (lane & 5) != 0;
}

struct Inputs {
  std::array<std::uint64_t, 3> x{};
};

// Runs kernel `k(in, out)` with one thread for each input.
inline std::vector<std::uint64_t> run(const Module& module, const std::vector<Inputs>& inputs,
                                      LaunchOptions options = {}) {
  Memory memory;
  std::vector<std::uint64_t> out(inputs.size(), 0);
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap_read_only(std::as_bytes(std::span(inputs)), "in"));
  arguments.set(1, memory.wrap(std::as_writable_bytes(std::span(out)), "out"));
  options.block = {static_cast<std::uint32_t>(inputs.size())};
  options.host_threads = 1;
  launch(module, "k", options, arguments.bytes(), memory);
  return out;
}

// The message of the Error that `f` throws.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tileloom::emu::test
