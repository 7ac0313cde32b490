// SPDX-License-Identifier: Apache-2.0
// What each op does to the names in its registers; told from its opcode, once for a launch.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/machine/program.hpp"

namespace tileloom::emu {

struct Action {
  enum class Kind : std::uint8_t {
    none,  // writes no register that could hold a name
    clear,
    copy,
    pack,
    unpack,
    select,
    shuffle,
    permute,
    shift,        // by 16, if it is that; else it derives
    narrow,       // to a 16-bit float: `cvt.f16.f32`
    widen,        // from one
    narrow_pair,  // `cvt.f16x2.f32`
    resize,       // an integer conversion: low halves stay
    derive,
    derive_halves,  // packed arithmetic
    load,
    store,
    copy_async,
    load_matrix,
    store_matrix,
    mma,
  };
  Kind kind = Kind::none;
  std::uint8_t detail = 0;   // shuffle: its mode; shift: 1 to the left; resize: halves that stay
  std::uint32_t number = 0;  // mma: among the module's
};

// By op.
[[nodiscard]] std::vector<Action> find_actions(const Program& program);

}  // namespace tileloom::emu
