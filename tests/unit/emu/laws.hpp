// SPDX-License-Identifier: Apache-2.0
// An instruction and the host arithmetic that it must equal, for all lanes and for a part of them.
#pragma once

#include <rapidcheck.h>

#include <bit>
#include <functional>

#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {

struct Law {
  std::string instruction;  // in the registers of wrap_body; of a sequence, `$` marks each instruction to guard
  char result;              // d, r, h or p
  std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)> expected;
};

// Values at which arithmetic goes wrong, and any others.
inline rc::Gen<std::uint64_t> operand() {
  const std::vector<std::uint64_t> edges{0,
                                         1,
                                         2,
                                         7,
                                         31,
                                         32,
                                         33,
                                         63,
                                         64,
                                         0x7F,
                                         0x80,
                                         0xFF,
                                         0x7FFF,
                                         0x8000,
                                         0xFFFF,
                                         0x7C00,
                                         0xFC00,
                                         0x3C00,
                                         0x3F80,
                                         0x0001,
                                         0x7FFFFFFF,
                                         0x80000000,
                                         0xFFFFFFFF,
                                         0x3F800000,
                                         0xBF800000,
                                         0x7F800000,
                                         0xFF800000,
                                         0x7FC00000,
                                         0x00000001,
                                         0x00800000,
                                         0x007FFFFF,
                                         0x7F7FFFFF,
                                         0x4B000000,
                                         0x4F000000,
                                         0x3FF0000000000000,
                                         0xBFF0000000000000,
                                         0x7FF0000000000000,
                                         0x7FF8000000000000,
                                         0x0010000000000000,
                                         0x0000000000000001,
                                         0x7FFFFFFFFFFFFFFF,
                                         0x8000000000000000,
                                         0xFFFFFFFFFFFFFFFF,
                                         0x43E0000000000000,
                                         0xC3E0000000000000};
  return rc::gen::oneOf(
      rc::gen::elementOf(edges), rc::gen::arbitrary<std::uint64_t>(),
      rc::gen::map(rc::gen::inRange<std::int64_t>(-70, 70),
                   [](std::int64_t v) { return static_cast<std::uint64_t>(v); }),
      // f32 patterns of moderate size, so that sums do not all overflow or vanish
      rc::gen::map(rc::gen::pair(rc::gen::inRange(-40, 40), rc::gen::arbitrary<std::uint32_t>()), [](const auto& p) {
        const auto exponent = static_cast<std::uint32_t>(127 + p.first) << 23;
        return std::uint64_t{(p.second & 0x807FFFFFU) | exponent};
      }));
}

inline std::uint64_t all_ones(char result) {
  return result == 'r' ? 0xFFFFFFFF : result == 'h' ? 0xFFFF : result == 'p' ? 1 : ~std::uint64_t{0};
}

inline std::string guarded(const std::string& instruction, const std::string& guard) {
  if (instruction.find('$') == std::string::npos) return guard + instruction;
  std::string text;
  for (const char c : instruction) text += c == '$' ? guard : std::string(1, c);
  return text;
}

inline void check_law(const Law& law) {
  const Module whole = Module::from_ptx(wrap_body(guarded(law.instruction, ""), law.result), "law.ptx");
  const Module part = Module::from_ptx(wrap_body(guarded(law.instruction, "@%p19 "), law.result), "law.ptx");
  const auto inputs_gen = rc::gen::container<std::vector<Inputs>>(
      32, rc::gen::map(rc::gen::container<std::array<std::uint64_t, 3>>(operand()),
                       [](const auto& x) { return Inputs{x}; }));
  const bool holds = rc::check(law.instruction, [&] {
    const std::vector<Inputs> inputs = *inputs_gen;
    const auto out = run(whole, inputs);
    const auto masked = run(part, inputs);
    for (unsigned lane = 0; lane < inputs.size(); ++lane) {
      const auto& x = inputs[lane].x;
      const std::uint64_t expected = law.expected(x[0], x[1], x[2]);
      if (out[lane] != expected || masked[lane] != (in_mask(lane) ? expected : all_ones(law.result))) {
        RC_FAIL(law.instruction + " of " + std::to_string(x[0]) + ", " + std::to_string(x[1]) + ", " +
                std::to_string(x[2]) + ": expected " + std::to_string(expected) + ", found " +
                std::to_string(out[lane]) + " and masked " + std::to_string(masked[lane]));
      }
    }
  });
  EXPECT_TRUE(holds) << law.instruction;
}

inline void check_laws(const std::vector<Law>& laws) {
  for (const Law& law : laws) check_law(law);
}

}  // namespace tileloom::emu::test
